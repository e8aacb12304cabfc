/* The rows of tanh (hyperbolic_lanes.inc), each a column of 16 beside the others; made by hyperbolic.sollya. */
#ifndef DETMATH_HYPERBOLIC_TABLE_H
#define DETMATH_HYPERBOLIC_TABLE_H

#include "core.h"

/* First the middles, then what stands before the polynomial, then the coefficients from the last to the first. Column 9
 * is that of |x| below 1/8. */
DETMATH_CONSTANT float detmath_tanh_rows[128] = {
    /* middles */
    0x1.9fffbp0f, 0x1.0fffa6p1f, 0x1.4fff78p1f, 0x1.90032cp1f, 0x1.f0001cp1f, 0x1.37ffb6p2f,
    0x1.77f754p2f, 0x1.b7d858p2f, 0x1.0a2b24p3f, 0.0f, 0x1.8p-3f, 0x1.4p-2f, 0x1p-1f,
    0x1.7fff76p-1f, 0x1.ffffd2p-1f, 0x1.400036p0f,
    /* numbers */
    0x1.d9c6e4p-1f, 0x1.f1993ap-1f, 0x1.faa788p-1f, 0x1.fe0704p-1f, 0x1.ff8f22p-1f, 0x1.fff0b8p-1f,
    0x1.fffdeep-1f, 0x1.ffffb8p-1f, 0x1.fffffcp-1f, 0.0f, -0x1.1c01cp-9f, -0x1.40cebep-7f,
    -0x1.365614p-5f, 0x1.4531ecp-1f, 0x1.85ef98p-1f, 0x1.b2525ap-1f,
    /* r^5 */
    0x1.1516f8p-8f, -0x1.175c42p-11f, -0x1.4f7abap-11f, -0x1.31a2b2p-12f, -0x1.43d20ap-14f,
    -0x1.67c494p-17f, -0x1.87a51ap-20f, -0x1.a85082p-23f, -0x1.7d250ap-27f, -0x1.26d5cep-6f,
    -0x1.58c1bap-5f, -0x1.595b38p-4f, -0x1.a72444p-5f, -0x1.d01e4p-10f, 0x1.32949ap-6f,
    0x1.e9aa18p-7f,
    /* r^4 */
    0x1.2f92d6p-10f, 0x1.23f22ep-8f, 0x1.34ddd4p-9f, 0x1.fe10fep-11f, 0x1.ee55fcp-13f,
    0x1.0f29c2p-15f, 0x1.269334p-18f, 0x1.403164p-21f, 0x1.3f6f18p-25f, 0x1.157cc2p-3f,
    0x1.8ba48cp-4f, 0x1.772deep-5f, -0x1.b0bc92p-6f, -0x1.04bdcep-4f, -0x1.7ab10cp-5f,
    -0x1.3d1322p-6f,
    /* r^3 */
    -0x1.9d42fcp-6f, -0x1.eadb52p-7f, -0x1.a507b8p-8f, -0x1.472888p-9f, -0x1.2ac968p-11f,
    -0x1.45714ep-14f, -0x1.60f5aep-17f, -0x1.7fb0b2p-20f, -0x1.56775p-24f, -0x1.c5f9cp-14f,
    0x1.cf094ap-4f, 0x1.43fdeap-3f, 0x1.5155f4p-3f, 0x1.98a49ep-4f, 0x1.c6149ep-6f, -0x1.9c4bf8p-7f,
    /* r^2 */
    0x1.33e938p-4f, 0x1.15b7d8p-5f, 0x1.b7a136p-7f, 0x1.4c1fe4p-8f, 0x1.2bc616p-10f, 0x1.4588dp-13f,
    0x1.60effap-16f, 0x1.7f96fcp-19f, 0x1.4fa9bp-23f, -0x1.5554d8p-2f, -0x1.27a4fap-2f,
    -0x1.c1a586p-3f, -0x1.81e0ap-4f, 0x1.567d3cp-5f, 0x1.a85c2p-4f, 0x1.bba5a2p-4f,
    /* r */
    -0x1.1064f4p-3f, -0x1.b995bep-5f, -0x1.50c73ap-6f, -0x1.f6112ep-8f, -0x1.c2e48cp-10f,
    -0x1.e8eb9p-13f, -0x1.08ffaep-15f, -0x1.2000eap-18f, -0x1.ffb88ep-23f, 0.0f, -0x1.6e864ap-3f,
    -0x1.19922ap-2f, -0x1.742756p-2f, -0x1.8403fap-2f, -0x1.4786ep-2f, -0x1.e7289p-3f,
    /* 1 */
    0x1.265ed4p-3f, 0x1.c65d84p-5f, 0x1.5454ccp-6f, 0x1.f802f6p-8f, 0x1.c3489cp-10f,
    0x1.e8fb2cp-13f, 0x1.0901p-15f, 0x1.200192p-18f, 0x1.005702p-22f, 0.0f, -0x1.1961cep-5f,
    -0x1.77545ap-4f, -0x1.b55ae2p-3f, 0x1.31741ap-1f, 0x1.ae0dfcp-2f, 0x1.1f24acp-2f};

#endif
