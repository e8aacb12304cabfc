/* The function families of fp64, in an order in which each can use those before it. */
#ifndef DETMATH_FAMILIES_F64_H
#define DETMATH_FAMILIES_F64_H

#define DETMATH_FAMILIES_F64
#include "functions_f64.inc"

#endif
