// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "field/piece_surface.h"

// Of a hash table that is never more than three quarters full, and of a closed surface less than a quarter.
static int tableSize(int triangles)
{
    int size = 16;
    while (size < 4 * triangles)
        size *= 2;
    return size;
}

bool pieceSurfaceMake(PieceSurface* surface, Memory* memory, int most)
{
    *surface = (PieceSurface){.most = most,
                              .corners = (Vec3(*)[3])NEW_ARRAY(memory, Vec3, 3 * most),
                              .vertices = (int(*)[3])NEW_ARRAY(memory, int, 3 * most),
                              .places = NEW_ARRAY(memory, Vec3, 3 * most),
                              .table = NEW_ARRAY(memory, int, tableSize(most))};
    if (surface->corners != NULL && surface->vertices != NULL && surface->places != NULL && surface->table != NULL)
        return true;
    pieceSurfaceFree(surface, memory);
    return false;
}

void pieceSurfaceFree(PieceSurface* surface, Memory* memory)
{
    FREE_ARRAY(memory, (Vec3*)surface->corners, 3 * surface->most);
    FREE_ARRAY(memory, (int*)surface->vertices, 3 * surface->most);
    FREE_ARRAY(memory, surface->places, 3 * surface->most);
    FREE_ARRAY(memory, surface->table, tableSize(surface->most));
    *surface = (PieceSurface){0};
}

void pieceSurfaceNumber(PieceSurface* surface)
{
    unsigned mask = (unsigned)tableSize(surface->count) - 1u;
    const Vec3* corners = (const Vec3*)surface->corners;
    int *vertices = (int*)surface->vertices, *table = surface->table, found = 0;
    memset(table, -1, sizeof(int) * ((size_t)mask + 1));
    for (int i = 0; i < 3 * surface->count; ++i) {
        Vec3 p = corners[i];
        unsigned at = pieceSurfaceHash(p) & mask;
        for (; table[at] >= 0; at = (at + 1) & mask) {
            Vec3 q = surface->places[table[at]];
            if (p.x == q.x && p.y == q.y && p.z == q.z)
                break;
        }
        if (table[at] < 0) {
            table[at] = found;
            surface->places[found++] = p;
        }
        vertices[i] = table[at];
    }
    surface->vertexCount = found;
}
