/* The inequalities, each with its reason. Here "tail" is where f nears the line for large |x|. */
#include "op/function/flat.h"

#include <math.h>

#define WHOLE                 -INFINITY, INFINITY
#define LEFT                  -INFINITY, 0
#define RIGHT                 0, INFINITY
#define LINE(SLOPE, CONSTANT) SLOPE, CONSTANT
/* f increases or decreases beyond the largest number. */
#define OVERFLOWS_RIGHT                                                                            \
    { RIGHT, LINE(0, INFINITY), FLAT_BELOW }
#define NOT_A_NUMBER LINE(0, NAN), FLAT_EXACT
#define OUTSIDE_UNIT                                                                               \
    {-INFINITY, -1, NOT_A_NUMBER}, {                                                               \
        1, INFINITY, NOT_A_NUMBER                                                                  \
    }
#define END                                                                                        \
    { 0, 0, 0, 0, FLAT_END }

/* b^x for b > 1 increases from 0 through 1 at 0. */
const struct flat flats_exp[] = {{LEFT, LINE(0, 1), FLAT_BELOW},
                                 {RIGHT, LINE(0, 1), FLAT_ABOVE},
                                 {LEFT, LINE(0, 0), FLAT_ABOVE},
                                 OVERFLOWS_RIGHT,
                                 END};

/* e^x - 1 - x has the derivative e^x - 1: 0 at 0, falling before and rising after. e^x - 1 > -1. */
const struct flat flats_expm1[] = {{LEFT, LINE(1, 0), FLAT_ABOVE},
                                   {RIGHT, LINE(1, 0), FLAT_ABOVE},
                                   {LEFT, LINE(0, -1), FLAT_ABOVE},
                                   OVERFLOWS_RIGHT,
                                   END};

/* 2^x - 1 and 10^x - 1: the tail. */
const struct flat flats_base_m1[] = {{LEFT, LINE(0, -1), FLAT_ABOVE}, OVERFLOWS_RIGHT, END};

/* x - log(1 + x) has the derivative x / (1 + x). */
const struct flat flats_log1p[] = {{-1, 0, LINE(1, 0), FLAT_BELOW},
                                   {RIGHT, LINE(1, 0), FLAT_BELOW},
                                   {-INFINITY, -1, NOT_A_NUMBER},
                                   END};

/* Outside the domain. */
const struct flat flats_left_nan[] = {{LEFT, NOT_A_NUMBER}, END};
const struct flat flats_left_of_minus_one_nan[] = {{-INFINITY, -1, NOT_A_NUMBER}, END};
const struct flat flats_acosh[] = {{-INFINITY, 0, NOT_A_NUMBER}, {0, 1, NOT_A_NUMBER}, END};
const struct flat flats_beyond_one_nan[] = {OUTSIDE_UNIT, END};

/* x - sin x has the derivative 1 - cos x >= 0. */
const struct flat flats_sin[] = {{-1, 1, LINE(1, 0), FLAT_INWARD}, END};

/* 1 - cos x, and 1 - cos(pi x), rise with |x| up to half a period. */
const struct flat flats_cos[] = {
    {-0.5, 0, LINE(0, 1), FLAT_BELOW}, {0, 0.5, LINE(0, 1), FLAT_BELOW}, END};

/* Numbers of 24 bits from 2^24 on are even: of sin(pi x) and tan(pi x) zeros, with the sign of x,
 * and of cos(pi x) maxima. */
#define LEFT_EVEN  -INFINITY, -0x1.fffffep23
#define RIGHT_EVEN 0x1.fffffep23, INFINITY
const struct flat flats_sinpi[] = {
    {LEFT_EVEN, LINE(0, -0.0), FLAT_EXACT}, {RIGHT_EVEN, LINE(0, 0), FLAT_EXACT}, END};
const struct flat flats_cospi[] = {{-0.5, 0, LINE(0, 1), FLAT_BELOW},
                                   {0, 0.5, LINE(0, 1), FLAT_BELOW},
                                   {LEFT_EVEN, LINE(0, 1), FLAT_EXACT},
                                   {RIGHT_EVEN, LINE(0, 1), FLAT_EXACT},
                                   END};

/* tan x - x has the derivative tan^2 x. */
const struct flat flats_tan[] = {{-1, 1, LINE(1, 0), FLAT_OUTWARD}, END};

/* asin' >= 1. */
const struct flat flats_asin[] = {{-1, 1, LINE(1, 0), FLAT_OUTWARD}, OUTSIDE_UNIT, END};

/* acos(x)/pi = 1/2 - asin(x)/pi. */
const struct flat flats_acospi[] = {
    {-1, 0, LINE(0, 0.5), FLAT_ABOVE}, {0, 1, LINE(0, 0.5), FLAT_BELOW}, OUTSIDE_UNIT, END};

/* atan' <= 1. */
const struct flat flats_atan[] = {{WHOLE, LINE(1, 0), FLAT_INWARD}, END};

/* |atan(x)/pi| < 1/2, rising. */
const struct flat flats_atanpi[] = {
    {LEFT, LINE(0, -0.5), FLAT_ABOVE}, {RIGHT, LINE(0, 0.5), FLAT_BELOW}, END};

/* cosh >= 1 is the derivative of sinh. */
const struct flat flats_sinh[] = {{WHOLE, LINE(1, 0), FLAT_OUTWARD},
                                  OVERFLOWS_RIGHT,
                                  {LEFT, LINE(0, -INFINITY), FLAT_ABOVE},
                                  END};

