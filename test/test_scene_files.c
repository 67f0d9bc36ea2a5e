// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Scene files: what is wrong is said with line and path, what is right arrives, and is performed.
#include "core/context.h"
#include "core/vec.h"
#include "play/play.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static shContext* context;

static int setUp(void** state)
{
    (void)state;
    shContextDef def = shDefaultContextDef();
    def.workerCount = 2;
    return shCreateContext(&def, &context, NULL) == shOk ? 0 : -1;
}

static int tearDown(void** state)
{
    (void)state;
    return shDestroyContext(context) == 0 ? 0 : -1; // nothing leaks, right or wrong
}

static shStatus readScene(Script* script, const char* text, const ScriptChanges* changes, shMessage* message)
{
    return scriptRead(script, context, "x.json", text, strlen(text), changes, message);
}

static void everyErrorHasItsLineAndPath(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        {"", "x.json:1: the file ends where a value is expected"},
        {"[1, 2]", "x.json:1: the whole must be an object"},
        {"{\n\"bodies\": [{\n", "x.json:3: a key in quotes is expected, not the end of the file"},
        {"{\"bodies\": [{\"shape\": {\"plane\": true}}]\n\"dt\": 1}",
         "x.json:2: a , or } is expected, not '\"'; { was opened in line 1"},
        {"{\"dt\": 0.1,\n \"dt\": 0.2}", "x.json:2: \"dt\" is there twice; first in line 1"},
        {"{\"title\": \"no end\n}", "x.json:1: a text does not end"},
        {"{\"dt\": fast}", "x.json:1: 'fast' is no value; a text needs quotes"},
        {"{\"dt\": 0x10}", "x.json:1:"},
        {"{\"title\": \"\\q\"}", "x.json:1: a text has '\\q' in it"},
        {"{} {}", "x.json:1: '{' comes after the end"},
        {"{}", "x.json:1: the scene has no bodies"},
        {"{\n\"bodys\": []}", "x.json:2: bodys: no key \"bodys\"; did you mean \"bodies\"?"},
        {"{\n\n\"dt\": -1}", "x.json:3: dt: -1 is out of range; it must be 1e-05 to 1"},
        {"{\"steps\": 2.5}", "x.json:1: steps: 2.5 is no whole number"},
        {"{\"dt\": \"1\"}", "x.json:1: dt: it must be a number, not a text"},
        {"{\"world\": {\n\"gravity\": [0, 1]}}", "x.json:2: world.gravity: give a list of 3 numbers"},
        {"{\"world\": {\"gravity\": [0,\n \"down\", 0]}}",
         "x.json:2: world.gravity[1]: it must be a number, not a text"},
        {"{\"assets\": {\"a\": {\"model\": \"plat\"}}}",
         "x.json:1: assets.a.model: no model \"plat\"; did you mean \"plate\"?"},
        {"{\"assets\": {\"a\": {\"model\": \"plate\",\n\"material\": \"wood\"}}}",
         "x.json:2: assets.a.material: no material \"wood\""},
        {"{\"assets\": {\"a\": {\"detail\": 2}}}", "x.json:1: assets.a: give one of model, file and box"},
        {"{\"assets\": {\"a\": {\"box\": [1, 0, 1]}}}", "x.json:1: assets.a: the sides of a box must be above 0"},
        {"{\"assets\": {\"a\": {\"box\": [9, 9, 9], \"cell\": 0.01}}}", "x.json:1: assets.a: 729000000 cells"},
        {"{\"assets\": {\"a\": {\"model\": \"plate\", \"else\": \"bowl\"}}}",
         "x.json:1: assets.a.else: it goes with \"file\" only"},
        {"{\"bodies\": [{\"asset\": \"a\"}]}", "x.json:1: bodies[0].asset: the scene has no assets"},
        {"{\"assets\": {\"plate\": {\"model\": \"plate\"}}, \"bodies\": [\n{\"asset\": \"plte\"}]}",
         "x.json:2: bodies[0].asset: no asset \"plte\"; did you mean \"plate\"?"},
        {"{\"bodies\": [\n{},\n]}", "x.json:2: bodies[0]: give one of asset, shape and terrain"},
        {"{\"bodies\": [7]}", "x.json:1: bodies[0]: a body must be an object"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1, \"box\": [1, 1, 1]}}]}", "x.json:1: bodies[0].shape: give one of"},
        {"{\"bodies\": [{\"shape\": {\"capsule\": [0, 1]}}]}", "x.json:1: bodies[0].shape.capsule: give a radius"},
        {"{\"bodies\": [{\"shape\": {\"plane\": true}, \"type\": \"dynamic\"}]}",
         "x.json:1: bodies[0]: planes and terrains"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"fracture\": {}}]}",
         "bodies[0].fracture: only bodies with an asset"},
        {"{\"assets\": {\"a\": {\"model\": \"plate\"}}, \"bodies\": [{\"asset\": \"a\",\n\"fracture\": {\n\"pattern\": "
         "\"radail\"}}]}",
         "x.json:3: bodies[0].fracture.pattern: no pattern \"radail\"; did you mean \"radial\"?"},
        {"{\"assets\": {\"a\": {\"model\": \"plate\"}}, \"bodies\": [{\"asset\": \"a\", \"fracture\": {\"anchors\": "
         "[{\"below\": 0}]}}]}",
         "bodies[0].fracture.anchors: anchors hold static bodies"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"repeat\": [{\"count\": 1000}, {\"count\": 1000}]}]}",
         "bodies[0].repeat[1]: more than 100000 bodies"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"name\": \"a\"},\n{\"shape\": {\"sphere\": 1}, \"name\": "
         "\"a\"}]}",
         "x.json:2: bodies[1].name: \"a\" is the name of another body, too (line 1)"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}}], \"actions\": [{\"time\": 1}]}",
         "actions[0]: an action does one thing"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"name\": \"ball\"}], \"actions\": [{\"time\": 1,\n\"remove\": "
         "\"bal\"}]}",
         "x.json:2: actions[0].remove: no body \"bal\"; did you mean \"ball\"?"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"name\": \"ball\"}], \"actions\": [{\"remove\": \"ball[1]\"}]}",
         "actions[0].remove: \"ball\" has copies [0] to [0]"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"name\": \"b\", \"time\": 2}], \"actions\": [{\"time\": 1, "
         "\"remove\": "
         "\"b\"}]}",
         "actions[0].remove: \"b\" comes at 2 s, which is later"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"name\": \"b\"}], \"actions\": [{\"time\": 1, \"drag\": "
         "{\"body\": \"b\", "
         "\"path\": [[1, 0, 0, 0], [0.5, 0, 0, 0]]}}]}",
         "actions[0].drag.path[1]: times ascend"},
        {"{\"camera\": {\"look\": [[1, 1, 1], [0, 2, 2]]}}", "camera.look: give the lower corner first"},
        {"{\"dt\": NaN}", "x.json:1: 'NaN' is no value"},
        {"{\"dt\": -Infinity}", "x.json:1: '-Infinity' is no value"},
        {"{\n\"dt\": 1e999}", "x.json:2: '1e999' is too large for a number"},
        {"{\"dt\": 0}", "x.json:1: dt: 0 is out of range"},
        {"{\"dt\": .5}", "x.json:1: '.5' is no value"},
        {"{\"dt\": null}", "x.json:1: dt: it must be a number, not null"},
        {"{\"seed\": 1.5}", "x.json:1: seed: 1.5 is no whole number"},
        {"{\"steps\": 0}", "x.json:1: steps: 0 is out of range"},
        {"{'dt': 1}", "x.json:1: a key in quotes is expected, not ''dt''"},
        {"\n\n", "x.json:3: the file ends where a value is expected"},
        {"// nothing\n", "x.json:2: the file ends where a value is expected"},
        {"{/* no */}", "x.json:1: a key in quotes is expected, not '/*'"},
        {"{\"title\": \"\xff\"}", "x.json:1: a text is not UTF-8"},
        {"{\"title\": \"\xe0\x80\x80\"}", "x.json:1: a text is not UTF-8"},
        {"{\"title\": \"\xed\xa0\x80\"}", "x.json:1: a text is not UTF-8"},
        {"{\"title\": \"\xf4\x90\x80\x80\"}", "x.json:1: a text is not UTF-8"},
        {"{\"title\": \"\\ud800\"}", "x.json:1: a text has '\\u' in it"},
        {"{\"bodies\": {\"b\": 1}}", "x.json:1: bodies: it must be a list, not an object"},
        {"{\"bodies\": null}", "x.json:1: bodies: it must be a list, not null"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1},\n\"at\": [0, 1, 0],\n\"at\": [0, 2, 0]}]}",
         "x.json:3: \"at\" is there twice; first in line 2"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": -1}}]}", "x.json:1: bodies[0].shape.sphere: -1 is out of range"},
        {"{\"bodies\": [{\"shape\": {\"box\": [1,\n\"wide\", 1]}}]}",
         "x.json:2: bodies[0].shape.box[1]: it must be a number, not a text"},
        {"{\"bodies\": [{\"shape\": {\"box\": [1, -1, 1]}}]}", "bodies[0].shape: the sides of a box must be above 0"},
        {"{\"bodies\": [{\"shape\": {\"plane\": false}}]}", "bodies[0].shape: \"plane\": true is a plane"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"at\": [1e30, 0, 0]}]}",
         "bodies[0].at[0]: 1e+30 is out of range"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"turn\": 90}]}",
         "bodies[0].turn: it must be a list, not a number"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"density\": 0}]}", "bodies[0].density: 0 is out of range"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"repeat\": [{\"count\": 1e300}]}]}",
         "bodies[0].repeat[0].count: 1e+300 is out of range"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"grid\": {\"count\": 8, \"across\": [0, 2]}}]}",
         "bodies[0].grid.across: give two whole"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"repeat\": [{\"count\": 60000}]},\n{\"shape\": {\"sphere\": 1}, "
         "\"repeat\": [{\"count\": 60000}]}]}",
         "x.json:2: bodies[1]: more than 100000 bodies in all"},
        {"{\"bodies\": [{\"terrain\": {\"cells\": 100000}}]}", "bodies[0].terrain.cells: 100000 is out of range"},
        {"{\"assets\": {\"p\": {\"model\": \"plate\"}}, \"bodies\": [{\"asset\": \"p\", \"fracture\": {\"grain\": "
         "{\"x\": 1}}}]}",
         "bodies[0].fracture.grain: it must be a list, not an object"},
        {"{\"assets\": {\"p\": {\"model\": \"plate\"}}, \"bodies\": [{\"asset\": \"p\", \"fracture\": {\"brick\": "
         "[0.2, -1, 0.1]}}]}",
         "bodies[0].fracture.brick: the sides of a brick must be"},
        {"{\"assets\": {\"p\": {\"model\": \"plate\"}}, \"bodies\": [{\"asset\": \"p\", \"type\": \"static\", "
         "\"fracture\": {\"anchors\": [{\"ball\": [0, 0, 0, -1]}]}}]}",
         "bodies[0].fracture.anchors[0].ball: give a centre and a radius above 0"},
        {"{\"assets\": {\"a\": {\"model\": \"plate\", \"scale\": 0}}}", "assets.a.scale: 0 is out of range"},
        {"{\"assets\": {\"a\": {\"model\": \"plate\", \"triangles\": 9}}}",
         "assets.a.triangles: it goes with an .obj or .off file only"},
        {"{\"assets\": {\"a\": {\"box\": [1, 1, 1],\n\"scale\": 2}}}",
         "x.json:2: assets.a.scale: it goes with a model, or"},
        {"{\"assets\": {\"a\": {\"file\": \"a.obj\", \"detail\": 2}}}", "assets.a.detail: it goes with \"model\" only"},
        {"{\"assets\": {\"a\": {\"file\": \"a.sherd\", \"material\": \"ice\"}}}",
         "assets.a.material: it goes with what is not cooked yet"},
        {"{\"assets\": {\"a\": {\"file\": \"a.sherd\", \"scale\": 2}}}", "assets.a.scale: it goes with a model, or"},
        {"{\"assets\": {\"a\": {\"file\": \"a.obj\", \"else\": \"rabit\"}}}",
         "assets.a.else: no model \"rabit\"; did you mean \"rabbit\"?"},
        {"{\"assets\": {\"a\": {\"file\": \"a.obj\", \"else\": 3}}}", "assets.a.else: it must be a text, not a number"},
        {"{\"assets\": {\"a\": {\"file\": \"a.obj\", \"else\": {\n\"scale\": 2}}}}",
         "x.json:1: assets.a.else: give a model"},
        {"{\"assets\": {\"a\": {\"file\": \"a.obj\", \"else\": {\"model\": \"rabbit\",\n\"cell\": 2}}}}",
         "x.json:2: assets.a.else.cell: no key \"cell\""},
        {"{\"assets\": {\"a\": {\"file\": \"a.obj\", \"else\": {\"model\": \"rabbit\", \"scale\": -4}}}}",
         "assets.a.else.scale: -4 is out of range"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"name\": \"b\"}], \"actions\": [{\"time\": -1, \"remove\": "
         "\"b\"}]}",
         "actions[0].time: -1 is out of range"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"name\": \"b\"}], \"actions\": [{\"break\": {\"body\": \"b\"}}]}",
         "actions[0].break.body: only bodies with an asset can break"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"name\": \"b\"}], \"actions\": [{\"drag\": {\"path\": [[0, 0, 0, "
         "0]]}}]}",
         "actions[0].drag: say which body"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"name\": \"b\"}], \"actions\": [{\"drag\": {\"body\": \"b\", "
         "\"path\": []}}]}",
         "actions[0].drag.path: give a path"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"name\": \"b\"}], \"actions\": [{\"remove\": \"b[-1]\"}]}",
         "actions[0].remove: \"b\" has copies [0] to [0]"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": 1}, \"name\": \"b\"}], \"actions\": [{\"explode\": {\"at\": [0, 0, "
         "0], \"radius\": -1}}]}",
         "actions[0].explode.radius: -1 is out"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        Script script;
        shMessage message = {""};
        assert_int_equal(readScene(&script, cases[i][0], NULL, &message), shBadFile);
        if (strstr(message.text, cases[i][1]) == NULL)
            fail_msg("%s\n  gives    %s\n  expected %s", cases[i][0], message.text, cases[i][1]);
        scriptFree(&script);
    }
}

