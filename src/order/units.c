/* The rows of matrix units.
 *
 * Sources, by the names that rows have: "published": what the hardware returned in cases published by F. A. Khattak and
 * M. Mikaitis (MATLAB-tensor-core, arXiv 2512.07004), which tests hold the row to; "MMA-Sim": arXiv 2511.10909, and
 * "MATLAB-tensor-core": the models there, of which nothing is at hand to hold them to; "manual": the pseudo-code of the
 * maker's manual.
 *
 * What published cases leave open is as MATLAB-tensor-core has it: `alignment_floor`, below which only sums of the
 * smallest numbers lie. */
#include "order/units.h"

#include "base/names.h"

#include <stdio.h>
#include <string.h>

#define FORMAT(NAME)  &formats[FORMAT_##NAME]
#define ELEMENT(NAME) &element_formats[FORMAT_##NAME]

const char *const unit_shape_names[UNIT_SHAPES] = {"at-once", "chain",    "chain-odd-first",
                                                   "pairs",   "even-odd", "register-halves"};

/* ---- Nodes ---- */

/* A node of NVIDIA's: products as they are and c are aligned to the largest exponent and cut to `bits`. To fp32 the sum
 * is cut, too, to fp16 it is rounded. */
#define ALIGNED_TO_FP32(NAME, BITS, FLOOR, PRECISION)                                              \
    static const struct order_node NAME = {.kind = ORDER_SUM,                                      \
                                           .result = FORMAT(FP32),                                 \
                                           .rounding = ORDER_TOWARD_ZERO,                          \
                                           .result_precision = PRECISION,                          \
                                           .overflow_is_infinite = true,                           \
                                           .aligned_bits = BITS,                                   \
                                           .alignment = ORDER_TOWARD_ZERO,                         \
                                           .alignment_floor = FLOOR,                               \
                                           .nan = 0x7fffffff}
#define ALIGNED_TO_FP16(NAME, BITS, FLOOR)                                                         \
    static const struct order_node NAME = {.kind = ORDER_SUM,                                      \
                                           .result = FORMAT(FP16),                                 \
                                           .rounding = ORDER_NEAREST_EVEN,                         \
                                           .aligned_bits = BITS,                                   \
                                           .alignment = ORDER_TOWARD_ZERO,                         \
                                           .alignment_floor = FLOOR,                               \
                                           .nan = 0x7fff}
ALIGNED_TO_FP32(volta_fp32, 23, ORDER_NO_FLOOR, 0);
ALIGNED_TO_FP16(volta_fp16, 23, -19);
ALIGNED_TO_FP32(ampere_fp32, 24, -132, 0);
ALIGNED_TO_FP16(ampere_fp16, 24, -20);
ALIGNED_TO_FP32(hopper_fp32, 25, -133, 0);
ALIGNED_TO_FP16(hopper_fp16, 25, -21);
/* Ada and Hopper keep 13 bits of products of 8-bit numbers, and as many in the sum. */
ALIGNED_TO_FP32(narrow_fp32, 13, ORDER_NO_FLOOR, 14);
ALIGNED_TO_FP16(narrow_fp16, 13, ORDER_NO_FLOOR);

/* Sums of 16 products of 4 bits, times their scales, and c. */
ALIGNED_TO_FP32(blocks_fp32, 35, -126, 0);

/* An exact sum, rounded once to nearest even: plain additions and fused multiply-adds, too. */
#define EXACT(NAME, RESULT, NAN_CODE)                                                              \
    static const struct order_node NAME = {.kind = ORDER_SUM,                                      \
                                           .result = FORMAT(RESULT),                               \
                                           .rounding = ORDER_NEAREST_EVEN,                         \
                                           .aligned_bits = ORDER_ALL_BITS,                         \
                                           .alignment_floor = ORDER_NO_FLOOR,                      \
                                           .nan = NAN_CODE}
EXACT(exact_fp16, FP16, 0x7fff);
EXACT(exact_fp32, FP32, 0x7fffffff);
EXACT(exact_fp64, FP64, 0x7ff8000000000000);
EXACT(cdna1, FP32, 0x7fc00000);

/* Modulo 2^32. */
static const struct order_node whole = {.kind = ORDER_SUM,
                                        .result = &integer_formats[FORMAT_INT32],
                                        .rounding = ORDER_TOWARD_ZERO,
                                        .overflow_is_infinite = true,
                                        .aligned_bits = ORDER_ALL_BITS,
                                        .alignment_floor = ORDER_NO_FLOOR};

