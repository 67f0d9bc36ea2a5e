// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// `sherd run` from outside: options, tables, outputs, recordings, Ctrl-C and the bar on a terminal; `new` and
// `validate` beside it. The clip is left out where ffmpeg is not installed.
#define _XOPEN_SOURCE 700 // pseudo-terminals
#include "cook/process.h"
#include "core/hash.h"

#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[256];
static char out[400000]; // of the last run
static ProcessResult last;

// A ball on a block of stone.
static const char scene[] = "{\"title\": \"Ball & block\", \"dt\": 0.02, \"steps\": 25,\n"
                            " \"assets\": {\"block\": {\"box\": [0.2, 0.1, 0.2], \"cell\": 0.05}},\n"
                            " \"bodies\": [{\"shape\": {\"plane\": true}},\n"
                            "  {\"name\": \"block\", \"asset\": \"block\", \"at\": [0, 0.02, 0],\n"
                            "   \"fracture\": {\"pattern\": \"uniform\", \"pieces\": 6, \"factor\": 0.1}},\n"
                            "  {\"name\": \"ball\", \"shape\": {\"sphere\": 0.05}, \"density\": 7800,\n"
                            "   \"at\": [0, 0.3, 0.01], \"velocity\": [0, -12, 0]}]}\n";

static char* pathOf(const char* name)
{
    static char paths[4][400];
    static int turn;
    char* path = paths[turn++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static size_t readFile(const char* name, char* bytes, size_t most)
{
    FILE* file = fopen(pathOf(name), "rb");
    if (file == NULL)
        fail_msg("%s was not written", name);
    size_t size = fread(bytes, 1, most, file);
    fclose(file);
    return size;
}

static void writeFile(const char* name, const void* bytes, size_t size)
{
    FILE* file = fopen(pathOf(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

enum { MOST_WORDS = 40 };
// Words separated by spaces; @ stands for the test's folder.
static void split(const char* words, char* text, const char** arguments)
{
    size_t length = 0;
    for (const char* c = words; *c != '\0'; ++c)
        length += (size_t)(*c == '@' ? sprintf(text + length, "%s", folder) : sprintf(text + length, "%c", *c));
    int count = 1;
    arguments[0] = getenv("SHERD_PROGRAM");
    for (char* word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        arguments[count++] = word;
    arguments[count] = NULL;
}

static int run(const char* words)
{
    char text[4096] = "";
    const char* arguments[MOST_WORDS];
    split(words, text, arguments);
    ProcessDef def = {.arguments = arguments, .seconds = 120.0, .outputPath = pathOf("stdout")};
    processRun(&def, &last);
    if (last.end != processExited)
        fail_msg("sherd %s: did not end by itself: %s", words, last.output);
    out[readFile("stdout", out, sizeof out - 1)] = '\0';
    return last.code;
}

static void expect(const char* words, int code, const char* said)
{
    int got = run(words);
    const char* text = code == 0 ? out : last.output;
    if (got != code || strstr(text, said) == NULL)
        fail_msg("sherd %s: exit code %d (want %d), \"%s\" does not say \"%s\"", words, got, code, text, said);
    if (code == 0 && last.output[0] != '\0')
        fail_msg("sherd %s: wrote \"%s\" to stderr", words, last.output);
}

static json_t* parse(const char* text, const char* what)
{
    json_error_t error;
    json_t* json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL)
        fail_msg("%s: line %d: %s: %s", what, error.line, error.text, text);
    return json;
}

static json_t* expectJson(const char* words)
{
    if (run(words) != 0)
        fail_msg("sherd %s: %s", words, last.output);
    return parse(out, words);
}

// The hash at the end of a run.
static uint64_t hashOfRun(const char* words)
{
    json_t* json = expectJson(words);
    uint64_t hash = strtoull(json_string_value(json_object_get(json, "hash")), NULL, 16);
    json_decref(json);
    assert_true(hash != 0);
    return hash;
}

static json_int_t integerAt(const json_t* json, const char* a, const char* b)
{
    const json_t* value = json_object_get(json, a);
    value = b != NULL ? json_object_get(value, b) : value;
    if (!json_is_integer(value))
        fail_msg("%s%s%s is no integer", a, b != NULL ? "." : "", b != NULL ? b : "");
    return json_integer_value(value);
}

// A .glb whose length and chunks are right and whose JSON has so many animations at least.
static void checkGlb(const char* name, size_t animations)
{
    static char bytes[4000000];
    size_t size = readFile(name, bytes, sizeof bytes);
    uint32_t head[5];
    assert_true(size > sizeof head && size < sizeof bytes);
    memcpy(head, bytes, sizeof head);
    assert_int_equal(head[0], 0x46546c67);
    assert_int_equal(head[2], size);
    assert_true(head[3] < size);
    json_t* json = json_loadb(bytes + 20, head[3], 0, NULL);
    assert_non_null(json);
    assert_true(json_array_size(json_object_get(json, "animations")) >= animations);
    json_decref(json);
}

static void theTablesAndTheJsonSayTheSame(void** state)
{
    (void)state;
    expect("run @/scene.json --threads 1", 0, "Ball & block");
    static const char* const said[] = {"25 steps of 20 ms",   "CPU time",  "detection", "physics",
                                       "fracture and update", "fragments", "triangles", "contacts",
                                       "touching pairs",      "breaks",    "hash"};
    for (size_t i = 0; i < sizeof said / sizeof *said; ++i)
        if (strstr(out, said[i]) == NULL)
            fail_msg("\"%s\" is missing in %s", said[i], out);
    char hash[32] = "";
    sscanf(strstr(out, "hash ") + 5, "%16s", hash);

    json_t* json = expectJson("run @/scene.json --threads 2 --json --csv @/steps.csv");
    assert_string_equal(json_string_value(json_object_get(json, "hash")), hash);
    assert_string_equal(json_string_value(json_object_get(json, "clock")), "wall");
    assert_int_equal(integerAt(json, "steps", NULL), 25);
    assert_int_equal(integerAt(json, "bodies", "start"), 3);
    assert_true(integerAt(json, "breaks", NULL) >= 1);
    json_int_t fragments = integerAt(json, "fragments", NULL), bodies = integerAt(json, "bodies", "end");
    assert_true(fragments >= 3 && bodies == fragments + 2);
    json_decref(json);
    // A line for every body at the start and after every step.
    expect("run @/scene.json --steps 1 --poses @/poses.csv", 0, "1 steps");
    char poses[2048];
    poses[readFile("poses.csv", poses, sizeof poses - 1)] = '\0';
    float y = 0.0f;
    assert_non_null(strstr(poses, "\n0,0,2,"));
    assert_int_equal(sscanf(strstr(poses, "\n0,0,2,"), "\n0,0,2,%*d,%*f,%f", &y), 1);
    assert_true(y == 0.3f);
    assert_non_null(strstr(poses, "\n1,0.02,2,"));

    // A line for every step, the last with what there is in the end.
    char text[8192];
    text[readFile("steps.csv", text, sizeof text - 1)] = '\0';
    int lines = 0, columns = 1, step = 0, there = 0;
    double time = 0.0;
    for (const char* c = text; *c != '\0'; ++c)
        lines += *c == '\n';
    for (const char* c = text; *c != '\n'; ++c)
        columns += *c == ',';
    assert_int_equal(lines, 26);
    char* line = strtok(text, "\n");
    for (char* next = line; next != NULL; next = strtok(NULL, "\n"))
        line = next;
    int comma = 1;
    for (const char* c = line; *c != '\0'; ++c) {
        comma += *c == ',';
        if (*c == ',' && comma == 12)
            there = atoi(c + 1);
    }
    assert_int_equal(comma, columns);
    assert_int_equal(sscanf(line, "%d,%lf", &step, &time), 2);
    assert_int_equal(step, 25);
    assert_true(fabs(time - 0.5) < 1e-6);
    assert_int_equal(there, bodies);
}

static void optionsChangeTheScene(void** state)
{
    (void)state;
    uint64_t usual = hashOfRun("run @/scene.json --json");
    assert_true(hashOfRun("run @/scene.json --json --threads 1 --steps 25 --dt 0.02") == usual);
    assert_true(hashOfRun("run @/scene.json --json --seed 1") == usual); // what it is when nothing is said
    static const char* const others[] = {"--seed 2", "--steps 24", "--dt 0.01", "--set bodies.ball.velocity=[0,-11,0]",
                                         "--set bodies[1].fracture.pieces=9"};
    for (int i = 0; i < 5; ++i) {
        char words[200];
        snprintf(words, sizeof words, "run @/scene.json --json %s", others[i]);
        if (hashOfRun(words) == usual)
            fail_msg("%s changes nothing", others[i]);
    }
}

static bool hasFfmpeg(void)
{
    ProcessDef def = {.arguments = (const char*[]){"ffmpeg", "-version", NULL}, .seconds = 20.0};
    processRun(&def, &last);
    return last.end == processExited && last.code == 0;
}

static void everyOutputIsThere(void** state)
{
    (void)state;
    bool ffmpeg = hasFfmpeg();
    char words[300];
    snprintf(words, sizeof words,
             "run @/scene.json --steps 2 --threads 1 -o @/a.glb --out @/a.html -o @/a.png --size 200x160 --moments "
             "0,0.04 %s",
             ffmpeg ? "-o @/a.mp4" : "");
    expect(words, 0, "a.html\n");
    checkGlb("a.glb", 1);
    static char bytes[4000000];
    size_t size = readFile("a.html", bytes, sizeof bytes - 1);
    bytes[size] = '\0';
    assert_non_null(strstr(bytes, "<title>Ball &amp; block</title>"));
    assert_null(strstr(bytes, "@view@"));
    assert_non_null(strstr(bytes, "@media (max-width"));
    assert_null(strstr(bytes, "http://"));
    assert_null(strstr(bytes, "https://"));
    assert_non_null(strstr(bytes, "</html>"));
    readFile("a.png", bytes, 20);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal((unsigned char)bytes[18] << 8 | (unsigned char)bytes[19], 2 * 204 - 4); // two moments
    if (ffmpeg) {
        readFile("a.mp4", bytes, 12);
        assert_memory_equal(bytes + 4, "ftyp", 4);
    }
}

// ---- recordings -----------------------------------------------------------------------------------------------------

// Where the recording begins in the file.
static size_t recordingStart(const char* bytes)
{
    uint64_t length;
    memcpy(&length, bytes + 8, 8);
    return 16 + (size_t)length;
}

static void aRecordingReplaysToTheBit(void** state)
{
    (void)state;
    uint64_t hash = hashOfRun("run @/scene.json --json --seed 5 --set bodies.ball.at=[0.02,0.3,0] --record @/a.rec");
    assert_true(hashOfRun("run @/scene.json --json --seed 5 --set bodies.ball.at=[0.02,0.3,0]") == hash);
    json_t* json = expectJson("run --replay @/a.rec --json --threads 2 -o @/again.glb --csv @/again.csv");
    assert_true(strtoull(json_string_value(json_object_get(json, "hash")), NULL, 16) == hash);
    assert_int_equal(integerAt(json, "steps", NULL), 25);
    assert_int_equal(integerAt(json, "replay", "hashes"), 25);
    assert_int_equal(integerAt(json, "replay", "first_difference"), 0);
    json_decref(json);
    checkGlb("again.glb", 1);
    expect("run --replay @/a.rec", 0, "the same as recorded: 25 hashes compared");
    expect("run --replay @/a.rec --steps 10", 0, "the same as recorded: 10 hashes compared");
}

static void aReplaySaysWhereItFirstDiffers(void** state)
{
    (void)state;
    static char bytes[4000000];
    hashOfRun("run @/scene.json --json --record @/b.rec");
    size_t size = readFile("b.rec", bytes, sizeof bytes), start = recordingStart(bytes);
    assert_true(size < sizeof bytes && size > start + 400);
    // The recording ends with steps and their hashes. One is changed and the sum made right again: the replay must find
    // the very step. Which byte belongs to which step is found by trying.
    int found = 0;
    for (size_t k = 1; k < 60 && found < 2; k += 4) {
        static char changed[4000000];
        memcpy(changed, bytes, size);
        changed[size - k] = (char)(changed[size - k] ^ 0x10);
        uint64_t sum = hashOf((const uint8_t*)changed + start + 32, size - start - 32, 0);
        memcpy(changed + start + 24, &sum, 8);
        writeFile("c.rec", changed, size);
        int code = run("run --replay @/c.rec");
        const char* says = strstr(last.output, "differs from what was recorded, for the first time after step ");
        if (says == NULL)
            continue; // not a hash
        assert_int_equal(code, 1);
        int step = atoi(strrchr(says, ' '));
        assert_true(step == 25 || step == 24);
        ++found;
    }
    assert_int_equal(found, 2);
}

static void recordingsThatAreNoneAreRefused(void** state)
{
    (void)state;
    static char bytes[4000000];
    hashOfRun("run @/scene.json --json --record @/d.rec");
    size_t size = readFile("d.rec", bytes, sizeof bytes), start = recordingStart(bytes);
    expect("run --replay @/nothing.rec", 1, "nothing.rec");
    expect("run --replay @/scene.json", 1, "not a recording; sherd run SCENE --record FILE makes one");
    const size_t cuts[] = {0, 5, 15, 40, start - 1, start + 10, start + 500, size - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; ++i) {
        writeFile("e.rec", bytes, cuts[i]);
        expect("run --replay @/e.rec", 1, "e.rec");
    }
    for (size_t i = 20; i < size; i += size / 12) {
        bytes[i] = (char)(bytes[i] ^ 4);
        writeFile("e.rec", bytes, size);
        bytes[i] = (char)(bytes[i] ^ 4);
        int code = run("run --replay @/e.rec --steps 3");
        if (code != 1 && i >= start)
            fail_msg("byte %zu was changed, exit code %d", i, code);
    }
    expect("run plates --replay @/d.rec", 2, "a recording holds its scene");
    expect("run --replay @/d.rec --seed 2", 2, "cannot be changed");
    expect("run --replay @/d.rec --record @/f.rec", 2, "cannot be changed");
}

// ---- a terminal and Ctrl-C ------------------------------------------------------------------------------------------

static double wallSeconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Starts the program with its stderr on a terminal of its own, whose other end is returned; −1: the system has none to
// give, and stderr goes to a file.
static int startOnTerminal(const char* words, pid_t* child)
{
    char text[4096] = "", name[400];
    const char* arguments[MOST_WORDS];
    split(words, text, arguments);
    int ours = posix_openpt(O_RDWR | O_NOCTTY);
    snprintf(name, sizeof name, "%s", pathOf("stderr"));
    if (ours >= 0 && grantpt(ours) == 0 && unlockpt(ours) == 0)
        snprintf(name, sizeof name, "%s", ptsname(ours));
    else
        ours = -1;
    fflush(NULL);
    *child = fork();
    assert_true(*child >= 0);
    if (*child == 0) {
        setpgid(0, 0); // as a shell does
        int theirs = open(name, O_RDWR | O_CREAT | O_NOCTTY, 0600);
        int file = open(pathOf("stdout"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(file, STDOUT_FILENO);
        dup2(theirs, STDERR_FILENO);
        execv(arguments[0], (char* const*)(uintptr_t)arguments);
        _exit(127);
    }
    return ours;
}

static bool waitForFile(const char* name)
{
    double end = wallSeconds() + 60.0;
    for (struct stat file; wallSeconds() < end; nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL))
        if (stat(pathOf(name), &file) == 0 && file.st_size > 0)
            return true;
    return false;
}

// Reads until the word comes, or the program ends.
static bool waitFor(int terminal, const char* word, char* text, size_t most)
{
    size_t size = 0;
    double end = wallSeconds() + 60.0;
    while (wallSeconds() < end && size + 1 < most) {
        struct pollfd wait = {.fd = terminal, .events = POLLIN};
        ssize_t got = poll(&wait, 1, 200) > 0 ? read(terminal, text + size, most - 1 - size) : 0;
        if (got < 0)
            return false;
        size += (size_t)got;
        text[size] = '\0';
        if (strstr(text, word) != NULL)
            return true;
    }
    return false;
}

static void ctrlCLeavesValidOutputs(void** state)
{
    (void)state;
    char text[20000] = "";
    pid_t child;
    int terminal = startOnTerminal("run @/scene.json --steps 10000000 --json -o @/cut.glb -o @/cut.html "
                                   "--threads 1 --record @/cut.rec --csv @/cut.csv",
                                   &child);
    if (terminal >= 0) { // the bar: name, steps, speed, bodies
        assert_true(waitFor(terminal, " bodies", text, sizeof text));
        assert_non_null(strstr(text, "scene ["));
        assert_non_null(strstr(text, " of 10000000, "));
        assert_non_null(strstr(text, " steps/s, "));
    }
    assert_true(waitForFile("cut.csv"));
    assert_int_equal(kill(child, SIGINT), 0);
    while (terminal >= 0 && waitFor(terminal, "\x07", text, sizeof text)) // drains it until the program has ended
        continue;
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    close(terminal);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), 128 + SIGINT);
    out[readFile("stdout", out, sizeof out - 1)] = '\0';
    json_t* json = parse(out, "interrupted run");
    assert_true(json_is_true(json_object_get(json, "interrupted")));
    json_int_t steps = integerAt(json, "steps", NULL);
    assert_true(steps > 0 && steps < 10000000);
    char hash[32];
    snprintf(hash, sizeof hash, "%s", json_string_value(json_object_get(json, "hash")));
    json_decref(json);

    checkGlb("cut.glb", 1);
    static char bytes[4000000];
    size_t size = readFile("cut.html", bytes, sizeof bytes - 1);
    bytes[size] = '\0';
    assert_non_null(strstr(bytes, "</html>"));
    json_int_t lines = 0;
    FILE* csv = fopen(pathOf("cut.csv"), "r");
    assert_non_null(csv);
    for (int c = fgetc(csv); c != EOF; c = fgetc(csv))
        lines += c == '\n';
    fclose(csv);
    assert_int_equal(lines, steps + 1);
    json = expectJson("run --replay @/cut.rec --json");
    assert_int_equal(integerAt(json, "steps", NULL), steps);
    assert_string_equal(json_string_value(json_object_get(json, "hash")), hash);
    json_decref(json);
}

// On a terminal it reaches all that runs there, also what writes the clip.
static void ctrlCWhileAClipIsWrittenLeavesAClip(void** state)
{
    (void)state;
    if (!hasFfmpeg())
        skip();
    char text[20000] = "";
    struct stat file;
    pid_t child;
    int terminal = startOnTerminal("run @/scene.json --threads 1 --size 320x240 -o @/late.mp4", &child);
    double end = wallSeconds() + 60.0;
    while (stat(pathOf("late.mp4.part"), &file) != 0 && wallSeconds() < end)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    kill(-child, SIGINT);
    while (terminal >= 0 && waitFor(terminal, "\x07", text, sizeof text))
        continue;
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    close(terminal);
    assert_true(WIFEXITED(how));
    if (WEXITSTATUS(how) != 128 + SIGINT && WEXITSTATUS(how) != 0) // it may have been too late
        fail_msg("exit code %d: %s", WEXITSTATUS(how), text);
    assert_int_equal(stat(pathOf("late.mp4"), &file), 0);
    assert_true(file.st_size > 1000);
}

// ---- what is wrong --------------------------------------------------------------------------------------------------

static void messagesSayWhatToDo(void** state)
{
    (void)state;
    expect("run", 2, "name a scene (sherd list scenes) or a scene file (sherd new writes one)");
    expect("run plats", 1, "did you mean plates?");
    expect("run nothing-like-it-at-all.json", 1, "sherd list scenes");
    expect("run plates -o x.gif", 2, "only .glb, .html, .mp4 and .png can be written");
    expect("run plates --steps 0", 2, "--steps");
    expect("run plates --dt 2", 2, "--dt");
    expect("run @/scene.json --set bodies.bell.at=[0,0,0]", 1, "bell");
    expect("run @/scene.json --set bodies.ball.speed=3", 1, "speed");
    expect("run @/scene.json --set nothing", 1, "nothing");
    expect("run @/scene.json --csv @/no/such.csv", 1, "such.csv: No such file or directory");
    expect("run @/scene.json --poses @/no/such.csv", 1, "such.csv: No such file or directory");
    expect("run @/scene.json --steps 2 -o @/no/such.glb", 1, "such.glb");
    expect("run @/scene.json --steps 2 --record @/no/such.rec", 1, "such.rec");
    char path[4096];
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    setenv("PATH", "/nowhere:/neither", 1);
    expect("run @/scene.json --steps 2 -o @/clip.mp4", 1, "clips need ffmpeg (apt-get install ffmpeg)");
    setenv("PATH", path, 1);
    expect("run @/scene.json --moments 0,x", 2, "seconds separated by commas, as in 0,1.5,3");
    expect("run @/scene.json --size 640", 2, "two whole numbers from 16 to");
    expect("run --help", 0, "--replay FILE");
}

static void newScenesAreValidAndRun(void** state)
{
    (void)state;
    expect("new", 2, "name the file to write");
    expect("new @/mine.json", 0, "run it: sherd run");
    expect("new @/mine.json", 2, "--force overwrites it");
    expect("new @/mine.json --force", 0, "mine.json");
    expect("validate @/mine.json @/scene.json", 0, "mine.json: valid");
    expect("run @/mine.json --steps 2", 0, "2 steps");
    expect("validate @/mine.json plats", 1, "did you mean plates?");
    static const char wrong[] = "{\"bodies\": [\n{\"asset\": \"vase\"}]}";
    writeFile("wrong.json", wrong, sizeof wrong - 1);
    expect("validate @/wrong.json", 1, "wrong.json:2: bodies[0].asset");
    static const char lost[] = "{\"assets\": {\n\"a\": {\"file\": \"lost.obj\"}}, \"bodies\": [{\"asset\": \"a\"}]}";
    writeFile("lost.json", lost, sizeof lost - 1);
    expect("validate @/lost.json", 1, "lost.json:2: assets.a: ");
    expect("run @/lost.json", 1, "lost.json:2: assets.a: ");
    expect("run @/lost.json --set assets.a.else=brick --steps 2", 0, "lost.obj is not there: brick stands in");
    expect("validate @", 1, "not a regular file");
    expect("new @/other", 0, "other.html");
    expect("list scenes", 0, "Glondu, Fig. 1");
    json_t* json = expectJson("list scenes --json");
    assert_true(json_array_size(json) >= 22);
    json_decref(json);
}

static int setUp(void** state)
{
    (void)state;
    if (getenv("SHERD_PROGRAM") == NULL || !makeFolder(folder, sizeof folder))
        return -1;
    writeFile("scene.json", scene, sizeof scene - 1);
    return 0;
}

static int tearDown(void** state)
{
    (void)state;
    removeFolder(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theTablesAndTheJsonSayTheSame),
        cmocka_unit_test(optionsChangeTheScene),
        cmocka_unit_test(everyOutputIsThere),
        cmocka_unit_test(aRecordingReplaysToTheBit),
        cmocka_unit_test(aReplaySaysWhereItFirstDiffers),
        cmocka_unit_test(recordingsThatAreNoneAreRefused),
        cmocka_unit_test(ctrlCLeavesValidOutputs),
        cmocka_unit_test(ctrlCWhileAClipIsWrittenLeavesAClip),
        cmocka_unit_test(messagesSayWhatToDo),
        cmocka_unit_test(newScenesAreValidAndRun),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}
