/* Operations of two operands, and fma, that double arithmetic computes exactly for operands of the 16-bit
 * formats: oracle/fast/arithmetic.h says why. */
#ifndef DETCHECK_OP_FUNCTION_ARITHMETIC_FUNCTION_H
#define DETCHECK_OP_FUNCTION_ARITHMETIC_FUNCTION_H

enum arithmetic_function {
    ARITHMETIC_NONE,
    ARITHMETIC_ADD,
    ARITHMETIC_SUB,
    ARITHMETIC_MUL,
    ARITHMETIC_DIV,
    ARITHMETIC_FMOD,
    ARITHMETIC_REMAINDER,
    ARITHMETIC_DIM,
    ARITHMETIC_FMA /* of three: the first two fixed */
};

#endif