static void cutOffAnywhereNothingCrashes(void** state)
{
    (void)state;
    const BuiltIn* scene = builtInFind("starter");
    assert_non_null(scene);
    int accepted = 0;
    for (size_t size = 0; size < scene->size; size += 3) {
        Script script;
        shMessage message = {""};
        shStatus status = scriptRead(&script, context, "cut.json", (const char*)scene->text, size, NULL, &message);
        if (status != shOk)
            assert_non_null(strstr(message.text, "cut.json:"));
        accepted += status == shOk;
        scriptFree(&script);
    }
    assert_true(accepted <= 1);
}

static void whatIsNoSceneAtAllIsRefused(void** state)
{
    (void)state;
    static char deep[100000];
    static const struct {
        const char* text;
        size_t size;
        const char* said;
    } cases[] = {
        {"\x7f"
         "ELF\0\1\2",
         7, "x.json: this is no text file"},
        {"{\0}", 3, "x.json: this is no text file"},
        {"\xff\xfe{\0}\0", 6, "x.json: this is no text file"}, // UTF-16
        {"\x89PNG\r\n", 6, "x.json:1:"},
        {deep, sizeof deep, "x.json:1: values are nested more than 32 deep"},
        {NULL, 0, "x.json:1: the file ends where a value is expected"},
    };
    memset(deep, '[', sizeof deep);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        Script script;
        shMessage message = {""};
        shStatus status = scriptRead(&script, context, "x.json", cases[i].text, cases[i].size, NULL, &message);
        assert_int_equal(status, shBadFile);
        if (strstr(message.text, cases[i].said) == NULL)
            fail_msg("%zu gives %s, expected %s", i, message.text, cases[i].said);
        scriptFree(&script);
    }
    Script script;
    shMessage message = {""};
    assert_int_equal(scriptLoad(&script, context, TEST_FOLDER, NULL, &message), shNoFile);
    assert_non_null(strstr(message.text, "not a regular file"));
    assert_int_equal(scriptLoad(&script, context, TEST_FOLDER "/none.json", NULL, &message), shNoFile);
    assert_non_null(strstr(message.text, "none.json: cannot be opened"));
}

