// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// What a scene file says, read and checked (docs/scenes.md). Everything lives in the script's arena.
#pragma once

#include "io/file.h"
#include "play/reader.h"
#include "sherd/world.h"

// One of model, file and box.
typedef struct ScriptAsset ScriptAsset;
struct ScriptAsset {
    const JsonValue* place;
    const char* name;
    const char *model, *file;
    const ScriptAsset* standIn; // a model to take when the file is not there; or null
    float detail;               // of models
    float scale;                // of models and meshes: times so much, then
    shVec3 shift;               // m, moved so far against the rest frame
    int triangles;              // of meshes: decimated to; 0: as they are
    shVec3 box;                 // m, full sizes
    float cell;                 // of a box, m
    const char* material;       // preset; null: the model's own
};

// Copies along a line or around a vertical axis. Levels are nested, the first is the innermost.
typedef struct ScriptRepeat {
    int count;
    shVec3 step;   // from one to the next, m
    float turn;    // about a vertical axis through `around`, degrees
    shVec3 around; // m
    shVec3 odd;    // added to every second, m
    float oddTurn; // degrees
} ScriptRepeat;

enum { SCRIPT_LEVELS = 4 };

// An open sheet of rolling ground.
typedef struct ScriptTerrain {
    float size, height; // m: along a side; from the lowest to the highest place, about
    int cells;          // along a side
    float wave;         // m from hill to hill
    int seed;
} ScriptTerrain;

typedef struct ScriptBody {
    const JsonValue* place;
    const char* name; // or null
    double time;      // s, when it comes
    int asset;        // −1: none
    bool hasShape, hasTerrain, hasFracture;
    shShape shape;
    ScriptTerrain terrain;
    shBodyDef def; // its pointers are set when it comes
    shFractureDef fracture;
    bool hasSeed;
    int anchorCount;
    shAnchor* anchors;
    int levelCount;
    ScriptRepeat levels[SCRIPT_LEVELS]; // as repeat and grid say
    int count;                          // of all copies
    float jitter, tumble;               // random shift, m, and turn, degrees, of each copy
    int first;                          // of its copies among all copies of the scene
} ScriptBody;

typedef enum ScriptVerb {
    verbVelocity, // set
    verbImpulse,
    verbDrag, // along a path, then let go
    verbExplode,
    verbBreak,
    verbGravity,
    verbRemove,
    verbCount
} ScriptVerb;

typedef struct ScriptPoint {
    float time; // s, of the scene
    shVec3 at;
} ScriptPoint;

typedef struct ScriptAction {
    const JsonValue* place;
    double time; // s
    ScriptVerb verb;
    int first, count;      // copies it acts on
    shVec3 vector, second; // velocity and spin; impulse; gravity; direction of a blow
    shVec3 point;          // m, world
    bool hasPoint;
    shExplosion explosion;
    shPattern pattern;
    shImpact impact;
    shDrag drag;
    int pathCount;
    ScriptPoint* path;
} ScriptAction;

typedef struct Script {
    shContext* context;
    Arena arena;
    Reader reader;
    const char *name, *title, *about, *paper; // name: the file's, without folder and ending
    char folder[256];                         // of the file, with a slash; files in it are looked for there
    double dt;                                // s
    int steps;
    uint64_t seed;
    double framesPerSecond;   // of films
    float azimuth, elevation; // degrees, where the camera stands
    bool hasLook;
    shBox look; // what it sees; else everything that is ever drawn
    shWorldDef world;
    int assetCount, bodyCount, actionCount, copyCount;
    ScriptAsset* assets;
    ScriptBody* bodies;
    ScriptAction* actions; // by time
} Script;

// What to put in the place of what the file says; all may be zero.
typedef struct ScriptChanges {
    const char* const* sets; // as jsonSet
    int setCount;
    double dt;
    int steps;
    bool hasSeed;
    uint64_t seed;
} ScriptChanges;

// `path` is what messages call it. After a failure the script is empty.
shStatus scriptRead(Script* script, shContext* context, const char* path, const char* text, size_t size,
                    const ScriptChanges* changes, shMessage* message);
// The file's text, if it is not too long for a scene.
shStatus scriptOpen(FileBlock* file, shContext* context, const char* path, shMessage* message);
shStatus scriptLoad(Script* script, shContext* context, const char* path, const ScriptChanges* changes,
                    shMessage* message);
void scriptFree(Script* script);

// Parts of it, in files of their own.
void scriptReadBodies(Script* script);
void scriptReadActions(Script* script);
void scriptReadPattern(Reader* reader, const JsonValue* object, shPattern* pattern, bool* hasSeed);
#define SCRIPT_PATTERN_KEYS "pattern", "pieces", "seed", "rough", "grain", "aspect", "brick"

// The scenes that come with the program, by name.
typedef struct BuiltIn {
    const char* name;
    const unsigned char* text;
    size_t size;
} BuiltIn;
extern const BuiltIn builtInScenes[]; // ends with a null name, sorted
const BuiltIn* builtInFind(const char* name);
