/* Roots of fp64 next to midpoints and numbers, which no window along x comes upon.
 *
 * A window brings a result within 2^-30 of an ulp (along.c). These lie within 2^-48.8, the nearest one within 2^-58: the
 * nearest 16 on each side of CORE-MATH's lists of hard inputs (core-math.gitlabpages.inria.fr: cbrt.wc and rsqrt.wc of
 * binary64). The significands alone are from there. An exponent can change by a multiple of the root's order. */
#include "sweep/built/solver.h"

enum { NEAREST = 16, PRECISION = 53 };

/* significand * 2^exponent. */
struct radicand {
    uint64_t significand;
    int exponent;
};

/* Next to numbers, then next to midpoints; below, then above. */
static const struct radicand cube_roots[2][2][NEAREST] = {{{{0x1ffffffffffffd, 1},
                                                            {0x136d8414b01655, 1},
                                                            {0x10000000000003, 2},
                                                            {0x17b1f68fdf7307, 2},
                                                            {0x1d3954d3f1546e, 0},
                                                            {0x1ffffffffffffa, 1},
                                                            {0x132982f1cc5f06, 1},
                                                            {0x10a3e4d1f5c0f8, 2},
                                                            {0x101fb4bd640f53, 1},
                                                            {0x1f4786638ad57f, 1},
                                                            {0x17c60cdf772f0f, 0},
                                                            {0x10000000000006, 2},
                                                            {0x1ffffffffffff7, 1},
                                                            {0x1e0f9685bbbe74, 2},
                                                            {0x15858e104561c0, 2},
                                                            {0x17c4039733604f, 1}},
                                                           {{0x1fe18a044a5501, 0},
                                                            {0x1ac8538a031cbd, 1},
                                                            {0x17845d2faac6fe, 2},
                                                            {0x13a9ccd7f022db, 2},
                                                            {0x1d1ef81cbbbe71, 2},
                                                            {0x1a6bb8c803147b, 1},
                                                            {0x10a2014f62987c, 0},
                                                            {0x1aa72bb0f0423a, 2},
                                                            {0x1ddd832b81fd6a, 2},
                                                            {0x109168bb487c77, 2},
                                                            {0x12940e95ef6eed, 1},
                                                            {0x1434967cdd9a87, 0},
                                                            {0x11db04b358498b, 2},
                                                            {0x102e5fc0bb4f11, 1},
                                                            {0x1a6c3181ff16e6, 2},
                                                            {0x19c1a63d44893f, 0}}},
                                                          {{{0x100357fdfa5412, 2},
                                                            {0x1c22b300602884, 2},
                                                            {0x164f6d9ecb0fa4, 1},
                                                            {0x1e3d8bd45f5f9f, 1},
                                                            {0x1f1e46556eeffe, 2},
                                                            {0x14027ebbb30916, 2},
                                                            {0x1cf9023ac66768, 1},
                                                            {0x10a9bbd11b3a24, 1},
                                                            {0x17c2a8af7d25b3, 2},
                                                            {0x1565de16629b46, 1},
                                                            {0x1facf54cb99f7b, 0},
                                                            {0x1b28b3c1f7d20e, 0},
                                                            {0x1a8d5037e34beb, 0},
                                                            {0x1b767b543b0956, 0},
                                                            {0x1bb6ed102eaeb8, 0},
                                                            {0x1d3beb8267d012, 2}},
                                                           {{0x19b78223aa307c, 0},
                                                            {0x1a202bfc89ddff, 1},
                                                            {0x105b93f3e0caf9, 2},
                                                            {0x1e24ad800f33a2, 2},
                                                            {0x1b7abfd282ff33, 0},
                                                            {0x1577a288016fda, 0},
                                                            {0x1513b22fc37587, 2},
                                                            {0x1e6ec8e3a6150b, 2},
                                                            {0x1e2a152695b9c4, 2},
                                                            {0x18a73e89c82677, 0},
                                                            {0x1a3a8de5543964, 2},
                                                            {0x1adfcf906e1c5c, 0},
                                                            {0x1d1b32c62fe6a8, 0},
                                                            {0x1914571cdbb1da, 0},
                                                            {0x120b9ad6f402a8, 2},
                                                            {0x1bd1766106ccb2, 0}}}};