const struct flat flats_cosh[] = {{LEFT, LINE(0, 1), FLAT_ABOVE},
                                  {RIGHT, LINE(0, 1), FLAT_ABOVE},
                                  OVERFLOWS_RIGHT,
                                  {LEFT, LINE(0, INFINITY), FLAT_BELOW},
                                  END};

/* tanh' = 1 - tanh^2 <= 1; |tanh| < 1, rising. */
const struct flat flats_tanh[] = {{WHOLE, LINE(1, 0), FLAT_INWARD},
                                  {LEFT, LINE(0, -1), FLAT_ABOVE},
                                  {RIGHT, LINE(0, 1), FLAT_BELOW},
                                  END};

/* asinh' <= 1. */
const struct flat flats_asinh[] = {{WHOLE, LINE(1, 0), FLAT_INWARD}, END};

/* atanh' >= 1. */
const struct flat flats_atanh[] = {{-1, 1, LINE(1, 0), FLAT_OUTWARD}, OUTSIDE_UNIT, END};

/* |erf| < 1, rising. */
const struct flat flats_erf[] = {
    {LEFT, LINE(0, -1), FLAT_ABOVE}, {RIGHT, LINE(0, 1), FLAT_BELOW}, END};

/* 1 - erf falls from 2 through 1 at 0 to 0. */
const struct flat flats_erfc[] = {{LEFT, LINE(0, 1), FLAT_ABOVE},
                                  {RIGHT, LINE(0, 1), FLAT_BELOW},
                                  {LEFT, LINE(0, 2), FLAT_BELOW},
                                  {RIGHT, LINE(0, 0), FLAT_ABOVE},
                                  END};

/* gamma rises right of 1.47, falls from 0 to 1, and falls from -1/2 to 0; at negative integers,
 * which all fp32 numbers below -2^23 are, it is NaN. Elsewhere left of -47 it is pi / (sin(pi x)
 * gamma(1 - x)): with the distance of x to the next integer at least an ulp, 2^-18 for |x| < 64,
 * |sin(pi x)| >= 2^-17, and gamma(48) > 2^197, so that |gamma(x)| < 2^-178, and 2^-173 is 2^-24 of
 * the smallest subnormal; for larger |x| the ulp doubles with the binade while gamma(1 - x) grows
 * by far more. The sign is that of sin(pi x):
 * minus for -49 < x < -48, where floor(x) is odd. */
const struct flat flats_tgamma[] = {
    {2, INFINITY, LINE(0, INFINITY), FLAT_BELOW}, {0, 1, LINE(0, INFINITY), FLAT_BELOW},
    {-0.5, 0, LINE(0, -INFINITY), FLAT_ABOVE},    {-INFINITY, -0x1p23, LINE(0, NAN), FLAT_EXACT},
    {-0x1p23, -47, LINE(0, 0), FLAT_ALTERNATING}, END};

/* Decreasing on either side of its pole. */
const struct flat flats_recip[] = {
    {RIGHT, LINE(0, INFINITY), FLAT_BELOW}, {LEFT, LINE(0, -INFINITY), FLAT_ABOVE}, END};

const struct flat flats_lgamma[] = {{2, INFINITY, LINE(0, INFINITY), FLAT_BELOW},
                                    {-INFINITY, -0x1p23, LINE(0, INFINITY), FLAT_EXACT},
                                    END};

/* 1 / (1 + e^-x) rises from 0 through 1/2 at 0 to 1. */
const struct flat flats_sigmoid[] = {{LEFT, LINE(0, 0.5), FLAT_BELOW},
                                     {RIGHT, LINE(0, 0.5), FLAT_ABOVE},
                                     {LEFT, LINE(0, 0), FLAT_ABOVE},
                                     {RIGHT, LINE(0, 1), FLAT_BELOW},
                                     END};

/* softplus(x) - x = log(1 + e^-x) falls to 0. */
const struct flat flats_softplus[] = {
    {RIGHT, LINE(1, 0), FLAT_ABOVE}, {LEFT, LINE(0, 0), FLAT_ABOVE}, END};

/* logsigmoid(x) - x = -log(1 + e^x). */
const struct flat flats_logsigmoid[] = {
    {LEFT, LINE(1, 0), FLAT_BELOW}, {RIGHT, LINE(0, 0), FLAT_BELOW}, END};

/* x g(x) with a gate g that rises from 0 through 1/2 at 0 to 1 (silu, gelu, gelu_tanh). Near 0 the
 * distance to x/2 is x (g(x) - 1/2), which rises with |x|. The tails: x (1 - g(x)) falls where
 * x g'(x) > 1 - g(x), and |x g(x)| where |x| g'(x) > g(x); both hold for |x| > 2. */
const struct flat flats_gate[] = {{-0x1p-10, 0, LINE(0.5, 0), FLAT_ABOVE},
                                  {0, 0x1p-10, LINE(0.5, 0), FLAT_ABOVE},
                                  {2, INFINITY, LINE(1, 0), FLAT_BELOW},
                                  {-INFINITY, -2, LINE(0, 0), FLAT_BELOW},
                                  END};

/* The same tails for mish, whose gate is tanh(softplus(x)). */
const struct flat flats_mish[] = {
    {2, INFINITY, LINE(1, 0), FLAT_BELOW}, {-INFINITY, -2, LINE(0, 0), FLAT_BELOW}, END};
