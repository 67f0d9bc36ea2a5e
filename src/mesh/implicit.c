// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

#include "mesh/implicit.h"

shStatus implicitMesh(const ImplicitShape* shape, double detail, const shContext* context, Memory* memory, TetMesh* out,
                      LatticeReport* report, shMessage* message)
{
    LatticeDef def = {
        .context = context,
        .distance = shape->distance,
        .lower = shape->lower,
        .upper = shape->upper,
        .cell = shape->cell / maxD(detail, shape->coarsest),
        .tolerance = shape->tolerance,
    };
    return latticeMesh(out, memory, &def, report, message);
}

shStatus generatePiggyBank(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message)
{
    return implicitMesh(&implicitPiggyBank, (double)def->detail, NULL, memory, out, NULL, message);
}

shStatus generatePumpkin(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message)
{
    return implicitMesh(&implicitPumpkin, (double)def->detail, NULL, memory, out, NULL, message);
}

shStatus generateApple(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message)
{
    return implicitMesh(&implicitApple, (double)def->detail, NULL, memory, out, NULL, message);
}

shStatus generateRabbit(const GenerateDef* def, Memory* memory, TetMesh* out, shMessage* message)
{
    return implicitMesh(&implicitRabbit, (double)def->detail, NULL, memory, out, NULL, message);
}
