/* The C file that a compiler gets: each call with literals, and as a function. */
#include "explain/folded.h"

#include "format/text.h"
#include "platform/rounding_guard.h"

#include <inttypes.h>

static const char letters[MAX_OPERANDS] = {'x', 'y', 'z'};

static bool is_wide(const struct format *format) {
    return format == &formats[FORMAT_FP64];
}

bool folded_can(const struct binding_request *computed, struct error *error) {
    const struct operation *operation = computed->operation;
    const struct platform_calls *platform = &operation->platform;
    if (operation->array || operation->converts || operation->results != 1 ||
        platform->signature != C_NUMBERS || !(platform->symbol || platform->operator_fp64))
        return error_set(
            error,
            "--folded is for calls of C that take and return numbers, such as exp, pow, "
            "fma and div, and %s is none",
            operation->name);
    if (!is_wide(computed->format) && computed->format != &formats[FORMAT_FP32])
        return error_set(error, "--folded is for fp32 and fp64, C's float and double, not for %s",
                         computed->format->name);
    if (rounding_fenv_mode(computed->rounding) < 0)
        return error_set(error, "C has no rounding mode %s, in which --folded could call %s",
                         rounding_names[computed->rounding], operation->name);
    return true;
}

/* "x, y", each with what stands before it. */
static void write_operands(FILE *stream, const char *before, int operands) {
    for (int i = 0; i < operands; i++)
        fprintf(stream, "%s%s%c", i ? ", " : "", before, letters[i]);
}

/* A call as a macro, so that it is the same text wherever it stands. The formula of what C has as an operator is C. */
static void write_call(FILE *stream, const struct binding_request *computed) {
    const struct operation *operation = computed->operation;
    const struct platform_calls *platform = &operation->platform;
    const char *suffix = is_wide(computed->format) ? "" : "f";
    if (platform->symbol) {
        fprintf(stream, "number %s%s(", platform->symbol, suffix);
        write_operands(stream, "number ", operation->operands);
        fputs(");\n", stream);
    }
    fputs("#define CALL(", stream);
    write_operands(stream, "", operation->operands);
    if (!platform->symbol) {
        fprintf(stream, ") (%s)\n", operation->formula);
        return;
    }
    fprintf(stream, ") %s%s(", platform->symbol, suffix);
    write_operands(stream, "", operation->operands);
    fputs(")\n", stream);
}

/* A literal in brackets. */
static void write_number(FILE *stream, const struct format *format, uint64_t code) {
    const char *suffix = is_wide(format) ? "" : "f";
    const char *sign = format_is_negative(format, code) ? "-" : "";
    char text[NUMBER_TEXT];
    switch (format_classify(format, code)) {
    case CLASS_NAN:
        fprintf(stream, "(__builtin_nan%s(\"\"))", suffix);
        break;
    case CLASS_INFINITE:
        fprintf(stream, "(%s__builtin_inf%s())", sign, suffix);
        break;
    default:
        fprintf(stream, "(%s%s)", format_hex_text(format, code, text), suffix);
    }
}

/* A compiler takes far more than twice as long for a function of twice as many calls. */
enum { CALLS_TOGETHER = 64 };

static void write_inputs(FILE *stream, const struct binding_request *computed,
                         const struct domain *domain, bool as_codes) {
    const int operands = computed->operation->operands;
    uint64_t codes[MAX_OPERANDS];
    for (uint64_t at = 0; at < domain->count; at++) {
        domain_codes_at(domain, at, codes);
        if (!as_codes && at % CALLS_TOGETHER == 0)
            fprintf(stream, "%sPART void fill_%" PRIu64 "(void) {\n", at ? "}\n" : "",
                    at / CALLS_TOGETHER);
        if (as_codes)
            fputs("    {", stream);
        else
            fprintf(stream, "    PUT(%" PRIu64 ", ", at);
        for (int i = 0; i < operands; i++) {
            fputs(i ? ", " : "", stream);
            if (as_codes)
                fprintf(stream, "0x%" PRIx64 "u", codes[i]);
            else
                write_number(stream, computed->format, codes[i]);
        }
        fputs(as_codes ? "},\n" : ")\n", stream);
    }
}

