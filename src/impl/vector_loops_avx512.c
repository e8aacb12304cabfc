/* Loops by functions of registers of 64 bytes. Compiled with -mavx512f: without it, clang passes such a
 * vector in memory. */
#include "impl/vector_loops.h"

#if defined(__x86_64__) && defined(__AVX512F__)

#include <string.h>

#define BYTES  64
#define SECOND "zmm1"
#define MORE                                                                                       \
    , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",    \
        "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5",  \
        "k6", "k7"

#define LOOP    vector_loop_fp32_64
#define ELEMENT float
#define FORMAT  fp32
#include "impl/vector_loop.inc"

#define LOOP    vector_loop_fp64_64
#define ELEMENT double
#define FORMAT  fp64
#include "impl/vector_loop.inc"

#endif