static const struct radicand reciprocal_square_roots[2][2][NEAREST] = {{{{0x1752ba6b1ab340, 1},
                                                                         {0x1a3d11b87e09a8, 0},
                                                                         {0x1ecd0c3efd5c99, 0},
                                                                         {0x15279a8adc95f7, 0},
                                                                         {0x15ec05502fa096, 1},
                                                                         {0x16da04d50d653a, 0},
                                                                         {0x12da8b364de59c, 1},
                                                                         {0x18b170c199ef5f, 1},
                                                                         {0x1fac6c08fc5e3c, 1},
                                                                         {0x1aaa781f32e8f9, 0},
                                                                         {0x1852ec80775d4b, 0},
                                                                         {0x1074201a856f8a, 0},
                                                                         {0x1b3e5d45174e1d, 0},
                                                                         {0x150de17de8d395, 0},
                                                                         {0x1a8d75161794f5, 1},
                                                                         {0x16ce105863c8f8, 0}},
                                                                        {{0x10000000000001, 0},
                                                                         {0x1489ffa4d31e01, 1},
                                                                         {0x1ffffffffffffc, 1},
                                                                         {0x1638e38e38e391, 1},
                                                                         {0x1eece4c44c75d4, 1},
                                                                         {0x1e3dbaa98ec48e, 1},
                                                                         {0x174551a59f7038, 1},
                                                                         {0x151334a2c1ba83, 1},
                                                                         {0x198fcd149e3335, 0},
                                                                         {0x12d96da76f399e, 1},
                                                                         {0x10000000000002, 0},
                                                                         {0x1a2dfbda535e3f, 0},
                                                                         {0x1c9e4bc26d7ebc, 0},
                                                                         {0x12bdcf9f048545, 0},
                                                                         {0x10c145069bc170, 0},
                                                                         {0x1e64d1e6d788fb, 0}}},
                                                                       {{{0x1a6a9cc15abcce, 0},
                                                                         {0x1019f3185cc078, 0},
                                                                         {0x154709118a46d6, 1},
                                                                         {0x190229294e10be, 1},
                                                                         {0x1d9e27fc59beaa, 1},
                                                                         {0x1cb33dde23f4df, 0},
                                                                         {0x18376f59dbd3a8, 1},
                                                                         {0x1016ab3f34f6ca, 1},
                                                                         {0x1b9e8780208331, 0},
                                                                         {0x105302693f863d, 0},
                                                                         {0x1abaff737de564, 1},
                                                                         {0x129c7f27b35a5c, 1},
                                                                         {0x1ed4285d71c6ae, 0},
                                                                         {0x11bc50bd2f80b7, 0},
                                                                         {0x106869c46e3af3, 0},
                                                                         {0x1081cf76b75272, 1}},
                                                                        {{0x1c562b857453dd, 1},
                                                                         {0x1ffffffffffffe, 1},
                                                                         {0x1f4b0482bfa34c, 0},
                                                                         {0x1c51fd5dac918d, 0},
                                                                         {0x1826dca556295a, 1},
                                                                         {0x12cf7c2d6696e2, 0},
                                                                         {0x1adf7d568fb6bd, 1},
                                                                         {0x1d0a4a40f6cdec, 0},
                                                                         {0x1656230dda552d, 0},
                                                                         {0x1c71c71c71c720, 0},
                                                                         {0x1aff7a74ebc794, 1},
                                                                         {0x17b8a47dd144ac, 0},
                                                                         {0x11d87b404a19e4, 0},
                                                                         {0x1ffffffffffffa, 1},
                                                                         {0x11bc0327288980, 0},
                                                                         {0x147fde75370085, 1}}}};

static bool solve_hardest_root(struct builder *builder,
                               const struct radicand radicands[2][2][NEAREST], int order,
                               bool negative) {
    const struct format *format = builder->request.format;
    if (format->precision != PRECISION || builder->request.results->precision != PRECISION)
        return solve_along(builder);
    const bool midpoint = draw_is_midpoint(builder);
    const struct radicand *x =
        &radicands[midpoint][draw_under(builder, 2)][draw_under(builder, NEAREST)];
    const int least = format->emin - PRECISION + 1, most = format->emax - PRECISION + 1;
    const int steps =
        draw_between(builder, (least - x->exponent) / order + 1, (most - x->exponent) / order - 1);
    return set_operand(builder, 0, negative, x->significand, x->exponent + order * steps) &&
           aim_at_result(builder, midpoint);
}

bool solve_hardest_cube_root(struct builder *builder) {
    return solve_hardest_root(builder, cube_roots, 3, draw_sign(builder));
}

bool solve_hardest_reciprocal_square_root(struct builder *builder) {
    return solve_hardest_root(builder, reciprocal_square_roots, 2, false);
}
