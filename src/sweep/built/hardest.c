/* Powers of fp32 next to a midpoint, which no window along x comes upon: found among all significands and exponents by a program that
 * multiplied them out.
 *
 * Where x^y is computed in fp64 and rounded to fp32, it must lie within 2^-30 ulp of a midpoint to be rounded wrongly. These are all
 * significands and all y from -127 to 127 that are a multiple of 1/4, but 2, within 2^-29.5 ulp: four of integers, and those of
 * halves and of quarters as far as the power of some x in [1/4, 4) lies between 2^-126 and 2^126. A square has 48 bits, and is a
 * number of fp64. */
#include "sweep/built/solver.h"

#include <math.h>
#include <stdlib.h>

/* x is significand * 2^(exponent - 23). */
static const struct {
    uint32_t significand;
    int exponent, quarters;
} powers[] = {
    {0xcbbbfe, 0, -404},  {0xce2bbd, 0, 240},   {0xceee25, 0, -252},  {0xdfe47a, 0, -160},
    {0x862917, -1, 218},  {0xc37760, -1, 494},  {0xc79f5f, -1, -498}, {0xe3379c, -1, 78},
    {0x9cf151, 0, -162},  {0x9d9348, 0, -358},  {0xb34573, 0, 494},   {0xb3ff91, 0, -382},
    {0xcb2aee, 0, -294},  {0xce5fa9, 0, 458},   {0xd36286, 0, 78},    {0xdcc031, 0, -450},
    {0xa7594e, -2, 27},   {0xaefc25, -2, -229}, {0xb7235e, -2, -109}, {0xbde318, -2, -123},
    {0xc840f6, -2, 315},  {0xd29c0d, -2, 349},  {0xf0fe42, -2, -29},  {0x830d53, -1, -157},
    {0x8348f7, -1, -337}, {0x940bd9, -1, 239},  {0xa3f4b1, -1, 147},  {0xae825a, -1, -279},
    {0xb1c1df, -1, 473},  {0xbc1917, -1, -395}, {0xc4dae9, -1, -495}, {0xc5a199, -1, -97},
    {0xd9fddf, -1, 65},   {0x801c61, 0, -181},  {0x81fcbd, 0, 149},   {0x82fb7f, 0, -505},
    {0x9d34df, 0, 123},   {0xa32d5f, 0, -169},  {0xae9ce3, 0, -131},  {0xb10104, 0, -33},
    {0xb56409, 0, -117},  {0xd39224, 0, -87},   {0xffa15b, 0, 431},   {0x80aaaa, 1, -177},
    {0x82ad83, 1, -67},   {0x886ec9, 1, -111},  {0x8dc758, 1, 41},    {0xcc3504, 1, -139},
    {0xd98aa2, 1, 265},   {0xfc16de, 1, -195}};
enum { POWERS = sizeof powers / sizeof *powers, INTEGERS = 4, PRECISION = 24 };

/* How far the exponent of x can be moved: by so many steps, each of which moves the result's by a whole number. */
static int most_steps(int quarters, int step) {
    enum { MOST_OF_RESULT = 120, MOST_OF_X = 100 };
    const int of_result = 4 * MOST_OF_RESULT / (abs(quarters) * step);
    return of_result < MOST_OF_X / step ? of_result : MOST_OF_X / step;
}

bool solve_hardest_power(struct builder *builder) {
    const struct format *format = builder->request.format;
    const bool is_integer = takes_integer(builder);
    if (format->precision != PRECISION || builder->request.results->precision != PRECISION)
        return is_integer ? solve_base(builder) : solve_power(builder);
    const size_t at = (size_t)draw_under(builder, is_integer ? INTEGERS : POWERS);
    const int quarters = powers[at].quarters;
    const int step = quarters % 4 == 0 ? 1 : quarters % 2 == 0 ? 2 : 4;
    const int most = most_steps(quarters, step);
    const int exponent = powers[at].exponent + step * draw_between(builder, -most, most);
    const bool may_be_negative =
        step == 1 && builder->request.operation->result[0].mpfr2 == mpfr_pow;
    const bool negative = (is_integer || may_be_negative) && draw_sign(builder);
    return set_operand(builder, 0, negative, powers[at].significand, 1 - PRECISION + exponent) &&
           set_operand(builder, 1, quarters < 0, (uint64_t)abs(quarters), -2) &&
           aim_at_result(builder, true) && fabs(builder->aim.distance) < 0x1p-29;
}
