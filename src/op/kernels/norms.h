/* What the norms share: how their lines lie, and the members of their rows. */
#ifndef DETCHECK_OP_KERNELS_NORMS_H
#define DETCHECK_OP_KERNELS_NORMS_H

#include "op/array.h"

#include "detmath/norms.h"

/* Which elements are normed together. */
enum norm_lines {
    NORM_ALONG,    /* those along --axis */
    NORM_GROUPS,   /* of N x C x ...: those of a sample in a group of channels */
    NORM_CHANNELS, /* likewise: those of a channel, of all samples */
};

/* A norm's own facts: the data of its row. */
struct norm_facts {
    enum detmath_norm which;
    enum norm_lines lines;
};

/* Line l starts at index l / block * starts + l % block; its element i lies i / inner * step + i % inner * unit beyond
 * that, and has the weight of index l % groups * each + i / per. */
struct norm_layout {
    uint64_t count, length, block, starts, inner, step, unit, groups, each, per;
};
struct norm_layout norm_layout_of(const struct array_call *call);
static inline uint64_t norm_place(const struct norm_layout *layout, uint64_t line, uint64_t i) {
    return line / layout->block * layout->starts + line % layout->block +
           i / layout->inner * layout->step + i % layout->inner * layout->unit;
}
static inline uint64_t norm_weight_place(const struct norm_layout *layout, uint64_t line,
                                         uint64_t i) {
    return line % layout->groups * layout->each + i / layout->per;
}

struct norm_layout norm_layout_of(const struct array_call *call);

static inline uint64_t norm_groups(const struct array_call *call) {
    return (uint64_t)parameter_integer(call->parameters, PARAMETER_GROUPS, 1);
}

/* Operands: the array, and as --affine has it a weight and a bias. */
enum { NORM_X, NORM_WEIGHT, NORM_BIAS };

/* Members of the rows of all norms: parameters beside those of arrays, and of a norm along an axis what its operands
 * are and how they are computed exactly. */
#define NORMS (PARAMETER_BIT(EPSILON) | PARAMETER_BIT(AFFINE))
#define NORM_OPERANDS(WHICH)                                                                       \
    .data = &(const struct norm_facts){DETMATH_##WHICH##_NORM, NORM_ALONG},                        \
    .operand_names = {"x", "weight", "bias"},                                                      \
    .roles = {OPERAND_LINES, OPERAND_SHARED, OPERAND_SHARED}, .operand_count = norm_operands,      \
    .exact = norm_exact

/* False with the reason where a shape is none of samples and channels. */
bool norm_has_channels(const struct array_call *call, const struct shape *shape,
                       struct error *error);
extern const struct shape norm_channel_shapes[];

int norm_operands(const struct parameters *parameters);
bool norm_run_det(const struct array_call *call, const struct array_algorithm *algorithm,
                  struct error *error);
extern const char norm_det_detail[];

bool norm_exact(const struct array_call *call, int result, int precision, struct real *y,
                struct error *error);

#endif
