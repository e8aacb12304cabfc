/* Where IEEE P3109 4.0 defines an operation otherwise than IEEE 754 and C do: on operands in its formats, which
 * have one zero. Members p3109 of rows (op/operation.h). */
#ifndef DETCHECK_OP_FUNCTION_P3109_H
#define DETCHECK_OP_FUNCTION_P3109_H

#include "op/operation.h"

/* 1 / 0 and x / 0 are NaN (4.10.5, 4.10.8). */
special_function p3109_recip, p3109_div;
/* A NaN operand is not disregarded beside an infinite one (4.10.14). */
special_function p3109_hypot;
/* Neither two zeros nor two infinities have an angle, and a negative y beside minus infinity has that of a positive one
 * (4.10.15, 4.10.16). */
special_function p3109_atan2, p3109_atan2pi;
/* A pole is NaN (4.10.12). */
special_function p3109_tanpi;

/* 5.1.2: an element x of a block whose scale is s. By 0 all numbers become 0, and by an infinity their signs. */
mpfr_function_2 p3109_element_of_block;

#endif
