/* The inequalities, each with its reason. Here "tail" is where f nears the line for large |x|. */
#include "op/function/asymptote.h"

#include <math.h>

#define WHOLE                 -INFINITY, INFINITY
#define LEFT                  -INFINITY, 0
#define RIGHT                 0, INFINITY
#define LINE(SLOPE, CONSTANT) SLOPE, CONSTANT
/* f increases or decreases beyond the largest number. */
#define OVERFLOWS_RIGHT                                                                            \
    { RIGHT, LINE(0, INFINITY), ASYMPTOTE_BELOW }
#define NOT_A_NUMBER LINE(0, NAN), ASYMPTOTE_EXACT
#define OUTSIDE_UNIT                                                                               \
    {-INFINITY, -1, NOT_A_NUMBER}, {                                                               \
        1, INFINITY, NOT_A_NUMBER                                                                  \
    }
#define END                                                                                        \
    { 0, 0, 0, 0, ASYMPTOTE_END }

/* b^x for b > 1 increases from 0 through 1 at 0. */
const struct asymptote asymptotes_exp[] = {{LEFT, LINE(0, 1), ASYMPTOTE_BELOW},
                                           {RIGHT, LINE(0, 1), ASYMPTOTE_ABOVE},
                                           {LEFT, LINE(0, 0), ASYMPTOTE_ABOVE},
                                           OVERFLOWS_RIGHT,
                                           END};

/* e^x - 1 - x has the derivative e^x - 1: 0 at 0, falling before and rising after. e^x - 1 > -1. */
const struct asymptote asymptotes_expm1[] = {{LEFT, LINE(1, 0), ASYMPTOTE_ABOVE},
                                             {RIGHT, LINE(1, 0), ASYMPTOTE_ABOVE},
                                             {LEFT, LINE(0, -1), ASYMPTOTE_ABOVE},
                                             OVERFLOWS_RIGHT,
                                             END};

/* 2^x - 1 and 10^x - 1: the tail. */
const struct asymptote asymptotes_base_m1[] = {
    {LEFT, LINE(0, -1), ASYMPTOTE_ABOVE}, OVERFLOWS_RIGHT, END};

/* x - log(1 + x) has the derivative x / (1 + x). */
const struct asymptote asymptotes_log1p[] = {{-1, 0, LINE(1, 0), ASYMPTOTE_BELOW},
                                             {RIGHT, LINE(1, 0), ASYMPTOTE_BELOW},
                                             {-INFINITY, -1, NOT_A_NUMBER},
                                             END};

/* Outside the domain. */
const struct asymptote asymptotes_left_nan[] = {{LEFT, NOT_A_NUMBER}, END};
const struct asymptote asymptotes_left_of_minus_one_nan[] = {{-INFINITY, -1, NOT_A_NUMBER}, END};
const struct asymptote asymptotes_acosh[] = {
    {-INFINITY, 0, NOT_A_NUMBER}, {0, 1, NOT_A_NUMBER}, END};
const struct asymptote asymptotes_beyond_one_nan[] = {OUTSIDE_UNIT, END};

/* x - sin x has the derivative 1 - cos x >= 0. */
const struct asymptote asymptotes_sin[] = {{-1, 1, LINE(1, 0), ASYMPTOTE_INWARD}, END};

/* 1 - cos x, and 1 - cos(pi x), rise with |x| up to half a period. */
const struct asymptote asymptotes_cos[] = {
    {-0.5, 0, LINE(0, 1), ASYMPTOTE_BELOW}, {0, 0.5, LINE(0, 1), ASYMPTOTE_BELOW}, END};

/* Numbers of 24 bits from 2^24 on are even: of sin(pi x) and tan(pi x) zeros, with the sign of x,
 * and of cos(pi x) maxima. */
#define LEFT_EVEN  -INFINITY, -0x1.fffffep23
#define RIGHT_EVEN 0x1.fffffep23, INFINITY
const struct asymptote asymptotes_sinpi[] = {
    {LEFT_EVEN, LINE(0, -0.0), ASYMPTOTE_EXACT}, {RIGHT_EVEN, LINE(0, 0), ASYMPTOTE_EXACT}, END};
