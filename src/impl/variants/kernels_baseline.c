/* The variants for any processor. Where it has no fma instruction, fma is computed in software. */
#define VARIANT_LEVEL variant_kernels_baseline
#include "impl/variants/kernels.inc"
