// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "bench/machine.h"

#include "cli/command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

typedef struct Machine {
    char cpu[96];
    int cores;
    double gigabytes;
    char system[160];
    double load; // mean of the last minute; NaN: unknown
} Machine;

static void readCpu(char* text, size_t size)
{
    snprintf(text, size, "unknown");
    FILE* file = fopen("/proc/cpuinfo", "r");
    if (file == NULL)
        return;
    char line[256];
    while (fgets(line, sizeof(line), file) != NULL) {
        char* value = strstr(line, ": ");
        if (strncmp(line, "model name", 10) == 0 && value != NULL) {
            value[strcspn(value, "\n")] = '\0';
            snprintf(text, size, "%s", value + 2);
            break;
        }
    }
    fclose(file);
}

double machineLoad(void)
{
    char text[64] = "";
    FILE* file = fopen("/proc/loadavg", "r");
    if (file == NULL)
        return (double)NAN;
    bool ok = fgets(text, sizeof(text), file) != NULL;
    fclose(file);
    return ok ? strtod(text, NULL) : (double)NAN;
}

static Machine readMachine(void)
{
    Machine machine = {.cores = coreCount(), .load = machineLoad()};
    readCpu(machine.cpu, sizeof(machine.cpu));
    machine.gigabytes = 1e-9 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    struct utsname name;
    if (uname(&name) >= 0)
        snprintf(machine.system, sizeof(machine.system), "%.60s %.60s", name.sysname, name.release);
    return machine;
}

json_t* machineJson(void)
{
    Machine m = readMachine();
    return json_pack("{s:s,s:i,s:f,s:s,s:s,s:s,s:o}", "cpu", m.cpu, "cores", m.cores, "memory_gb", m.gigabytes,
                     "system", m.system, "compiler", COMPILER, "version", shVersionText(), "load",
                     isfinite(m.load) ? json_real(m.load) : json_null());
}

void machineText(char* text, size_t size)
{
    Machine m = readMachine();
    snprintf(text, size, "%s, %d cores, %.0f GB, %s, %s, load %.2f", m.cpu, m.cores, m.gigabytes, m.system, COMPILER,
             m.load);
}
