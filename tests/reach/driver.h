/* The program around fingerprints: goes through the functions and the inputs, has them computed,
 * hashes what came out and prints a line for each function and variant:
 *     SET FUNCTION VARIANT HASH
 * Whoever includes this says where functions are computed (reach_compute, reach_flush) and defines
 * REACH_BLOCK, how many at a time; no bit depends on that. C11, C++17 and CUDA C++.
 *
 * The words that are hashed are results in fp32, or codes, in the order of the inputs; of two
 * results of one input, the one after the other. NaNs are canonical already. */
#ifndef REACH_DRIVER_H
#define REACH_DRIVER_H

#include "inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* `narrow` is the correctly rounded one in each narrow format, one format after the other. */
enum reach_variant { REACH_DET, REACH_CR, REACH_NARROW, REACH_VARIANTS };
static const char *const reach_variants[] = {"det", "cr", "narrow"};

/* fp16, bf16 and four of 8 bits, with the indices that enum detmath_format_index gives them. */
enum { REACH_F16 = 1, REACH_BF16 = 2, REACH_FORMATS = 7 };

/* Functions of codes.h, of two words; there is a det of them only. */
#define REACH_CODES(ROW)                                                                           \
    ROW(cast)                                                                                      \
    ROW(mx)

struct reach_function {
    const char *name;
    int operands, results; /* in words */
};

enum reach_index {
#define DETMATH_UNARY(NAME, ...)      REACH_INDEX_##NAME,
#define DETMATH_BINARY(NAME, ...)     REACH_INDEX_##NAME,
#define DETMATH_PAIR(NAME, A, B, ...) REACH_INDEX_##NAME,
#include "detmath/functions.inc"
#define REACH_ROW(NAME) REACH_INDEX_##NAME,
    REACH_CODES(REACH_ROW)
#undef REACH_ROW
#define DETMATH_UNARY_F64(NAME, ...)  REACH_INDEX_##NAME##_f64,
#define DETMATH_BINARY_F64(NAME, ...) REACH_INDEX_##NAME##_f64,
#define DETMATH_PAIR_F64(NAME, A, B)  REACH_INDEX_##NAME##_f64,
#include "detmath/functions_f64.inc"
        REACH_FUNCTIONS,
#define DETMATH_UNARY_F64(NAME, ...)  +1
#define DETMATH_BINARY_F64(NAME, ...) +1
#define DETMATH_PAIR_F64(NAME, A, B)  +1
    REACH_FIRST_F64 = REACH_FUNCTIONS - (0
#include "detmath/functions_f64.inc"
                                         )
};

static const struct reach_function reach_functions[] = {
#define DETMATH_UNARY(NAME, ...)      {#NAME, 1, 1},
#define DETMATH_BINARY(NAME, ...)     {#NAME, 2, 1},
#define DETMATH_PAIR(NAME, A, B, ...) {#NAME, 1, 2},
#include "detmath/functions.inc"
#define REACH_ROW(NAME) {#NAME, 2, 1},
    REACH_CODES(REACH_ROW)
#undef REACH_ROW
#define DETMATH_UNARY_F64(NAME, ...)  {#NAME "_f64", 2, 2},
#define DETMATH_BINARY_F64(NAME, ...) {#NAME "_f64", 4, 2},
#define DETMATH_PAIR_F64(NAME, A, B)  {#NAME "_f64", 2, 2},
#include "detmath/functions_f64.inc"
};

/* n inputs for one function: bits of fp32, or codes of a narrow format; of a number of fp64 x has the high word and y the low
 * one, and of two numbers x the high words and y the low ones, those of the second after all of the first. Two results of fp64 are
 * one: the first, of which the bits differ that the second has, one place further to the left. */
struct reach_work {
    int function, variant, format;
    size_t n;
    uint32_t x[REACH_BLOCK], y[REACH_BLOCK], results[2][REACH_BLOCK];
};

/* Fills in the results; false where this variant is not provided there. */
static int reach_compute(struct reach_work *work);
/* Has subnormal operands and results taken as zero; false where that cannot be had. */
static int reach_flush(void);

/* What the command line asks for. */
struct reach_wish {
    const struct reach_set *set;
    int show;      /* print inputs and results instead of hashes */
    int functions; /* how many names follow; all if none */
    char *const *names;
};

static uint64_t reach_count(const struct reach_set *set, const struct reach_work *work) {
    int pairs = reach_functions[work->function].operands > 1;
    if (work->function >= REACH_FIRST_F64 && set->all)
        return work->format == 0 ? REACH_ALL_F64 : 0;
    if (work->format == 0)
        return pairs ? set->pairs : set->words;
    if (work->format <= REACH_BF16)
        return pairs ? set->pairs16 : set->codes;
    return pairs ? set->pairs8 : set->codes ? 256 : 0;
}

static void reach_input(const struct reach_set *set, const struct reach_work *work, uint64_t index,
                        uint32_t pair[2]) {
    int pairs = reach_functions[work->function].operands == 2;
    pair[1] = 0;
    if (work->function >= REACH_FIRST_F64)
        reach_wide(index, pair);
    else if (work->format == 0 && pairs)
        reach_pair(index, pair);
    else if (work->format == 0)
        pair[0] = reach_word(set, index);
    else if (work->format <= REACH_BF16 && pairs)
        reach_pair16(index, work->format == REACH_BF16, pair);
    else if (work->format <= REACH_BF16)
        pair[0] = reach_code(set->codes, index);
    else if (pairs) {
        uint32_t both = reach_code(set->pairs8, index);
        pair[0] = both >> 8;
        pair[1] = both & 0xffu;
    } else
        pair[0] = (uint32_t)index;
}

