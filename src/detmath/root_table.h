/* The rows of cbrt (root_lanes.inc), made by root.sollya: 1/c, the cube root of c in fp32, and what that lacks as
 * a share of it. Four are of an octave, from 1/8 on. */
#ifndef DETMATH_ROOT_TABLE_H
#define DETMATH_ROOT_TABLE_H

#include "core.h"

DETMATH_CONSTANT float detmath_cbrt_row_inverses[16] = {
    0x1.c71c72p2f,  0x1.745d18p2f,  0x1.3b13b2p2f,  0x1.111112p2f, 0x1.c71c72p1f, 0x1.745d18p1f,
    0x1.3b13b2p1f,  0x1.111112p1f,  0x1.c71c72p0f,  0x1.745d18p0f, 0x1.3b13b2p0f, 0x1.111112p0f,
    0x1.c71c72p-1f, 0x1.745d18p-1f, 0x1.3b13b2p-1f, 0x1.111112p-1f};
DETMATH_CONSTANT float detmath_cbrt_row_heads[16] = {
    0x1.0a403p-1f,  0x1.1cab6p-1f,  0x1.2cf888p-1f, 0x1.3bacd6p-1f, 0x1.4f7474p-1f, 0x1.66a93ap-1f,
    0x1.7b3312p-1f, 0x1.8db9ccp-1f, 0x1.a6a58ep-1f, 0x1.c3e274p-1f, 0x1.ddc2ecp-1f, 0x1.f51a62p-1f,
    0x1.0a403p0f,   0x1.1cab6p0f,   0x1.2cf888p0f,  0x1.3bacd6p0f};
DETMATH_CONSTANT float detmath_cbrt_row_lows[16] = {
    -0x1.e1ad3ap-27f, 0x1.c9cad8p-25f,  0x1.3cad4p-25f,   -0x1.34a95cp-30f,
    0x1.0aef76p-27f,  -0x1.f6e52ep-26f, -0x1.ed38f4p-29f, -0x1.482e3cp-25f,
    -0x1.c6d24ep-26f, -0x1.a6b716p-33f, 0x1.340402p-26f,  -0x1.238698p-26f,
    -0x1.e1ad3ap-27f, 0x1.c9cad8p-25f,  0x1.3cad4p-25f,   -0x1.34a95cp-30f};

#endif
