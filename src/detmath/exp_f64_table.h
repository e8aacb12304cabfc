/* What is left of 2^(j/16) beside its double, over that; made by exp_f64.sollya. exp_columns.h has the doubles. */
#ifndef DETMATH_EXP_F64_TABLE_H
#define DETMATH_EXP_F64_TABLE_H

#include "core.h"

#if !defined(DETMATH_NO_DOUBLE)
DETMATH_CONSTANT double detmath_exp_f64_lows[16] = {0.0,
                                                    0x1.79aa65d837b6dp-54,
                                                    -0x1.01b15eaa59348p-55,
                                                    0x1.68efde3a8a894p-54,
                                                    0x1.34d754db0abb6p-55,
                                                    0x1.59f48a72a4c6dp-55,
                                                    0x1.690cebb7aafbp-56,
                                                    0x1.063e1e21c5409p-54,
                                                    -0x1.3b3efbf5e2228p-54,
                                                    -0x1.b32dcb94da51dp-56,
                                                    0x1.db72fc1f0eab4p-55,
                                                    0x1.1affc2b91ce27p-56,
                                                    0x1.c1a7792cb3387p-55,
                                                    0x1.36eae30af0cb3p-56,
                                                    0x1.4a385a63d07a7p-56,
                                                    -0x1.ff7128fd391fp-55};
#endif

#endif
