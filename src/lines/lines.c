/* The kinds of lines, a row each, and lines of a stream. */
#include "lines/lines.h"

#include "base/names.h"
#include "lines/words.h"

#include <string.h>

static const struct line_kind kinds[] = {
    {"core-math", .read = read_core_math},
    {"testfloat", .results = true, .read = read_testfloat},
    {"tst", .results = true, .named = true, .read = read_tst},
    {"numpy-csv", .results = true, .read = read_numpy},
    {"glibc", .named = true, .read = read_glibc},
    {"glibc-out", .results = true, .named = true, .rounded = true, .read = read_glibc_out},
    {"libc-test", .results = true, .rounded = true, .read = read_libc_test},
    {"table", .results = true, .read = read_table},
    {"onnx", .results = true, .tensors = true, .read = read_table},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *const line_state_names[LINE_STATES] = {
    [LINE_EMPTY] = "empty",
    [LINE_OF_ANOTHER] = "of other functions",
    [LINE_IN_ANOTHER_FORMAT] = "in other formats",
    [LINE_IN_ANOTHER_ROUNDING] = "in other roundings",
    [LINE_OPERANDS_LACKING] = "with operands that the format lacks",
    [LINE_WITHOUT_RESULT] = "without a clear result",
    [LINE_READ] = "read"};

const struct line_kind *line_kind_find(const char *name, struct error *error) {
    const char *names[KINDS];
    for (size_t i = 0; i < KINDS; i++) {
        if (name_matches(name, kinds[i].name, NULL))
            return &kinds[i];
        names[i] = kinds[i].name;
    }
    const char *nearest = name_nearest(name, names, KINDS);
    error_set(
        error, "unknown kind of lines '%.40s'; %s%s%s", name,
        nearest ? "did you mean " : "there are: ",
        nearest ? nearest
                : "core-math, testfloat, tst, numpy-csv, glibc, glibc-out, libc-test, table, onnx",
        nearest ? "?" : "");
    return NULL;
}

bool line_next(FILE *stream, char line[LINE_LONGEST], unsigned long *number, const char **problem) {
    size_t length = 0;
    int c;
    *problem = NULL;
    ++*number;
    while ((c = getc(stream)) != EOF && c != '\n') {
        if (c == '\0')
            *problem = "the line holds a NUL byte; this is not a text file";
        if (length + 1 == LINE_LONGEST)
            *problem = "the line is longer than 1023 characters";
        if (*problem)
            return false;
        line[length++] = (char)c;
    }
    line[length - (length && line[length - 1] == '\r')] = '\0'; /* a line of DOS */
    static const char mark[] = "\xef\xbb\xbf";
    if (*number == 1 && strncmp(line, mark, strlen(mark)) == 0)
        memmove(line, line + strlen(mark), strlen(line + strlen(mark)) + 1);
    return c != EOF || length;
}
