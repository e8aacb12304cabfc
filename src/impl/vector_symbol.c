/* What the symbol of a vector function tells of how it is called. */
#include "impl/vector_abi.h"

#include "platform/processor.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a part of a symbol stands for, and what the processor has to have then. */
struct instructions {
    const char *mark, *feature;
};

static const char *feature_of(const struct instructions *rows, const char *mark, size_t length) {
    for (; rows->mark; rows++)
        if (strlen(rows->mark) == length && strncmp(rows->mark, mark, length) == 0)
            return rows->feature;
    return NULL;
}

/* By the size of the registers; less than what a function inside may want besides. */
static const char *feature_of_bytes(size_t bytes) {
    return bytes == 64 ? "avx512f" : bytes == 32 ? "avx" : "sse2";
}

static bool check_processor(const char *feature, const char *symbol, struct error *error) {
    if (strcmp(processor_architecture(), "x86_64") != 0)
        return error_set(error, "%.100s: functions of vector registers are called on x86-64 only",
                         symbol);
    if (!processor_has(feature))
        return error_set(error, "%.100s needs %s, which this processor does not have", symbol,
                         feature);
    return true;
}

static bool check_bytes(const struct vector_abi *abi, const char *symbol, struct error *error) {
    size_t bytes = abi->lanes * format_bytes(abi->format);
    if (bytes != 16 && bytes != 32 && bytes != 64)
        return error_set(error,
                         "%.100s: %zu lanes of %s are %zu bytes, and a vector register has 16, 32 "
                         "or 64",
                         symbol, abi->lanes, abi->format->name, bytes);
    return check_processor(feature_of_bytes(bytes), symbol, error);
}

/* Refused before anything is multiplied by them. */
static bool read_lanes(struct vector_abi *abi, const char *digits, char **end, const char *symbol,
                       struct error *error) {
    enum { MOST_LANES = 16 }; /* of fp32 in 64 bytes */
    abi->lanes = strtoul(digits, end, 10);
    return abi->lanes <= MOST_LANES ||
           error_set(error, "%.100s has more lanes by its name than the %d that a register holds",
                     symbol, MOST_LANES);
}

static const struct format *format_of(bool wide) {
    return &formats[wide ? FORMAT_FP64 : FORMAT_FP32];
}

/* _ZGV, the instructions, M or N (with a mask or without), lanes, parameters, _, name. */
static bool read_zgv(struct vector_abi *abi, const char *symbol, struct error *error) {
    static const struct instructions rows[] = {
        {"b", "sse2"}, {"c", "avx"}, {"d", "avx2"}, {"e", "avx512f"}, {NULL, NULL}};
    static const size_t bytes[] = {16, 32, 32, 64};
    const char *at = symbol + strlen("_ZGV");
    const char *feature = *at ? feature_of(rows, at, 1) : NULL;
    char *end;
    if (!feature || at[1] != 'N' || !isdigit((unsigned char)at[2]))
        return error_set(
            error,
            "%.100s is not called: it needs registers of SSE, AVX, AVX2 or AVX-512 and "
            "no mask, _ZGVbN, _ZGVcN, _ZGVdN or _ZGVeN and a number of lanes",
            symbol);
    size_t width = bytes[*at - 'b'];
    if (!read_lanes(abi, at + 2, &end, symbol, error))
        return false;
    for (; *end == 'v'; end++)
        abi->vectors++;
    for (; *end == 'l'; abi->addresses++)
        for (end++; isdigit((unsigned char)*end); end++)
            ;
    if (*end != '_' || abi->vectors == 0)
        return error_set(error, "%.100s cannot be called: it has parameters other than vectors",
                         symbol);
    abi->format = format_of(abi->lanes * 8 == width);
    if (abi->lanes * format_bytes(abi->format) != width)
        return error_set(error,
                         "%.100s: registers of %zu bytes hold %zu lanes of fp32 or %zu of fp64",
                         symbol, width, width / 4, width / 8);
    abi->pair = abi->addresses ? VECTOR_PAIR_ADDRESSES : VECTOR_PAIR_LANES;
    return check_processor(feature, symbol, error);
}

/* Sleef_, perhaps finz_ or cinz_, name, f or d, lanes, _, accuracy, instructions. */
static bool read_sleef(struct vector_abi *abi, const char *symbol, struct error *error) {
    static const struct instructions rows[] = {
        {"sse2", "sse2"},       {"sse4", "sse4.1"},          {"avx", "avx"},
        {"avx2", "avx2"},       {"avx2128", "avx2"},         {"fma4", "fma4"},
        {"avx512f", "avx512f"}, {"avx512fnofma", "avx512f"}, {NULL, NULL}};
    const char *at = symbol + strlen("Sleef_");
    if (strncmp(at, "finz_", 5) == 0 || strncmp(at, "cinz_", 5) == 0)
        at += 5;
    size_t length = strcspn(at, "_"), digits = length;
    while (digits > 0 && isdigit((unsigned char)at[digits - 1]))
        digits--;
    if (digits == length || digits == 0 || !strchr("fd", at[digits - 1]))
        return true; /* such as Sleef_exp_u10, of one number */
    if (!read_lanes(abi, at + digits, NULL, symbol, error))
        return false;
    abi->format = format_of(at[digits - 1] == 'd');
    const char *tail = at + length;
    if (tail[0] == '_' && tail[1] == 'u')
        tail += 1 + strspn(tail + 1, "u0123456789");
    else
        tail += *tail == '_';
    const char *feature = feature_of(rows, tail, strlen(tail));
    return !feature || check_processor(feature, symbol, error);
}

