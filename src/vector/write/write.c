/* The table of styles. */
#include "vector/write/write.h"

#include "base/names.h"
#include "vector/write/foreign.h"
#include "vector/write/json.h"

#include <string.h>

struct vector_style {
    const char *name;
    write_line *line;    /* NULL for JSON */
    const char *heading; /* the first line, or NULL */
    /* Why a group does not fit, or NULL where it does. */
    const char *(*refuse)(const struct vector_group *group);
    bool one_group; /* lines do not say what they compute */
};

static const char *refuse_testfloat(const struct vector_group *group) {
    const struct format *format = group->computed.format;
    if (!format->has_infinity || format->width == 8)
        return "TestFloat has fp16, fp32 and fp64";
    if (strcmp(format->name, "bf16") == 0)
        return "TestFloat has fp16, fp32 and fp64";
    return NULL;
}

static const char *refuse_tst(const struct vector_group *group) {
    if (group->computed.format->width < 32)
        return ".tst files have fp32 and fp64";
    if (!group->computed.operation->platform.symbol ||
        group->computed.operation->platform.signature != C_NUMBERS)
        return ".tst files have functions of libm that take and return numbers";
    if (!vector_group_expects(group, EXPECT_CORRECTLY_ROUNDED) ||
        group->computed.rounding != ROUND_NEAREST_EVEN)
        return ".tst files have the exact results, to nearest-even";
    return NULL;
}

static const char *refuse_numpy(const struct vector_group *group) {
    if (!numpy_type(group->computed.format))
        return "numpy's files have fp32 and fp64";
    if (group->computed.operation->operands != 1)
        return "numpy's files have functions of one operand";
    return NULL;
}

static const struct vector_style styles[] = {
    {"json", NULL, NULL, NULL, false},
    {"testfloat", write_testfloat, NULL, refuse_testfloat, true},
    {"tst", write_tst, "; made by detcheck " DETCHECK_VERSION, refuse_tst, false},
    {"numpy-csv", write_numpy_csv, "dtype,input,output,ulperrortol", refuse_numpy, true},
};
enum { STYLES = sizeof styles / sizeof *styles };

const struct vector_style *vector_style_find(const char *name, struct error *error) {
    const char *names[STYLES];
    for (size_t i = 0; i < STYLES; i++) {
        if (name_matches(name, styles[i].name, NULL))
            return &styles[i];
        names[i] = styles[i].name;
    }
    const char *nearest = name_nearest(name, names, STYLES);
    error_set(error, "--as needs json, testfloat, tst or numpy-csv, not '%.40s'%s%s%s", name,
              nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return NULL;
}

/* Why a group cannot be written as lines, or NULL. */
static const char *refuse(const struct vector_style *style, const struct vector_group *group) {
    const struct operation *operation = group->computed.operation;
    if (operation->array)
        return "its lines are of numbers, not of arrays; json is of both";
    if (operation->results > 1 || group->expects & (group->expects - 1))
        return "its lines have room for one result";
    return operation->parameters ? "its lines have no room for parameters" : style->refuse(group);
}

bool vector_style_fits(const struct vector_style *style, const struct vector_group *groups,
                       size_t count, struct error *error) {
    for (size_t i = 0; style->line && i < count; i++) {
        const struct binding_request *computed = &groups[i].computed;
        const char *why = refuse(style, &groups[i]);
        if (why)
            return error_set(error, "%s in %s cannot be written as %s: %s",
                             computed->operation->name, computed->format->name, style->name, why);
    }
    if (style->one_group && count > 1)
        return error_set(error, "a file of %s holds one operation in one format; give one",
                         style->name);
    return true;
}

static bool write_lines(const struct vector_style *style, FILE *stream,
                        const struct vector_group *group, struct error *error) {
    const struct binding_request *computed = &group->computed;
    const struct flag_setting setting = vector_group_flags(group);
    struct oracle oracle;
    bool found = true;
    oracle_open(&oracle, computed->operation, computed->format, &computed->parameters,
                ORACLE_MOST_BITS);
    oracle.rounding = computed->rounding;
    for (size_t i = 0; i < group->tests.count && found; i++) {
        struct vector_test test = group->tests.items[i];
        struct real y;
        found = oracle_exact(&oracle, test.in, 0, &y, error);
        if (!found)
            break;
        test.raised = oracle_flags_raised(&setting, test.in, &y);
        style->line(stream, group, &test, &y);
    }
    oracle_close(&oracle);
    return found;
}

static void write_json(struct vector_writer *writer, const struct vector_group *group,
                       bool is_last) {
    if (!group->first)
        vector_json_begin_group(writer->stream, group, !writer->groups++);
    for (size_t i = 0; i < group->tests.count; i++)
        vector_json_test(writer->stream, group, &group->tests.items[i], ++writer->tests,
                         !group->first && !i);
    if (is_last)
        vector_json_end_group(writer->stream);
}

void vector_write_begin(struct vector_writer *writer, const struct vector_style *style,
                        FILE *stream, const struct vector_group *groups, size_t count,
                        const struct vector_extent *extent) {
    *writer = (struct vector_writer){.style = style, .stream = stream};
    if (!style->line)
        vector_json_begin(stream, groups, count, extent);
    if (style->heading)
        fprintf(stream, "%s\n", style->heading);
}

bool vector_write(struct vector_writer *writer, const struct vector_group *group, bool is_last,
                  struct error *error) {
    if (writer->style->line)
        return write_lines(writer->style, writer->stream, group, error);
    write_json(writer, group, is_last);
    return true;
}

void vector_write_end(struct vector_writer *writer) {
    if (!writer->style->line)
        vector_json_end(writer->stream);
}