/* A fused multiply-add without subnormal numbers. */
#define FLUSHING(NAME, ROUNDING, OPERANDS)                                                         \
    static const struct order_node NAME = {.kind = ORDER_SUM,                                      \
                                           .result = FORMAT(FP32),                                 \
                                           .rounding = ROUNDING,                                   \
                                           .overflow_is_infinite = true,                           \
                                           .aligned_bits = ORDER_ALL_BITS,                         \
                                           .alignment_floor = ORDER_NO_FLOOR,                      \
                                           .flush_operands = OPERANDS,                             \
                                           .flush_c = true,                                        \
                                           .flush_products = OPERANDS && FLUSHES_PRODUCTS,         \
                                           .flush_results = true,                                  \
                                           .products_overflow = FLUSHES_PRODUCTS,                  \
                                           .nan = 0x7fc00000}
#define FLUSHES_PRODUCTS 1
FLUSHING(cdna2, ORDER_NEAREST_EVEN, true);
FLUSHING(bfdot, ORDER_TO_ODD, true);
#undef FLUSHES_PRODUCTS
#define FLUSHES_PRODUCTS 0
FLUSHING(flushing_fma, ORDER_NEAREST_EVEN, true);
FLUSHING(fma_of_fp16, ORDER_NEAREST_EVEN, false);

/* Products are aligned and cut to 24 bits; that sum, to 31 bits, and c, to 24, are aligned, rounding down; the sum is
 * rounded to nearest even. Products of 8 bits are two such sums, of even and of odd ones. */
#define CDNA3(NAME, GROUPS, REACH)                                                                 \
    static const struct order_node NAME = {.kind = ORDER_SUM,                                      \
                                           .result = FORMAT(FP32),                                 \
                                           .rounding = ORDER_NEAREST_EVEN,                         \
                                           .aligned_bits = 24,                                     \
                                           .alignment = ORDER_TOWARD_ZERO,                         \
                                           .alignment_floor = ORDER_NO_FLOOR,                      \
                                           .groups = GROUPS,                                       \
                                           .c = ORDER_C_AFTER_SUM,                                 \
                                           .joined_bits = 31,                                      \
                                           .c_bits = 24,                                           \
                                           .c_reach = REACH,                                       \
                                           .joining = ORDER_DOWN,                                  \
                                           .products_overflow = true,                              \
                                           .nan = 0x7fc00000}
CDNA3(cdna3, 1, 0);
CDNA3(cdna3_fp8, 2, 25);

/* ---- Units ---- */

#define PUBLISHED "published"
#define AMD       "MMA-Sim; MATLAB-tensor-core"

#define AT_ONCE(NAME, OPERANDS, TERMS, NODE, SOURCE)                                               \
    { NAME, OPERANDS, UNIT_AT_ONCE, TERMS, NODE, NULL, SOURCE, NULL, NULL }
