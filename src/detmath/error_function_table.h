/* The rows of erf and erfc (error_function_lanes.inc), each a column of 8 beside the others; made by
 * error_function.sollya. */
#ifndef DETMATH_ERROR_FUNCTION_TABLE_H
#define DETMATH_ERROR_FUNCTION_TABLE_H

#include "core.h"

/* First the middles, then what stands before the polynomial, then the coefficients from the last to the first. Column 4
 * is that of |x| below 1/4. */
DETMATH_CONSTANT float detmath_erf_rows[80] = {
    /* middles */
    0x1.fa5p0f, 0x1.8cd8p1f, 0x1.23ap2f, 0x1.ap2f, 0.0f, 0x1.8p-2f, 0x1.7fap-1f, 0x1.424p0f,
    /* numbers */
    0x1.fd5bf4p-1f, 0x1.fffe7ap-1f, 0x1p0f, 0x1p0f, 0.0f, 0x1.dd0d2cp-6f, 0x1.6bded6p-1f,
    0x1.d993dcp-1f,
    /* r^7 */
    0x1.769304p-10f, -0x1.04c7d6p-13f, -0x1.96f77p-22f, -0x1.1587b8p-46f, 0x1.6dde9ep-6f,
    0x1.896aaap-2f, 0x1.8ff17p-11f, -0x1.de8a62p-8f,
    /* r^6 */
    -0x1.dd2968p-9f, 0x1.367f24p-12f, 0x1.47b37cp-22f, 0x1.ae0514p-47f, -0x1.7175b6p-5f,
    0x1.e6d49ep-10f, 0x1.1df602p-6f, 0x1.949a1ap-9f,
    /* r^5 */
    0x1.10c3c8p-10f, -0x1.04b1dep-11f, 0x1.528e6ap-22f, 0x1.5ce098p-46f, 0x1.aa6ep-8f,
    -0x1.fdf3b4p-5f, -0x1.b6ca5ep-6f, 0x1.63b64cp-6f,
    /* r^4 */
    0x1.a99314p-7f, 0x1.530f96p-11f, -0x1.0a34c8p-23f, -0x1.a63e54p-47f, 0x1.c938ep-4f,
    0x1.7311a2p-5f, -0x1.b29312p-5f, -0x1.7913e8p-5f,
    /* r^3 */
    -0x1.26116ep-5f, -0x1.4c09aep-11f, -0x1.b6159ap-23f, -0x1.3dd43ep-47f, 0x1.ffa8fep-14f,
    0x1.556da2p-3f, 0x1.34fe1cp-3f, -0x1.0d30d8p-7f,
    /* r^2 */
    0x1.a4a62p-5f, 0x1.e0f608p-12f, 0x1.0ad87ap-24f, 0x1.078714p-48f, -0x1.8128fp-2f,
    -0x1.e10626p-3f, 0x1.afa202p-6f, 0x1.56982p-3f,
    /* r */
    -0x1.6dc8d2p-5f, -0x1.eae2fep-13f, 0x1.27b23ap-26f, 0x1.54b344p-50f, 0x1.38a716p-23f,
    -0x1.7874bcp-2f, -0x1.edd4aep-2f, -0x1.2a3a0cp-2f,
    /* 1 */
    0x1.71e4d6p-6f, 0x1.3caed2p-14f, -0x1.070dbcp-29f, -0x1.28ac6ap-52f, 0x1.06eba8p-3f,
    -0x1.41e64cp-6f, 0x1.498adap-1f, 0x1.d9d4dp-3f};

/* The same of e^(y^2) erfc(y). Column 6 is that of y below 1/2. */
DETMATH_CONSTANT float detmath_erfc_rows[80] = {
    /* middles */
    0x1.794p0f, 0x1.3ecp1f, 0x1.0088p2f, 0x1.7f6p2f, 0x1.1e1p3f, 0x1.a0b8p3f, 0x1.ff4p-3f,
    0x1.8b8p-1f,
    /* numbers */
    0x1.4dc6bp-2f, 0x1.b13928p-3f, 0x1.180682p-3f, 0x1.7c9dbep-4f, 0x1.00eb8ap-4f, 0x1.61e03p-5f,
    0x1.8a8e8cp-1f, 0x1.fec234p-2f,
    /* r^7 */
    0x1.f34696p-13f, 0x1.1a50f6p-16f, 0x1.ad51a6p-21f, 0x1.248fap-25f, 0x1.5bd9dp-30f,
    0x1.94a18p-35f, 0x1.cff7bep-7f, -0x1.60208cp-11f,
    /* r^6 */
    -0x1.8ac206p-11f, -0x1.04f83ep-14f, -0x1.fcc352p-19f, -0x1.e747acp-23f, -0x1.a8b4f6p-27f,
    -0x1.662c18p-31f, -0x1.1edafep-5f, -0x1.a324d8p-8f,
    /* r^5 */
    0x1.0867aep-9f, 0x1.c2ddfp-13f, 0x1.16840ep-16f, 0x1.80ca04p-20f, 0x1.c14464p-24f,
    0x1.1a037ep-27f, 0x1.1e1298p-4f, 0x1.c05122p-7f,
    /* r^4 */
    -0x1.64fae6p-8f, -0x1.8702b6p-11f, -0x1.4aa63ap-14f, -0x1.39b31ap-17f, -0x1.04c118p-20f,
    -0x1.d315d8p-24f, -0x1.148746p-3f, -0x1.eb044p-6f,
    /* r^3 */
    0x1.cd373p-7f, 0x1.481898p-9f, 0x1.80edb4p-12f, 0x1.fa1db4p-15f, 0x1.2ef8e8p-17f,
    0x1.83338ap-20f, 0x1.f12b16p-3f, 0x1.034ad6p-4f,
    /* r^2 */
    -0x1.19a15cp-5f, -0x1.09606p-7f, -0x1.b584cap-10f, -0x1.937cfp-12f, -0x1.5ccb8ep-14f,
    -0x1.3fb918p-16f, -0x1.97f758p-2f, -0x1.fbe1e8p-4f,
    /* r */
    0x1.42d11ep-4f, 0x1.9c72b8p-6f, 0x1.e68544p-8f, 0x1.3df082p-9f, 0x1.8f3462p-11f,
    0x1.073f1ap-12f, 0x1.2b82d8p-1f, 0x1.c77deap-3f,
    /* 1 */
    -0x1.57777cp-3f, -0x1.3287fcp-4f, -0x1.0845fp-5f, -0x1.ef0be8p-7f, -0x1.c6421ap-8f,
    -0x1.b042e4p-9f, -0x1.7cbd9ep-1f, -0x1.6e60ccp-2f};

#endif
