/* Loops by functions of registers of 32 bytes. Compiled with -mavx: without it, clang passes such a vector
 * in memory. */
#include "impl/vector_loops.h"

#if defined(__x86_64__) && defined(__AVX__)

#include <string.h>

#define BYTES  32
#define SECOND "ymm1"
#define MORE

#define LOOP    vector_loop_fp32_32
#define ELEMENT float
#define FORMAT  fp32
#include "impl/vector_loop.inc"

#define LOOP    vector_loop_fp64_32
#define ELEMENT double
#define FORMAT  fp64
#include "impl/vector_loop.inc"

#endif
