/* Loops by functions of registers of 16 bytes, which every x86-64 has. */
#include "impl/vector_loops.h"

#if defined(__x86_64__) && defined(__SSE2__)

#include <string.h>

#define BYTES  16
#define SECOND "xmm1"
#define MORE

#define LOOP    vector_loop_fp32_16
#define ELEMENT float
#define FORMAT  fp32
#include "impl/vector_loop.inc"

#define LOOP    vector_loop_fp64_16
#define ELEMENT double
#define FORMAT  fp64
#include "impl/vector_loop.inc"

#endif