/* fp16, bf16, tf32 and whole numbers of one generation. */
#define GENERATION(NAME, TERMS, TF32_TERMS, NODE, SOURCE)                                          \
    AT_ONCE(NAME, FORMAT(FP16), TERMS, &NODE##_fp32, SOURCE),                                      \
        AT_ONCE(NAME, FORMAT(FP16), TERMS, &NODE##_fp16, SOURCE),                                  \
        AT_ONCE(NAME, FORMAT(BF16), TERMS, &NODE##_fp32, SOURCE),                                  \
        AT_ONCE(NAME, FORMAT(TF32), TF32_TERMS, &NODE##_fp32, SOURCE),                             \
        AT_ONCE(NAME, &integer_formats[FORMAT_INT8], 32, &whole, "manual")
#define WITH_FP64(NAME)                                                                            \
    { NAME, FORMAT(FP64), UNIT_CHAIN, 4, &exact_fp64, NULL, "MMA-Sim", NULL, NULL }
#define FP8_AT_ONCE(NAME, TERMS, NODE, SOURCE)                                                     \
    AT_ONCE(NAME, FORMAT(FP8_E4M3FN), TERMS, NODE, SOURCE),                                        \
        AT_ONCE(NAME, FORMAT(FP8_E5M2), TERMS, NODE, SOURCE)

/* mma.sync of 8 bits where the hardware has it for 16 only: operands are widened, and c comes in by a plain addition.
 * So a comment in MATLAB-tensor-core has it, and none of the published models of B200. Those have 32 products at once with
 * 25 bits, which the cases refute, and an exact sum, which fits those to fp32 as this does and is refuted by those to fp16. */
#define FP8_BY_HALVES(NAME, RESULT)                                                                \
    {NAME,                                                                                         \
     FORMAT(FP8_E4M3FN),                                                                           \
     UNIT_REGISTER_HALVES,                                                                         \
     32,                                                                                           \
     &hopper_##RESULT,                                                                             \
     &exact_##RESULT,                                                                              \
     PUBLISHED,                                                                                    \
     NULL,                                                                                         \
     NULL},                                                                                        \
    {                                                                                              \
        NAME, FORMAT(FP8_E5M2), UNIT_REGISTER_HALVES, 32, &hopper_##RESULT, &exact_##RESULT,       \
            PUBLISHED, NULL, NULL                                                                  \
    }
/* To fp32 the published cases are of calls of wgmma without c; that c is a term like others is MMA-Sim's. */
#define HOPPER(NAME)                                                                               \
    GENERATION(NAME, 16, 8, hopper, PUBLISHED), WITH_FP64(NAME),                                   \
        FP8_AT_ONCE(NAME, 32, &narrow_fp32, PUBLISHED), FP8_BY_HALVES(NAME, fp16)
/* Factors of 6 and 4 bits by the fifth generation's own instructions: MMA-Sim has 8 and 4 bits, which are alike. */
#define NARROWER(NAME, NODE)                                                                       \
    AT_ONCE(NAME, FORMAT(FP6_E3M2FN), 32, NODE, "as of 8 bits"),                                   \
        AT_ONCE(NAME, FORMAT(FP6_E2M3FN), 32, NODE, "as of 8 bits"),                               \
        AT_ONCE(NAME, FORMAT(FP4_E2M1FN), 32, NODE, "MMA-Sim")
/* With scales of blocks: kinds mxf8f6f4, where a scale is an exponent of its products, and mxf4nvf4, where 16 products
 * are added before they meet their scales. */
static const struct unit_scales mx_blocks = {FORMAT(FP8_E8M0FNU), 32, 1};
static const struct unit_scales mxf4_blocks = {FORMAT(FP8_E8M0FNU), 32, 16};
static const struct unit_scales mxf4_halves = {FORMAT(FP8_E8M0FNU), 16, 16};
static const struct unit_scales nvf4_blocks = {FORMAT(FP8_E4M3FN), 16, 16};
#define BLOCKS(NAME, OPERANDS, TERMS, NODE, SOURCE, SCALES)                                        \
    { NAME, ELEMENT(OPERANDS), UNIT_AT_ONCE, TERMS, NODE, NULL, SOURCE, SCALES, NULL }
#define SCALED(NAME)                                                                               \
    BLOCKS(NAME, MXFP8_E4M3, 32, &hopper_fp32, "MMA-Sim", &mx_blocks),                             \
        BLOCKS(NAME, MXFP8_E5M2, 32, &hopper_fp32, "MMA-Sim", &mx_blocks),                         \
        BLOCKS(NAME, MXFP6_E3M2, 32, &hopper_fp32, "as of 8 bits", &mx_blocks),                    \
        BLOCKS(NAME, MXFP6_E2M3, 32, &hopper_fp32, "as of 8 bits", &mx_blocks),                    \
        BLOCKS(NAME, MXFP4_E2M1, 64, &blocks_fp32, "MMA-Sim", &mxf4_blocks),                       \
        BLOCKS(NAME, MXFP4_E2M1, 64, &blocks_fp32, "MMA-Sim", &mxf4_halves),                       \
        BLOCKS(NAME, MXFP4_E2M1, 64, &blocks_fp32, "MMA-Sim", &nvf4_blocks)

/* An instruction takes 32 products of 8 bits in two groups of 16. */
#define ADA(NAME, SOURCE16)                                                                        \
    GENERATION(NAME, 8, 4, ampere, PUBLISHED), FP8_AT_ONCE(NAME, 16, &narrow_fp32, PUBLISHED),     \
        FP8_AT_ONCE(NAME, 16, &narrow_fp16, SOURCE16)

const struct unit units[] = {
    AT_ONCE("v100", FORMAT(FP16), 4, &volta_fp32, PUBLISHED),
    AT_ONCE("v100", FORMAT(FP16), 4, &volta_fp16, PUBLISHED),
    GENERATION("a100", 8, 4, ampere, PUBLISHED),
    WITH_FP64("a100"),
    GENERATION("a2", 8, 4, ampere, PUBLISHED),
    ADA("ada", PUBLISHED),
    ADA("l40s", "as of ada"),
    HOPPER("h100"),
    HOPPER("h200"),
    GENERATION("b200", 16, 8, hopper, PUBLISHED),
    WITH_FP64("b200"),
    FP8_BY_HALVES("b200", fp32),
    FP8_BY_HALVES("b200", fp16),
    FP8_AT_ONCE("b200-tcgen05", 32, &hopper_fp32, "MMA-Sim"),
    FP8_AT_ONCE("b200-tcgen05", 32, &hopper_fp16, "MMA-Sim"),
    /* Exact, rounded once. MMA-Sim adds in pairs; MATLAB-tensor-core was held to that hardware. */
    AT_ONCE("mi100", FORMAT(FP16), 4, &cdna1, "MATLAB-tensor-core"),
    AT_ONCE("mi100", FORMAT(BF16), 2, &cdna1, "MATLAB-tensor-core"),
    {"mi250", FORMAT(FP16), UNIT_PAIRS, 4, &cdna2, &cdna2, AMD, NULL, NULL},
    {"mi250", FORMAT(BF16), UNIT_PAIRS, 4, &cdna2, &cdna2, AMD, NULL, NULL},
    AT_ONCE("mi300x", FORMAT(FP16), 8, &cdna3, AMD),
    AT_ONCE("mi300x", FORMAT(BF16), 8, &cdna3, AMD),
    AT_ONCE("mi300x", FORMAT(TF32), 4, &cdna3, AMD),
    AT_ONCE("mi300x", FORMAT(FP8_E4M3FNUZ), 16, &cdna3_fp8, AMD),
    AT_ONCE("mi300x", FORMAT(FP8_E5M2FNUZ), 16, &cdna3_fp8, AMD),
    /* VDPBF16PS, TDPBF16PS, TDPFP16PS (Intel's manual); BFDOT without FEAT_EBF16 (Arm's). */
    {"avx512-bf16", FORMAT(BF16), UNIT_CHAIN_ODD_FIRST, 2, &flushing_fma, NULL, "manual", NULL,
     NULL},
    {"amx-bf16", FORMAT(BF16), UNIT_EVEN_ODD, 32, &flushing_fma, &flushing_fma, "manual", NULL,
     NULL},
    {"amx-fp16", FORMAT(FP16), UNIT_EVEN_ODD, 32, &fma_of_fp16, &flushing_fma, "manual", NULL,
     NULL},
    {"neon-bf16", FORMAT(BF16), UNIT_PAIRS, 2, &bfdot, &bfdot, "manual", NULL, NULL},
    GENERATION("b200-tcgen05", 16, 8, hopper, "MMA-Sim"),
    NARROWER("b200-tcgen05", &hopper_fp32),
    NARROWER("b200-tcgen05", &hopper_fp16),
    SCALED("b200-tcgen05"),
    GENERATION("rtx-blackwell", 16, 8, hopper, "MMA-Sim"),
    FP8_AT_ONCE("rtx-blackwell", 32, &hopper_fp32, "MMA-Sim"),
    FP8_AT_ONCE("rtx-blackwell", 32, &hopper_fp16, "MMA-Sim"),
    NARROWER("rtx-blackwell", &hopper_fp32),
    NARROWER("rtx-blackwell", &hopper_fp16),
    SCALED("rtx-blackwell"),
};
const size_t unit_count = sizeof units / sizeof *units;

const char *unit_name(size_t index) {
    for (size_t i = 0; i < unit_count; i++) {
        bool known = false;
        for (size_t before = 0; before < i; before++)
            known |= strcmp(units[before].name, units[i].name) == 0;
        if (!known && !index--)
            return units[i].name;
    }
    return NULL;
}

bool unit_exists(const char *name, struct error *error) {
    char names[320] = "";
    for (size_t i = 0; unit_name(i); i++) {
        if (name_matches(name, unit_name(i), NULL))
            return true;
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", unit_name(i));
    }
    return error_set(error, "no matrix unit '%.40s'; there are: %s", name, names);
}

/* "fp16", "mxfp4_e2m1 by fp8_e4m3fn for 16". */
static void factors_in_words(const struct format *format, const struct format *scales,
                             unsigned block, char *text, size_t room) {
    snprintf(text, room, "%s", format->name);
    size_t length = strlen(text);
    if (scales)
        snprintf(text + length, room - length, " by %s for %u", scales->name, block);
}

static bool has_formats(const struct unit *unit, const struct format *format,
                        const struct format *scales, unsigned block,
                        const struct format *accumulator) {
    return unit->format == format && unit->node->result == accumulator &&
           (unit->scales ? unit->scales->format == scales && unit->scales->block == block
                         : !scales);
}

const struct unit *unit_find_scaled(const char *name, const struct format *format,
                                    const struct format *scales, unsigned block,
                                    const struct format *accumulator, struct error *error) {
    char there[1024] = "", one[128];
    if (!unit_exists(name, error))
        return NULL;
    for (size_t i = 0; i < unit_count; i++) {
        const struct unit *unit = &units[i];
        if (!name_matches(name, unit->name, NULL))
            continue;
        if (has_formats(unit, format, scales, block, accumulator))
            return unit;
        if (!scales != !unit->scales)
            continue;
        size_t length = strlen(there);
        factors_in_words(unit->format, unit->scales ? unit->scales->format : NULL,
                         unit->scales ? unit->scales->block : 0, one, sizeof one);
        snprintf(there + length, sizeof there - length, "%s%s to %s", length ? ", " : "", one,
                 unit->node->result->name);
    }
    factors_in_words(format, scales, block, one, sizeof one);
    error_set(error, "%.40s has no products of %s summed in %s; it has %s", name, one,
              accumulator->name, *there ? there : "none with scales");
    return NULL;
}

/* Whether both rows are one instruction but for the format of the factors. */
static bool takes_both(const struct unit *a, const struct unit *b) {
    return strcmp(a->name, b->name) == 0 && a->node == b->node && a->last == b->last &&
           a->shape == b->shape && a->call == b->call && !a->scales && !b->scales &&
           a->format->width <= 8 && b->format->width <= 8 && !a->format->is_integer &&
           !b->format->is_integer;
}

bool unit_mix(const struct unit *unit, const struct format *second, struct unit *mixed,
              struct error *error) {
    *mixed = *unit;
    size_t i = 0;
    while (i < unit_count && !(units[i].format == second && takes_both(unit, &units[i])))
        i++;
    if (i == unit_count)
        return error_set(error, "%s has no products of %s and %s in one call", unit->name,
                         unit->format->name, second->name);
    if (unit->shape == UNIT_REGISTER_HALVES)
        mixed->format = FORMAT(FP16);
    else
        mixed->second = second;
    return true;
}

/* Each call's sum stops at the ends of int32, as CUDA's guide says of wmma's satf. */
bool unit_saturate(const struct unit *unit, struct unit *saturating, struct error *error) {
    static const struct order_node node = {.kind = ORDER_SUM,
                                           .result = &integer_formats[FORMAT_INT32],
                                           .rounding = ORDER_TOWARD_ZERO,
                                           .aligned_bits = ORDER_ALL_BITS,
                                           .alignment_floor = ORDER_NO_FLOOR};
    *saturating = *unit;
    if (!unit->node->result->is_integer)
        return error_set(error, "only sums of integers saturate, not sums of %s in %s",
                         unit->format->name, unit->node->result->name);
    saturating->node = &node;
    return true;
}

bool unit_shorten(const struct unit *unit, size_t tile, struct unit *shorter, struct error *error) {
    *shorter = *unit;
    if (!tile || unit->shape != UNIT_AT_ONCE || unit->scales || unit->call % tile)
        return error_set(error,
                         "a call of %s takes %u products of %s; tile= takes a divisor of that, for "
                         "units that add all at once and have no scales",
                         unit->name, unit->call, unit->format->name);
    shorter->call = (unsigned)tile;
    return true;
}

const struct unit *unit_find(const char *name, const struct format *format,
                             const struct format *accumulator, struct error *error) {
    return unit_find_scaled(name, format, NULL, 0, accumulator, error);
}