// What other programs write: a byte order mark, \r\n, characters as numbers.
static void otherPeoplesTextIsRead(void** state)
{
    (void)state;
    Script script;
    shMessage message = {""};
    static const char text[] = "\xef\xbb\xbf{\r\n\"title\": \"\\u00e9\\ud83d\\ude00\\u4e16 \xc3\xa9\",\r\n"
                               "\"bodies\": [{\"shape\": {\"sphere\": 1}}]}\r\n";
    assert_int_equal(readScene(&script, text, NULL, &message), shOk);
    assert_string_equal(script.title, "\xc3\xa9\xf0\x9f\x98\x80\xe4\xb8\x96 \xc3\xa9");
    scriptFree(&script);
}

static void theStandInHasItsOwnSize(void** state)
{
    (void)state;
    Script script;
    Play* play;
    shMessage message = {""};
    static const char text[] = "{\"assets\": {\"a\": {\"file\": \"none.obj\", \"scale\": 3, \"material\": \"ice\",\n"
                               "\"else\": {\"model\": \"brick\", \"scale\": 2, \"shift\": [0, -1, 0]}},\n"
                               "\"b\": {\"model\": \"brick\"}}, \"bodies\": [{\"asset\": \"a\"}]}";
    assert_int_equal(readScene(&script, text, NULL, &message), shOk);
    assert_int_equal(playCreate(&play, &script, NULL, &message), shOk);
    shAssetInfo info = shAsset_GetInfo(playAsset(play, 0)), brick = shAsset_GetInfo(playAsset(play, 1));
    assert_true(fabs(info.volume / brick.volume - 8.0) < 1e-5);
    assert_true(fabsf(info.box.lower.y - (2.0f * brick.box.lower.y - 1.0f)) < 1e-6f);
    assert_string_equal(info.material->name, "ice");
    assert_string_equal(info.name, "a");
    playDestroy(play);
    scriptFree(&script);
}

