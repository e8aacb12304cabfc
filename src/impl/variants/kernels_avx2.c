/* The variants for processors with AVX2 and FMA: compiled with -mavx2 -mfma. */
#if defined(__AVX2__) && defined(__FMA__)
#define VARIANT_LEVEL variant_kernels_avx2
#include "impl/variants/kernels.inc"
#else
typedef int no_avx2;
#endif