/* Names whose last letter is not that of a format. */
static bool ends_in_itself(const char *name, size_t length) {
    static const char *const names[] = {"erf", "cos", "acos", "sincos"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return true;
    return false;
}

/* __svml_, name, f for fp32 or s for fp16, lanes, and words after _: the accuracy, mask, and
 * instructions. In fp64 the lanes are the last digit: exp28 is exp2 on 8, exp2 is exp on 2. */
static bool read_svml(struct vector_abi *abi, const char *symbol, struct error *error) {
    static const struct instructions rows[] = {
        {"e9", "avx"}, {"l9", "avx2"}, {"z0", "avx512f"}, {NULL, NULL}};
    const char *at = symbol + strlen("__svml_"), *feature = NULL;
    size_t length = strcspn(at, "_"), digits = length;
    while (digits > 0 && isdigit((unsigned char)at[digits - 1]))
        digits--;
    if (digits == length || digits == 0)
        return true;
    char letter = ends_in_itself(at, digits) ? '\0' : at[digits - 1];
    if (letter == 's')
        return error_set(error, "%.100s cannot be called: it is a function of fp16", symbol);
    abi->format = format_of(letter != 'f');
    if (!read_lanes(abi, at + (letter == 'f' ? digits : length - 1), NULL, symbol, error))
        return false;
    abi->pair = VECTOR_PAIR_REGISTERS;
    for (const char *word = at + length; *word == '_'; word += length) {
        length = strcspn(++word, "_");
        if (length == 4 && strncmp(word, "mask", length) == 0)
            return error_set(error, "%.100s cannot be called: it takes a mask", symbol);
        if (!feature)
            feature = feature_of(rows, word, length);
    }
    return !feature || check_processor(feature, symbol, error);
}

bool vector_abi_of_symbol(struct vector_abi *abi, const char *symbol, size_t lanes,
                          struct error *error) {
    static const struct {
        const char *prefix;
        bool (*read)(struct vector_abi *abi, const char *symbol, struct error *error);
    } rows[] = {{"_ZGV", read_zgv}, {"Sleef_", read_sleef}, {"__svml_", read_svml}};
    *abi = (struct vector_abi){0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strncmp(symbol, rows[i].prefix, strlen(rows[i].prefix)) == 0 &&
            !rows[i].read(abi, symbol, error))
            return false;
    if (abi->lanes == 0 && lanes == 0)
        return error_set(error,
                         "the name %.100s does not say how many numbers a register holds: give "
                         "',vector=8', or leave ',vector' out for a function of one number",
                         symbol);
    if (abi->lanes && lanes && abi->lanes != lanes)
        return error_set(error, "%.100s has %zu lanes by its name, and not %zu", symbol, abi->lanes,
                         lanes);
    if (abi->lanes == 1)
        return error_set(error, "%.100s is a function of one number: leave ',vector' out", symbol);
    if (abi->lanes == 0)
        abi->lanes = lanes;
    return !abi->format || check_bytes(abi, symbol, error);
}

bool vector_abi_settle(struct vector_abi *abi, const char *symbol,
                       const struct operation *operation, const struct format *computed,
                       struct error *why) {
    int vectors = operation->operands;
    enum c_signature signature = operation->platform.signature;
    if ((signature != C_NUMBERS && signature != C_FRACTION_AND_INTEGER) ||
        (operation->operands > 1 && operation->results > 1))
        return error_set(why, "functions on vectors of integers, such as %s, cannot be called",
                         operation->name);
    if (operation->results == 2 && abi->pair == VECTOR_PAIR_LANES) {
        vectors += 2;
        if (strncmp(symbol, "_ZGVc", 5) == 0) /* AVX has no registers of 32 bytes for integers */
            return error_set(why, "%.100s is not called; _ZGVb, _ZGVd and _ZGVe are", symbol);
    }
    if (abi->vectors && (abi->vectors != vectors || (abi->addresses && operation->results == 1)))
        return error_set(why, "%.100s has other parameters than %s, by its name", symbol,
                         operation->name);
    if (abi->format && abi->format != computed)
        return error_set(why, "%.100s is a function of %s by its name, and %s is wanted", symbol,
                         abi->format->name, computed->name);
    abi->format = computed;
    return check_bytes(abi, symbol, why);
}