/* Of two numbers of fp64. */
static int reach_is_long(const struct reach_work *work) {
    return reach_functions[work->function].operands == 4;
}

static void reach_fill(const struct reach_set *set, struct reach_work *work, uint64_t at) {
    for (size_t i = 0; i < work->n; i++) {
        uint32_t words[4] = {0};
        if (reach_is_long(work)) {
            reach_wide_pair(at + i, words);
            work->x[work->n + i] = words[2];
            work->y[work->n + i] = words[3];
        } else
            reach_input(set, work, at + i, words);
        work->x[i] = words[0];
        work->y[i] = words[1];
    }
}

static void reach_show(const struct reach_work *work, size_t i) {
    const struct reach_function *function = &reach_functions[work->function];
    printf("%s %s %d  %08" PRIx32, function->name, reach_variants[work->variant], work->format,
           work->x[i]);
    if (function->operands > 1)
        printf(" %08" PRIx32, work->y[i]);
    if (function->operands == 4)
        printf(" %08" PRIx32 " %08" PRIx32, work->x[work->n + i], work->y[work->n + i]);
    printf("  %08" PRIx32, work->results[0][i]);
    if (function->results == 2)
        printf(" %08" PRIx32, work->results[1][i]);
    printf("\n");
}

/* All inputs in work->format; false where that is not provided. */
static int reach_format(const struct reach_wish *wish, struct reach_work *work,
                        struct reach_hash *hash) {
    uint64_t count = reach_count(wish->set, work);
    int two = reach_functions[work->function].results == 2;
    const uint64_t most = reach_is_long(work) ? REACH_BLOCK / 2 : REACH_BLOCK;
    for (uint64_t at = 0; at < count; at += work->n) {
        work->n = (size_t)(count - at < most ? count - at : most);
        reach_fill(wish->set, work, at);
        if (!reach_compute(work))
            return 0;
        for (size_t i = 0; i < work->n; i++) {
            reach_hash_word(hash, work->results[0][i]);
            if (two)
                reach_hash_word(hash, work->results[1][i]);
            if (wish->show)
                reach_show(work, i);
        }
    }
    return 1;
}

static void reach_variant(const struct reach_wish *wish, struct reach_work *work) {
    struct reach_hash hash = reach_hash_start();
    int narrow = work->variant == REACH_NARROW;
    for (int format = narrow; format < (narrow ? REACH_FORMATS : 1); format++) {
        work->format = format;
        if (!reach_format(wish, work, &hash))
            return;
    }
    if (hash.count == 0 || wish->show)
        return;
    uint64_t halves[2];
    reach_hash_end(&hash, halves);
    printf("%s %s %s %016" PRIx64 "%016" PRIx64 "\n", wish->set->name,
           reach_functions[work->function].name, reach_variants[work->variant], halves[0],
           halves[1]);
    fflush(stdout);
}

static int reach_wished(const struct reach_wish *wish, int function) {
    for (int i = 0; i < wish->functions; i++)
        if (strcmp(wish->names[i], reach_functions[function].name) == 0)
            return 1;
    return wish->functions == 0;
}

static int reach_usage(const char *program) {
    fprintf(stderr,
            "usage: %s [--flush] [--show] [quick|full|all] [FUNCTION...]\n"
            "  --flush  with subnormal operands and results taken as zero\n"
            "  --show   each input and result instead of fingerprints\n",
            program);
    return 2;
}

static int reach_known(const struct reach_wish *wish) {
    int found = 0;
    for (int i = 0; i < REACH_FUNCTIONS; i++)
        found += reach_wished(wish, i);
    return wish->functions == 0 || found == wish->functions;
}

static int reach_main(int argc, char **argv) {
    struct reach_wish wish = {&reach_sets[1], 0, 0, NULL};
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--show") == 0)
            wish.show = 1;
        else if (strcmp(argv[at], "--flush") != 0)
            return reach_usage(argv[0]);
        else if (!reach_flush()) {
            fprintf(stderr, "%s: no way to flush subnormal numbers is known here\n", argv[0]);
            return 77;
        }
    }
    for (size_t i = 0; at < argc && i < sizeof reach_sets / sizeof *reach_sets; i++)
        if (strcmp(argv[at], reach_sets[i].name) == 0) {
            wish.set = &reach_sets[i];
            at++;
            break;
        }
    wish.functions = argc - at;
    wish.names = argv + at;
    if (!reach_known(&wish))
        return reach_usage(argv[0]);
    struct reach_work *work = (struct reach_work *)calloc(1, sizeof *work);
    if (!work)
        return 2;
    for (work->function = 0; work->function < REACH_FUNCTIONS; work->function++)
        for (work->variant = 0; work->variant < REACH_VARIANTS; work->variant++)
            if (reach_wished(&wish, work->function))
                reach_variant(&wish, work);
    free(work);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 2;
}

#endif