static const char small[] =
    "// a comment\n{\"dt\": 0.01, \"steps\": 20,\n"
    "\"bodies\": [{\"shape\": {\"plane\": true}},\n"
    "{\"name\": \"box\", \"shape\": {\"box\": [0.2, 0.2, 0.2]}, \"at\": [0, 0.1, 0],\n"
    " \"repeat\": [{\"count\": 3, \"step\": [0.5, 0, 0]}, {\"count\": 2, \"step\": [0, 0.2, 0], "
    "\"odd\": [0.1, 0, 0]}]},],\n"
    "\"actions\": [{\"time\": 0.1, \"remove\": \"box[0]\"}, {\"time\": 0.05, \"gravity\": [0, 0, 0]}]}";

static void whatIsSetComesInsteadOrIsRefused(void** state)
{
    (void)state;
    static const char* const good[] = {"dt=0.02", "bodies.box.at=[0, 3, 0]", "bodies[1].name=brick", "title=Any text",
                                       "actions=[]"};
    ScriptChanges changes = {.sets = good, .setCount = 5, .steps = 7};
    Script script;
    shMessage message = {""};
    assert_int_equal(readScene(&script, small, &changes, &message), shOk);
    assert_true(script.dt == 0.02);
    assert_int_equal(script.steps, 7);
    assert_string_equal(script.bodies[1].name, "brick");
    assert_string_equal(script.title, "Any text");
    assert_true(script.bodies[1].def.transform.p.y == 3.0f);
    scriptFree(&script);

    // What the file leaves out is added, with all that it is in.
    static const char* const left[] = {"world.debris.limit=12", "world.sleeping=false", "camera.azimuth=5"};
    static const char without[] = "{\"bodies\": [{\"name\": \"ground\", \"shape\": {\"plane\": true}}]}";
    changes = (ScriptChanges){.sets = left, .setCount = 3};
    if (readScene(&script, without, &changes, &message) != shOk)
        fail_msg("%s", message.text);
    assert_int_equal(script.world.debrisLimit, 12);
    assert_false(script.world.sleeping);
    assert_true(script.azimuth == 5.0f);
    scriptFree(&script);
    static const char* const unknown[][2] = {{"wrold.sleeping=false", "--set wrold: no key \"wrold\""},
                                             {"world.sleepy=1", "--set world.sleepy: no key \"sleepy\""},
                                             {"world.debris.most=1", "--set world.debris.most: no key \"most\""},
                                             {"actions[0].at=1", "the scene has no 'actions'"},
                                             {"world.gravity[1]=-5", "the scene has no 'gravity'"},
                                             {"bodies.box.at=[0,0,0]", "the scene has no 'box'"},
                                             {"camera=5", "--set camera: it must be an object"}};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; ++i) {
        changes = (ScriptChanges){.sets = &unknown[i][0], .setCount = 1};
        assert_true(readScene(&script, without, &changes, &message) != shOk);
        if (strstr(message.text, unknown[i][1]) == NULL)
            fail_msg("%s gives %s, expected %s", unknown[i][0], message.text, unknown[i][1]);
        scriptFree(&script);
    }

    static const char* const bad[][2] = {{"dt", "write it as path=value"},
                                         {"=1", "write it as path=value"},
                                         {"bodies[9].at=[0,0,0]", "the scene has no '9'"},
                                         {"bodies.ball.at=1", "the scene has no 'ball'"},
                                         {"dt.x=1", "the scene has no 'x'"},
                                         {"dt=slow", "--set dt: it must be a number, not a text"},
                                         {"colour=red", "--set colour: no key \"colour\""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        changes = (ScriptChanges){.sets = &bad[i][0], .setCount = 1};
        assert_true(readScene(&script, small, &changes, &message) != shOk);
        if (strstr(message.text, bad[i][1]) == NULL)
            fail_msg("%s gives %s, expected %s", bad[i][0], message.text, bad[i][1]);
        scriptFree(&script);
    }
}

