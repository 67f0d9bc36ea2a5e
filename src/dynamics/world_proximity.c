// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "core/message.h"
#include "dynamics/world.h"
#include "sherd/world_query.h"
#include "solid/solid.h"

shStatus shBody_GetInnerBody(const shWorld* world, shBodyId body, shInnerSpheres* const* pieces, int pieceCount,
                             shInnerBody* inner, shMessage* message)
{
    if (world == NULL || inner == NULL)
        return fail(message, shInvalid, "inner body: world and result must not be null");
    int piece = 0;
    const shSolid* solid = shBody_GetSolid(world, body, &piece);
    if (solid == NULL)
        return fail(message, shInvalid, "inner body: the body is gone, or is not of a solid");
    const shInnerSpheres* spheres = shAsset_GetInnerSpheres(solid->asset);
    if (spheres == NULL)
        return fail(message, shInvalid, "inner body: the asset was cooked without inner spheres");
    if (solid->field.labels != NULL) {
        if (pieces == NULL || pieceCount != shSolid_GetPieceCount(solid))
            return fail(message, shInvalid,
                        "inner body: the solid has broken into %d pieces, and the spheres are of %d: make them again "
                        "with shCreatePieceSpheres",
                        shSolid_GetPieceCount(solid), pieces != NULL ? pieceCount : 0);
        spheres = pieces[piece];
        if (spheres == NULL)
            return fail(message, shInvalid, "inner body: no sphere fits into piece %d", piece);
    }
    *inner = (shInnerBody){spheres, shBody_GetTransform(world, body)};
    return shOk;
}
