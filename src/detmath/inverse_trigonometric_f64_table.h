/* The tangents of the rows that inverse_trigonometric_f64_lanes.inc has, and both parts of their angles, of which the first is a
 * multiple of 2^-49; made by inverse_trigonometric_f64.sollya. */
#ifndef DETMATH_INVERSE_TRIGONOMETRIC_F64_TABLE_H
#define DETMATH_INVERSE_TRIGONOMETRIC_F64_TABLE_H

#include "core.h"

#if !defined(DETMATH_NO_DOUBLE)
DETMATH_CONSTANT double detmath_arc_f64_tangents[16] = {
    0.0,       0x1.08p-4, 0x1.08p-3, 0x1.8cp-3, 0x1.08p-2, 0x1.4ap-2, 0x1.8cp-2, 0x1.cep-2,
    0x1.09p-1, 0x1.2ap-1, 0x1.4bp-1, 0x1.6cp-1, 0x1.8dp-1, 0x1.aep-1, 0x1.cfp-1, 0x1.fp-1};
DETMATH_CONSTANT double detmath_arc_f64_highs[16] = {0.0,
                                                     0x1.07a2a58a0c18p-4,
                                                     0x1.068d584212b4p-3,
                                                     0x1.872c322f0a8cp-3,
                                                     0x1.025fa510665cp-2,
                                                     0x1.3f3d2a696746p-2,
                                                     0x1.79dc6899118ep-2,
                                                     0x1.b1fff9aec98cp-2,
                                                     0x1.e912dca3c298p-2,
                                                     0x1.0de05d7aa6f8p-1,
                                                     0x1.25d632146647p-1,
                                                     0x1.3c6e491c78dcp-1,
                                                     0x1.51b1121b7d48p-1,
                                                     0x1.65aabb6c07bp-1,
                                                     0x1.786a098a236ep-1,
                                                     0x1.89ff5ff57f1fp-1};
DETMATH_CONSTANT double detmath_arc_f64_lows[16] = {0.0,
                                                    -0x1.0b5e57d55c101p-52,
                                                    -0x1.33c5a5060338p-54,
                                                    0x1.89e3559d13ceep-52,
                                                    -0x1.4b396fb4197d2p-51,
                                                    0x1.ca697b8e2c8d6p-53,
                                                    -0x1.df922fb17c428p-51,
                                                    0x1.19def31e8d05dp-52,
                                                    -0x1.94959bd1b030fp-51,
                                                    -0x1.983684b1c529bp-52,
                                                    -0x1.5aa174996981fp-54,
                                                    0x1.21ebaf6b02f46p-51,
                                                    -0x1.4d3877fb775d2p-51,
                                                    0x1.74363262866c7p-52,
                                                    -0x1.004e4936db031p-53,
                                                    0x1.eaa465a1e885ep-51};
#endif

#endif
