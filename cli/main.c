// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// The program: finds the subcommand and hands over.
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

typedef struct Command {
    const char* name;
    const char* summary;
    int (*run)(int count, char* const* arguments);
} Command;

static const Command commands[] = {
    {"run", "perform a scene: times, counters, a film of it", commandRun},
    {"cook", "make an asset from a mesh file or a built-in model", commandCook},
    {"haptic", "forces of a tool at 1 kHz from shared volumes", commandHaptic},
    {"info", "show what an asset holds", commandInfo},
    {"break", "break a solid into pieces", commandBreak},
    {"export", "write an asset's surface as .glb or .obj", commandExport},
    {"list", "list the built-in scenes, models or materials", commandList},
    {"new", "write a scene to start from", commandNew},
    {"validate", "check scene files", commandValidate},
    {"render", "draw .glb files: pictures, contact sheets, clips", commandRender},
    {"bench", "measure, beside the papers' figures", commandBench},
};
enum { commandCount = sizeof(commands) / sizeof(commands[0]) };

static void printHelp(void)
{
    puts("sherd COMMAND [options]: rigid objects that break in real time\n");
    for (int i = 0; i < commandCount; ++i)
        printf("  %-8s %s\n", commands[i].name, commands[i].summary);
    puts("\nsherd COMMAND --help says more; sherd --version prints the version.\n"
         "Exit codes: 0 done, 1 failed, 2 wrong usage.");
}

static int unknownCommand(const char* name)
{
    const char* names[commandCount + 1];
    for (int i = 0; i < commandCount; ++i)
        names[i] = commands[i].name;
    names[commandCount] = NULL;
    const char* nearest = nearestWord(name, names);
    if (nearest != NULL)
        return usageError(NULL, "unknown command '%s'; did you mean %s?", name, nearest);
    return usageError(NULL, "unknown command '%s'", name);
}

int main(int count, char** arguments)
{
    if (count < 2)
        return usageError(NULL, "say what to do");
    const char* name = arguments[1];
    if (strcmp(name, "--version") == 0) {
        printf("sherd %s\n", shVersionText());
        return 0;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        printHelp();
        return 0;
    }
    if (name[0] == '-')
        return usageError(NULL, "unknown option %s", name);
    for (int i = 0; i < commandCount; ++i)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(count - 2, arguments + 2);
    return unknownCommand(name);
}