static void write_function(FILE *stream, const char *name, int operands, const char *known,
                           const char *otherwise) {
    fprintf(stream, "EXPORT number %s(", name);
    write_operands(stream, "number ", operands);
    fputs(") {\n    const number operands[] = {", stream);
    write_operands(stream, "", operands);
    fprintf(stream,
            "};\n    const int at = place_of(operands);\n    return at >= 0 ? %s : %s;\n}\n", known,
            otherwise);
}

/* `fill` has the calls with literals. The value is asked about where it is kept, as clang wants it, and as the call, as GCC
 * does where it does not optimise. */
static const char put[] = ") { const number value = CALL(";
static const char put_end[] =
    "); \\\n"
    "    constants[AT] = value; is_constant[AT] = __builtin_constant_p(value) || "
    "__builtin_constant_p(CALL(";
static const char head[] =
    "#ifndef __GNUC__\n"
    "#error this needs __builtin_constant_p, by which GCC and clang tell what they have folded\n"
    "#endif\n"
    "#define EXPORT __attribute__((visibility(\"default\")))\n"
    "#ifdef __cplusplus\n"
    "extern \"C\" {\n"
    "#endif\n";
static const char place[] = "static int place_of(const number *operands) {\n"
                            "    code own[OPERANDS];\n"
                            "    int low = 0, high = COUNT;\n"
                            "    __builtin_memcpy(own, operands, sizeof own);\n"
                            "    if (!__atomic_load_n(&filled, __ATOMIC_ACQUIRE))\n"
                            "        fill();\n"
                            "    while (low < high) {\n"
                            "        const int middle = low + (high - low) / 2;\n"
                            "        int i = 0;\n"
                            "        while (i < OPERANDS && inputs[middle][i] == own[i])\n"
                            "            i++;\n"
                            "        if (i == OPERANDS)\n"
                            "            return middle;\n"
                            "        if (inputs[middle][i] < own[i])\n"
                            "            low = middle + 1;\n"
                            "        else\n"
                            "            high = middle;\n"
                            "    }\n"
                            "    return -1;\n"
                            "}\n";

void folded_write(FILE *stream, const struct binding_request *computed,
                  const struct domain *domain) {
    const int operands = computed->operation->operands;
    const bool wide = is_wide(computed->format);
    static const char *const calls[1 + MAX_OPERANDS] = {"", "CALL(x)", "CALL(x, y)",
                                                        "CALL(x, y, z)"};
    const char *call = calls[operands];
    fprintf(stream, "%stypedef %s number;\ntypedef unsigned %s code;\n", head,
            wide ? "double" : "float", wide ? "long long" : "int");
    write_call(stream, computed);
    fprintf(stream, "enum { COUNT = %" PRIu64 ", OPERANDS = %d };\n", domain->count, operands);
    fputs("static const code inputs[COUNT][OPERANDS] = {\n", stream);
    write_inputs(stream, computed, domain, true);
    fputs("};\nstatic number constants[COUNT];\nstatic unsigned char is_constant[COUNT];\n"
          "static int filled;\n#define PUT(AT, ",
          stream);
    write_operands(stream, "", operands);
    fputs(put, stream);
    write_operands(stream, "", operands);
    fputs(put_end, stream);
    write_operands(stream, "", operands);
    fputs(")); }\n#define PART static __attribute__((noinline))\n", stream);
    write_inputs(stream, computed, domain, false);
    fputs("}\nstatic void fill(void) {\n", stream);
    for (uint64_t part = 0; part * CALLS_TOGETHER < domain->count; part++)
        fprintf(stream, "    fill_%" PRIu64 "();\n", part);
    fprintf(stream, "    __atomic_store_n(&filled, 1, __ATOMIC_RELEASE);\n}\n%s", place);
    write_function(stream, FOLDED_CONSTANT, operands, "constants[at]", call);
    write_function(stream, FOLDED_TELLS, operands, "is_constant[at]", "0");
    fprintf(stream, "EXPORT number " FOLDED_CALL "(");
    write_operands(stream, "number ", operands);
    fprintf(stream, ") {\n    return %s;\n}\n#ifdef __cplusplus\n}\n#endif\n", call);
}
