/* The functions whose large arguments the fast oracle reduces to fractions of a turn
 * (oracle/fast/turns.h), in radians or, where they have period 2, in half turns; and the one that
 * it reflects (oracle/fast/reflection.h). */
#ifndef DETCHECK_OP_FUNCTION_TURNS_FUNCTION_H
#define DETCHECK_OP_FUNCTION_TURNS_FUNCTION_H

enum turns_function { TURNS_NONE, TURNS_SIN, TURNS_COS, TURNS_TAN, TURNS_REFLECTION };

#endif