const struct asymptote asymptotes_cospi[] = {{-0.5, 0, LINE(0, 1), ASYMPTOTE_BELOW},
                                             {0, 0.5, LINE(0, 1), ASYMPTOTE_BELOW},
                                             {LEFT_EVEN, LINE(0, 1), ASYMPTOTE_EXACT},
                                             {RIGHT_EVEN, LINE(0, 1), ASYMPTOTE_EXACT},
                                             END};

/* tan x - x has the derivative tan^2 x. */
const struct asymptote asymptotes_tan[] = {{-1, 1, LINE(1, 0), ASYMPTOTE_OUTWARD}, END};

/* asin' >= 1. */
const struct asymptote asymptotes_asin[] = {
    {-1, 1, LINE(1, 0), ASYMPTOTE_OUTWARD}, OUTSIDE_UNIT, END};

/* acos(x)/pi = 1/2 - asin(x)/pi. */
const struct asymptote asymptotes_acospi[] = {{-1, 0, LINE(0, 0.5), ASYMPTOTE_ABOVE},
                                              {0, 1, LINE(0, 0.5), ASYMPTOTE_BELOW},
                                              OUTSIDE_UNIT,
                                              END};

/* atan' <= 1. */
const struct asymptote asymptotes_atan[] = {{WHOLE, LINE(1, 0), ASYMPTOTE_INWARD}, END};

/* |atan(x)/pi| < 1/2, rising. */
const struct asymptote asymptotes_atanpi[] = {
    {LEFT, LINE(0, -0.5), ASYMPTOTE_ABOVE}, {RIGHT, LINE(0, 0.5), ASYMPTOTE_BELOW}, END};

/* cosh >= 1 is the derivative of sinh. */
const struct asymptote asymptotes_sinh[] = {{WHOLE, LINE(1, 0), ASYMPTOTE_OUTWARD},
                                            OVERFLOWS_RIGHT,
                                            {LEFT, LINE(0, -INFINITY), ASYMPTOTE_ABOVE},
                                            END};

const struct asymptote asymptotes_cosh[] = {{LEFT, LINE(0, 1), ASYMPTOTE_ABOVE},
                                            {RIGHT, LINE(0, 1), ASYMPTOTE_ABOVE},
                                            OVERFLOWS_RIGHT,
                                            {LEFT, LINE(0, INFINITY), ASYMPTOTE_BELOW},
                                            END};

/* tanh' = 1 - tanh^2 <= 1; |tanh| < 1, rising. */
const struct asymptote asymptotes_tanh[] = {{WHOLE, LINE(1, 0), ASYMPTOTE_INWARD},
                                            {LEFT, LINE(0, -1), ASYMPTOTE_ABOVE},
                                            {RIGHT, LINE(0, 1), ASYMPTOTE_BELOW},
                                            END};

/* asinh' <= 1. */
const struct asymptote asymptotes_asinh[] = {{WHOLE, LINE(1, 0), ASYMPTOTE_INWARD}, END};

/* atanh' >= 1. */
const struct asymptote asymptotes_atanh[] = {
    {-1, 1, LINE(1, 0), ASYMPTOTE_OUTWARD}, OUTSIDE_UNIT, END};

/* |erf| < 1, rising. */
const struct asymptote asymptotes_erf[] = {
    {LEFT, LINE(0, -1), ASYMPTOTE_ABOVE}, {RIGHT, LINE(0, 1), ASYMPTOTE_BELOW}, END};

/* 1 - erf falls from 2 through 1 at 0 to 0. */
const struct asymptote asymptotes_erfc[] = {{LEFT, LINE(0, 1), ASYMPTOTE_ABOVE},
                                            {RIGHT, LINE(0, 1), ASYMPTOTE_BELOW},
                                            {LEFT, LINE(0, 2), ASYMPTOTE_BELOW},
                                            {RIGHT, LINE(0, 0), ASYMPTOTE_ABOVE},
                                            END};

