// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// Recordings: header, the snapshot of the start, calls up to the mark of the end.
#include "core/message.h"
#include "dynamics/input_log.h"
#include "sherd/record.h"

#include <string.h>

#define RECORD_COOKIE 0x53485243u // "SHRC"

static const StreamKind recordingKind = {{'S', 'H', 'R', 'E', 'C', 'O', 'R', 0x1a}, 2, "a recording"};

shRecordDef shDefaultRecordDef(void) { return (shRecordDef){.hashEvery = 50, .cookie = RECORD_COOKIE}; }

bool shWorld_IsRecording(const shWorld* world) { return world != NULL && world->log != NULL; }

shStatus shWorld_StartRecording(shWorld* world, const shRecordDef* def, shMessage* message)
{
    shRecordDef usual = shDefaultRecordDef();
    if (def == NULL)
        def = &usual;
    if (world == NULL || def->cookie != RECORD_COOKIE || def->hashEvery < 0)
        return fail(message, shInvalid, "record: give a world and fill the definition with shDefaultRecordDef()");
    if (world->log != NULL)
        return fail(message, shInvalid, "record: the world is being recorded already");
    shSaveDef saveDef = shDefaultSaveDef();
    saveDef.embed = def->embed;
    void* start;
    size_t size;
    shStatus status = shWorld_Save(world, &saveDef, &start, &size, message);
    if (status != shOk)
        return status;
    InputLog* log = NEW_ZEROED(world->memory, InputLog, 1);
    if (log != NULL) {
        *log = (InputLog){.stream = streamWriter(world->memory), .hashEvery = def->hashEvery};
        uint64_t bytes = size;
        streamBegin(&log->stream, recordingKind);
        streamU64(&log->stream, &bytes);
        streamBytes(&log->stream, start, size);
        world->log = log;
        if (!streamOk(&log->stream))
            inputLogDestroy(world);
    }
    shFreeBytes(world->context, start, size);
    return world->log != NULL ? shOk : failMemory(message);
}

shStatus shWorld_StopRecording(shWorld* world, void** bytes, size_t* size, shMessage* message)
{
    if (world == NULL || bytes == NULL || size == NULL || world->log == NULL)
        return fail(message, shInvalid, "record: the world is not being recorded, or there is no place for the bytes");
    *bytes = NULL;
    *size = 0;
    Stream* stream = &world->log->stream;
    WORLD_LOG(world, .type = inputEnd);
    streamSeal(stream);
    uint8_t* block = streamOk(stream) ? memAlloc(world->memory, stream->at) : NULL;
    if (block != NULL) {
        memcpy(block, stream->data, stream->at);
        *bytes = block;
        *size = stream->at;
    }
    inputLogDestroy(world);
    return block != NULL ? shOk : failMemory(message);
}

struct shReplay {
    shContext* context;
    shWorld* world;
    shLoadDef def;
    Stream stream;
    shReplayInfo info;
    bool ended;
};

shStatus shCreateReplay(shContext* context, const void* bytes, size_t size, const shLoadDef* def, shReplay** replay,
                        shMessage* message)
{
    if (context == NULL || bytes == NULL || replay == NULL)
        return fail(message, shInvalid, "replay: context, bytes and replay must not be null");
    *replay = NULL;
    Stream stream = streamReader("recording", bytes, size, message);
    streamOpen(&stream, recordingKind);
    uint64_t startSize = 0;
    streamU64(&stream, &startSize);
    streamCheck(&stream, startSize <= stream.size - stream.at, "the start is cut off");
    if (!streamOk(&stream))
        return stream.status;
    shWorld* world;
    shStatus status = shWorld_Load(context, stream.bytes + stream.at, (size_t)startSize, def, &world, message);
    if (status != shOk)
        return status;
    shReplay* made = NEW_ZEROED(&context->memory, shReplay, 1);
    if (made == NULL) {
        shDestroyWorld(world);
        return failMemory(message);
    }
    stream.at += (size_t)startSize;
    *made = (shReplay){
        .context = context, .world = world, .def = def != NULL ? *def : shDefaultLoadDef(), .stream = stream};
    *replay = made;
    return shOk;
}

void shDestroyReplay(shReplay* replay)
{
    if (replay == NULL)
        return;
    Memory* memory = &replay->context->memory;
    shDestroyWorld(replay->world);
    FREE_ARRAY(memory, replay, 1);
}

shWorld* shReplay_GetWorld(const shReplay* replay) { return replay->world; }

shReplayInfo shReplay_GetInfo(const shReplay* replay) { return replay->info; }

static void noteDifference(shReplay* replay)
{
    if (replay->info.firstBad == 0)
        replay->info.firstBad = replay->info.steps > 0 ? replay->info.steps : 1;
}

shStatus shReplay_Step(shReplay* replay, bool* more, shMessage* message)
{
    if (replay == NULL || more == NULL)
        return fail(message, shInvalid, "replay: replay and result must not be null");
    Stream* stream = &replay->stream;
    stream->message = message;
    *more = false;
    for (bool stepped = false; !replay->ended && streamOk(stream);) {
        size_t before = stream->at;
        Input input = {.type = inputEnd};
        streamInput(stream, replay->world, &replay->def, &input);
        // A hash belongs to the step before it; other calls to the next.
        if (streamOk(stream) && stepped && input.type != inputHash) {
            inputFree(&input, replay->world->memory);
            stream->at = before;
            *more = true;
            break;
        }
        bool same = true;
        if (streamOk(stream)) {
            stream->status = inputApply(&input, replay->world, &same, message);
            if (stream->status == shOk && input.type == inputEnd)
                replay->ended = true;
        }
        stepped |= input.type == inputStep;
        replay->info.steps += input.type == inputStep && streamOk(stream);
        replay->info.hashes += input.type == inputHash && streamOk(stream);
        inputFree(&input, replay->world->memory);
        if (!same)
            noteDifference(replay);
    }
    return stream->status;
}
