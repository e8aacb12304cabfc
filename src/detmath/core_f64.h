/* What the functions of fp64 share, beside core.h. */
#ifndef DETMATH_CORE_F64_H
#define DETMATH_CORE_F64_H

#include "core.h"
#include "root.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* Whether functions of one number begin with the steps of quick_f64.h: on processors, where long tables and branches cost little. */
#if defined(DETMATH_HARDWARE_ROUNDING) && !defined(DETMATH_QUICK_F64)
#define DETMATH_QUICK_F64
#endif

/* For kernels of lanes (one_lane.inc): DETMATH_D are numbers of fp64 and DETMATH_W words as long, here one of each;
 * library/lanes_f64.h has vectors. A table of 16 numbers, read at the last four bits of row; a number in each lane; and all
 * ones for what holds, else 0. */
#define DETMATH_D double
#define DETMATH_W detmath_u64

DETMATH_FUNCTION double detmath_look_up_f64(DETMATH_CONSTANT_POINTER double *table,
                                            detmath_u64 row) {
    return table[row & 15u];
}
/* The same where the numbers of the table have lower halves of 0, of which vectors make use. */
#define detmath_look_up_short_f64(TABLE, ROW) detmath_look_up_f64(TABLE, ROW)
/* A column of 16 numbers, of those of detmath_NAME_columns; and two side by side, the second in *NEXT. */
#define detmath_look_up_column_f64(NAME, AT, ROW)                                                  \
    detmath_look_up_f64(detmath_##NAME##_columns + 16 * (AT), ROW)
#define detmath_look_up_columns_f64(NAME, AT, ROW, NEXT)                                           \
    (*(NEXT) = detmath_look_up_column_f64(NAME, (AT) + 1, ROW),                                    \
     detmath_look_up_column_f64(NAME, AT, ROW))
/* The same of 32, at the last five. */
DETMATH_FUNCTION double detmath_look_up_32_f64(DETMATH_CONSTANT_POINTER double *table,
                                               detmath_u64 row) {
    return table[row & 31u];
}
/* The same of 16 that begin at `first` of a longer table. */
DETMATH_FUNCTION double detmath_look_up_from_f64(DETMATH_CONSTANT_POINTER double *table,
                                                 detmath_u32 first, detmath_u64 row) {
    return table[first + (row & 15u)];
}
/* The same of any number, which vectors read one by one. */
DETMATH_FUNCTION double detmath_look_up_at_f64(DETMATH_CONSTANT_POINTER double *table,
                                               detmath_u64 place) {
    return table[place];
}
/* A row of four of a table of 16 rows, at the last four bits of a place. */
struct detmath_row_f64 {
    double first, first_low, second, second_low;
};
DETMATH_FUNCTION struct detmath_row_f64 detmath_row_f64_of(DETMATH_CONSTANT_POINTER double *rows,
                                                           detmath_u64 place) {
    DETMATH_CONSTANT_POINTER double *at = &rows[4u * (place & 15u)];
    struct detmath_row_f64 row = {at[0], at[1], at[2], at[3]};
    return row;
}
/* k of the bits of a positive normal number from 2^k to below 2^(k+1). */
DETMATH_FUNCTION double detmath_exponent_f64(detmath_u64 bits) {
    return detmath_from_bits_f64((bits >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
}
DETMATH_FUNCTION double detmath_each_f64(double x) {
    return x;
}
DETMATH_FUNCTION double detmath_magnitude_f64(double x) {
#if defined(DETMATH_HARDWARE_ROUNDING)
    return __builtin_fabs(x); /* stays among the registers of floating-point numbers */
#else
    return detmath_from_bits_f64(detmath_bits_f64(x) & 0x7fffffffffffffffu);
#endif
}
DETMATH_FUNCTION detmath_u64 detmath_ones_f64(int holds) {
    return holds ? ~(detmath_u64)0 : 0u;
}
DETMATH_FUNCTION double detmath_above_f64(double a, double limit, double yes, double no) {
    detmath_u64 mask = detmath_ones_f64(a > limit);
    return detmath_from_bits_f64((detmath_bits_f64(yes) & mask) | (detmath_bits_f64(no) & ~mask));
}
/* The product of the lower halves of two words. */
DETMATH_FUNCTION detmath_u64 detmath_product_of_halves(detmath_u64 a, detmath_u64 b) {
    return (a & 0xffffffffu) * (b & 0xffffffffu);
}
/* Not 0 where any lane is not 0; here there is one. */
DETMATH_FUNCTION detmath_u64 detmath_any_f64(detmath_u64 mask) {
    return mask;
}
/* y, which is above 0, +0 or has the sign of x, with the sign of x. */
DETMATH_FUNCTION double detmath_with_sign_f64(double y, double x) {
    return detmath_from_bits_f64(detmath_bits_f64(y) | (detmath_bits_f64(x) & 0x8000000000000000u));
}
/* y with the sign of x. */
DETMATH_FUNCTION double detmath_signed_f64(double y, double x) {
#if defined(DETMATH_HARDWARE_ROUNDING)
    return __builtin_copysign(y, x);
#else
    return detmath_with_sign_f64(detmath_magnitude_f64(y), x);
#endif
}
/* x^(1/2), correctly rounded, for x = 0 and 2^-900 <= x < 2^1000. Without the machine's, y is next to it, and the square of the
 * middle between two numbers tells: with u, a unit of y, it is on the far side of x if the residual is above u y, or not above -u
 * y. */
DETMATH_FUNCTION double detmath_square_root_f64(double x) {
#if defined(DETMATH_HARDWARE_ROUNDING)
    return __builtin_sqrt(x);
#else
    double y = detmath_core_root(x), residual = detmath_fma(-y, y, x);
    detmath_u64 bits = detmath_bits_f64(y);
    double unit = detmath_from_bits_f64(bits & 0x7ff0000000000000u),
           part = detmath_product(unit, 0x1p-52);
    double reach = detmath_product(part, y);
    bits += residual > reach ? 1u : 0u;
    bits -= x > 0.0 && residual <= -reach ? 1u : 0u;
    return detmath_from_bits_f64(bits);
#endif
}

/* As detmath_above_f64, where all four are at hand late: compilers make a branch of it for one number. */
DETMATH_FUNCTION double detmath_either_f64(double a, double limit, double yes, double no) {
    return a > limit ? yes : no;
}

/* As detmath_either_f64, where operands are on both sides alike and a processor guesses such a branch wrong: a mask in the
 * registers of floating-point numbers, where these are known to hold two. */
#if defined(DETMATH_HARDWARE_ROUNDING)
typedef double detmath_two_f64 __attribute__((vector_size(16)));
typedef detmath_u64 detmath_two_words __attribute__((vector_size(16)));
DETMATH_INLINED double detmath_selected_f64(double a, double limit, double yes, double no) {
    detmath_two_f64 left = {a}, right = {limit}, chosen = {yes}, other = {no};
    detmath_two_words mask = (detmath_two_words)(left > right);
    mask = ((detmath_two_words)chosen & mask) | ((detmath_two_words)other & ~mask);
    return ((detmath_two_f64)mask)[0];
}
#else
DETMATH_FUNCTION double detmath_selected_f64(double a, double limit, double yes, double no) {
    return detmath_either_f64(a, limit, yes, no);
}
#endif

/* Of numbers that are no NaN. */
DETMATH_FUNCTION double detmath_larger_f64(double a, double b) {
    return a > b ? a : b;
}
DETMATH_FUNCTION double detmath_smaller_f64(double a, double b) {
    return a < b ? a : b;
}

/* The bits of 2^-54. Where |x| is less and f(x) is x + c x^2 and so on, for a |c| of 1/2, the
 * result is x. */
#define DETMATH_TINY_F64 0x3c90000000000000u

/* The bits of 2^-900. Products with numbers below are not taken in two parts, the second of which may be subnormal. */
#define DETMATH_PARTS_F64 0x07b0000000000000u

#define DETMATH_NAN_BITS_F64      0x7ff8000000000000u
#define DETMATH_INFINITY_BITS_F64 0x7ff0000000000000u

/* Whether the bits are those of a NaN that signals. */
DETMATH_FUNCTION detmath_u32 detmath_signals_f64(detmath_u64 bits) {
    detmath_u64 magnitude = bits & 0x7fffffffffffffffu;
    return magnitude > DETMATH_INFINITY_BITS_F64 && magnitude < DETMATH_NAN_BITS_F64;
}

/* y, or the canonical NaN where x is NaN. */
DETMATH_FUNCTION double detmath_unless_nan_f64(double x, double y) {
    detmath_u64 magnitude = detmath_bits_f64(x) & 0x7fffffffffffffffu;
    return detmath_from_bits_f64(magnitude > DETMATH_INFINITY_BITS_F64 ? DETMATH_NAN_BITS_F64
                                                                       : detmath_bits_f64(y));
}

/* What a function that is called seldom returns through, since it has vectors of words: gcc 12 leaves their registers' upper
 * halves in use where it knows which registers a callee has (-fipa-ra), and code of SSE that runs next, the caller's, too, takes two to
 * four times as long until somebody clears them. */
DETMATH_FUNCTION double detmath_cleared_f64(double y) {
#if defined(__AVX__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDA_ARCH__)
    __builtin_ia32_vzeroupper();
#endif
    return y;
}

/* detmath_NAME of fp64, from what functions_f64.inc says that a family has. */
#define DETMATH_FORM_F64(SUFFIX)                                                                   \
    DETMATH_FUNCTION double detmath##SUFFIX(double x) {                                            \
        return DETMATH_SELDOM(detmath##SUFFIX##_f64_away(x))                                       \
                   ? detmath_cleared_f64(detmath##SUFFIX##_f64_full(x))                            \
                   : detmath##SUFFIX##_f64_steps(x);                                               \
    }

/* cr of any x by nearer candidates, or by the last phase. */
#define DETMATH_CR_FULL_F64(SUFFIX)                                                                \
    DETMATH_SELDOM_FUNCTION double detmath_cr##SUFFIX##_f64_full(double x) {                       \
        if ((detmath_bits_f64(x) & 0x7fffffffffffffffu) > DETMATH_INFINITY_BITS_F64)               \
            return detmath_from_bits_f64(DETMATH_NAN_BITS_F64);                                    \
        if (!detmath_cr##SUFFIX##_f64_away(x)) {                                                   \
            double other, y = detmath_cr##SUFFIX##_f64_steps(x, &other);                           \
            if (detmath_bits_f64(y) == detmath_bits_f64(other))                                    \
                return y;                                                                          \
        }                                                                                          \
        return detmath##SUFFIX##_f64_last(x);                                                      \
    }

/* detmath_NAME and detmath_cr_NAME. */
#define DETMATH_FORMS_F64(SUFFIX)                                                                  \
    DETMATH_FORM_F64(SUFFIX)                                                                       \
    DETMATH_CR_FULL_F64(SUFFIX)                                                                    \
    DETMATH_CR_FORM_F64(detmath_cr##SUFFIX, SUFFIX)
#define DETMATH_CR_FORM_F64(FUNCTION, SUFFIX)                                                      \
    DETMATH_FUNCTION double FUNCTION(double x) {                                                   \
        double other, y = detmath_cr##SUFFIX##_f64_first(x, &other);                               \
        detmath_u64 differ = detmath_bits_f64(y) ^ detmath_bits_f64(other);                        \
        return DETMATH_SELDOM(detmath_cr##SUFFIX##_f64_away(x) | differ)                           \
                   ? detmath_cleared_f64(detmath_cr##SUFFIX##_f64_full(x))                         \
                   : y;                                                                            \
    }

/* The same where quick_f64.h has candidates for cr, or for both; END(y, x) is the result. */
#if defined(DETMATH_QUICK_F64)
#define DETMATH_BEGUN_F64(FUNCTION, QUICK, FULL, END)                                              \
    DETMATH_FUNCTION double FUNCTION(double x) {                                                   \
        detmath_u64 away;                                                                          \
        double other, y = QUICK(x, &other, &away);                                                 \
        return DETMATH_SELDOM(away) || DETMATH_SELDOM(other > y) ? detmath_cleared_f64(FULL(x))    \
                                                                 : END(y, x);                      \
    }
#define DETMATH_UNSIGNED_F64(Y, X) (Y)
#define DETMATH_FORMS_QUICK_F64(SUFFIX)                                                            \
    DETMATH_FORM_F64(SUFFIX)                                                                       \
    DETMATH_CR_FULL_F64(SUFFIX)                                                                    \
    DETMATH_BEGUN_F64(detmath_cr##SUFFIX, detmath_cr##SUFFIX##_f64_quick,                          \
                      detmath_cr##SUFFIX##_f64_full, DETMATH_UNSIGNED_F64)
#define DETMATH_FORMS_QUICK_BOTH_F64(SUFFIX, END)                                                  \
    DETMATH_SELDOM_FUNCTION double detmath##SUFFIX##_f64_begun(double x) {                         \
        return detmath##SUFFIX##_f64_away(x) ? detmath##SUFFIX##_f64_full(x)                       \
                                             : detmath##SUFFIX##_f64_steps(x);                     \
    }                                                                                              \
    DETMATH_CR_FULL_F64(SUFFIX)                                                                    \
    DETMATH_BEGUN_F64(detmath##SUFFIX, detmath##SUFFIX##_f64_quick, detmath##SUFFIX##_f64_begun,   \
                      END)                                                                         \
    DETMATH_BEGUN_F64(detmath_cr##SUFFIX, detmath_cr##SUFFIX##_f64_quick,                          \
                      detmath_cr##SUFFIX##_f64_full, END)
#else
#define DETMATH_FORMS_QUICK_F64(SUFFIX)           DETMATH_FORMS_F64(SUFFIX)
#define DETMATH_FORMS_QUICK_BOTH_F64(SUFFIX, END) DETMATH_FORMS_F64(SUFFIX)
#endif

/* The same where det is correctly rounded, and so is what cr has in its last phase, too. */
#define DETMATH_FORMS_ROUNDED_F64(SUFFIX)                                                          \
    DETMATH_FORM_F64(SUFFIX)                                                                       \
    DETMATH_FUNCTION double detmath##SUFFIX##_f64_last(double x) {                                 \
        return detmath##SUFFIX(x);                                                                 \
    }                                                                                              \
    DETMATH_FUNCTION double detmath_cr##SUFFIX(double x) {                                         \
        return detmath##SUFFIX(x);                                                                 \
    }

/* Both of two operands. cr begins with FIRST. */
#define DETMATH_FORM_BINARY_F64(FUNCTION, SUFFIX)                                                  \
    double FUNCTION(double x, double y) {                                                          \
        detmath_u64 away;                                                                          \
        double z = detmath##SUFFIX##_f64_steps(x, y, &away);                                       \
        return DETMATH_SELDOM(away) ? detmath_cleared_f64(detmath##SUFFIX##_f64_full(x, y)) : z;   \
    }
#define DETMATH_CR_FORM_BINARY_F64(SUFFIX, FIRST)                                                  \
    DETMATH_SELDOM_FUNCTION double detmath_cr##SUFFIX##_f64_full(double x, double y) {             \
        detmath_u64 away;                                                                          \
        double other, z = detmath_cr##SUFFIX##_f64_steps(x, y, &other, &away);                     \
        if (!away && detmath_bits_f64(z) == detmath_bits_f64(other))                               \
            return z;                                                                              \
        return detmath##SUFFIX##_f64_last(x, y);                                                   \
    }                                                                                              \
    DETMATH_BEGUN_BINARY_F64(detmath_cr##SUFFIX, FIRST, detmath_cr##SUFFIX##_f64_full)
#define DETMATH_BEGUN_BINARY_F64(FUNCTION, FIRST, FULL)                                            \
    DETMATH_FUNCTION double FUNCTION(double x, double y) {                                         \
        detmath_u64 away;                                                                          \
        double other, z = FIRST(x, y, &other, &away);                                              \
        detmath_u64 differ = detmath_bits_f64(z) ^ detmath_bits_f64(other);                        \
        return DETMATH_SELDOM(away) || DETMATH_SELDOM(differ) ? detmath_cleared_f64(FULL(x, y))    \
                                                              : z;                                 \
    }
#define DETMATH_FORMS_BINARY_F64(SUFFIX)                                                           \
    DETMATH_FUNCTION DETMATH_FORM_BINARY_F64(detmath##SUFFIX, SUFFIX)                              \
        DETMATH_CR_FORM_BINARY_F64(SUFFIX, detmath_cr##SUFFIX##_f64_first)

/* The same where quick_f64.h has candidates QUICK for both det and cr. */
#if defined(DETMATH_QUICK_F64)
#define DETMATH_FORMS_QUICK_BINARY_F64(SUFFIX, QUICK)                                              \
    DETMATH_SELDOM_FUNCTION DETMATH_FORM_BINARY_F64(detmath##SUFFIX##_f64_begun, SUFFIX)           \
        DETMATH_BEGUN_BINARY_F64(detmath##SUFFIX, detmath##QUICK##_f64_quick,                      \
                                 detmath##SUFFIX##_f64_begun)                                      \
            DETMATH_CR_FORM_BINARY_F64(SUFFIX, detmath_cr##QUICK##_f64_quick)
#else
#define DETMATH_FORMS_QUICK_BINARY_F64(SUFFIX, QUICK) DETMATH_FORMS_BINARY_F64(SUFFIX)
#endif

#endif

#include "shield_end.inc"

#endif