static void copiesStandWhereTheyShouldAndActionsHappenInTime(void** state)
{
    (void)state;
    Script script;
    Play* play;
    shMessage message = {""};
    assert_int_equal(readScene(&script, small, NULL, &message), shOk);
    assert_int_equal(script.copyCount, 7);
    assert_int_equal(playCreate(&play, &script, NULL, &message), shOk);
    shWorld* world = playWorld(play);
    shVec3 fifth = shBody_GetTransform(world, playCopy(play, 5)).p; // second of the upper row
    assert_true(fabsf(fifth.x - 0.6f) < 1e-6f && fabsf(fifth.y - 0.3f) < 1e-6f && fifth.z == 0.0f);
    while (!playIsOver(play)) {
        double now = playTime(play);
        assert_int_equal(playStep(play, &message), shOk);
        assert_int_equal(shBody_IsValid(world, playCopy(play, 1)), now < 0.095);
        assert_true((shWorld_GetGravity(world).y == 0.0f) == (now > 0.045));
    }
    assert_int_equal(playStepCount(play), 20);
    playDestroy(play);
    scriptFree(&script);
}

static void aBoxOfCellsIsABox(void** state)
{
    (void)state;
    ScriptAsset asset = {
        .name = "plank", .box = {0.9f, 0.1f, 0.25f}, .cell = 0.06f, .material = "stone", .detail = 1.0f, .scale = 1.0f};
    Script script = {.context = context};
    shAsset* made;
    shMessage message = {""};
    assert_int_equal(playMakeAsset(context, &script, &asset, &made, &message), shOk);
    shAssetInfo info = shAsset_GetInfo(made);
    assert_true(fabs(info.volume - 0.9 * 0.1 * 0.25) < 1e-7);
    assert_true(info.box.lower.y == 0.0f && info.box.upper.x == 0.45f);
    shDestroyAsset(made);
    asset = (ScriptAsset){.name = "marble", .model = "sphere", .detail = 0.5f, .scale = 0.5f};
    shAsset* whole;
    shCookDef cook = shDefaultCookDef();
    assert_int_equal(playMakeAsset(context, &script, &asset, &made, &message), shOk);
    assert_int_equal(shCookModel(context, "sphere", 0.5f, &cook, &whole, &message), shOk);
    info = shAsset_GetInfo(made);
    shAssetInfo other = shAsset_GetInfo(whole);
    assert_int_equal(info.tetCount, other.tetCount);
    assert_true(fabs(8.0 * info.volume / other.volume - 1.0) < 1e-6);
    assert_string_equal(info.material->name, "glass");
    shDestroyAsset(made);
    shDestroyAsset(whole);
}

static void everyBuiltInSceneReads(void** state)
{
    (void)state;
    int count = 0;
    for (const BuiltIn* scene = builtInScenes; scene->name != NULL; ++scene, ++count) {
        Script script;
        shMessage message = {""};
        if (scriptRead(&script, context, scene->name, (const char*)scene->text, scene->size, NULL, &message) != shOk)
            fail_msg("%s", message.text);
        assert_true(script.about[0] != '\0' && script.hasLook);
        scriptFree(&script);
    }
    assert_true(count >= 22);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyErrorHasItsLineAndPath),
        cmocka_unit_test(whatIsNoSceneAtAllIsRefused),
        cmocka_unit_test(otherPeoplesTextIsRead),
        cmocka_unit_test(theStandInHasItsOwnSize),
        cmocka_unit_test(cutOffAnywhereNothingCrashes),
        cmocka_unit_test(whatIsSetComesInsteadOrIsRefused),
        cmocka_unit_test(copiesStandWhereTheyShouldAndActionsHappenInTime),
        cmocka_unit_test(aBoxOfCellsIsABox),
        cmocka_unit_test(everyBuiltInSceneReads),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}