/* gamma rises right of 1.47, falls from 0 to 1, and falls from -1/2 to 0; at negative integers,
 * which all fp32 numbers below -2^23 are, it is NaN. Elsewhere left of -47 it is pi / (sin(pi x)
 * gamma(1 - x)): with the distance of x to the next integer at least an ulp, 2^-18 for |x| < 64,
 * |sin(pi x)| >= 2^-17, and gamma(48) > 2^197, so that |gamma(x)| < 2^-178, and 2^-173 is 2^-24 of
 * the smallest subnormal; for larger |x| the ulp doubles with the binade while gamma(1 - x) grows
 * by far more. The sign is that of sin(pi x):
 * minus for -49 < x < -48, where floor(x) is odd. */
const struct asymptote asymptotes_tgamma[] = {{2, INFINITY, LINE(0, INFINITY), ASYMPTOTE_BELOW},
                                              {0, 1, LINE(0, INFINITY), ASYMPTOTE_BELOW},
                                              {-0.5, 0, LINE(0, -INFINITY), ASYMPTOTE_ABOVE},
                                              {-INFINITY, -0x1p23, LINE(0, NAN), ASYMPTOTE_EXACT},
                                              {-0x1p23, -47, LINE(0, 0), ASYMPTOTE_ALTERNATING},
                                              END};

/* Decreasing on either side of its pole. */
const struct asymptote asymptotes_recip[] = {
    {RIGHT, LINE(0, INFINITY), ASYMPTOTE_BELOW}, {LEFT, LINE(0, -INFINITY), ASYMPTOTE_ABOVE}, END};

const struct asymptote asymptotes_lgamma[] = {
    {2, INFINITY, LINE(0, INFINITY), ASYMPTOTE_BELOW},
    {-INFINITY, -0x1p23, LINE(0, INFINITY), ASYMPTOTE_EXACT},
    END};

/* 1 / (1 + e^-x) rises from 0 through 1/2 at 0 to 1. */
const struct asymptote asymptotes_sigmoid[] = {{LEFT, LINE(0, 0.5), ASYMPTOTE_BELOW},
                                               {RIGHT, LINE(0, 0.5), ASYMPTOTE_ABOVE},
                                               {LEFT, LINE(0, 0), ASYMPTOTE_ABOVE},
                                               {RIGHT, LINE(0, 1), ASYMPTOTE_BELOW},
                                               END};

/* softplus(x) - x = log(1 + e^-x) falls to 0. */
const struct asymptote asymptotes_softplus[] = {
    {RIGHT, LINE(1, 0), ASYMPTOTE_ABOVE}, {LEFT, LINE(0, 0), ASYMPTOTE_ABOVE}, END};

/* logsigmoid(x) - x = -log(1 + e^x). */
const struct asymptote asymptotes_logsigmoid[] = {
    {LEFT, LINE(1, 0), ASYMPTOTE_BELOW}, {RIGHT, LINE(0, 0), ASYMPTOTE_BELOW}, END};

/* x g(x) with a gate g that rises from 0 through 1/2 at 0 to 1 (silu, gelu, gelu_tanh). Near 0 the
 * distance to x/2 is x (g(x) - 1/2), which rises with |x|. The tails: x (1 - g(x)) falls where
 * x g'(x) > 1 - g(x), and |x g(x)| where |x| g'(x) > g(x); both hold for |x| > 2. */
const struct asymptote asymptotes_gate[] = {{-0x1p-10, 0, LINE(0.5, 0), ASYMPTOTE_ABOVE},
                                            {0, 0x1p-10, LINE(0.5, 0), ASYMPTOTE_ABOVE},
                                            {2, INFINITY, LINE(1, 0), ASYMPTOTE_BELOW},
                                            {-INFINITY, -2, LINE(0, 0), ASYMPTOTE_BELOW},
                                            END};

/* The same tails for mish, whose gate is tanh(softplus(x)). */
const struct asymptote asymptotes_mish[] = {
    {2, INFINITY, LINE(1, 0), ASYMPTOTE_BELOW}, {-INFINITY, -2, LINE(0, 0), ASYMPTOTE_BELOW}, END};
