/* Lines to tests. */
#include "vector/read/lines.h"

#include "vector/read/tensors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A file that is read: each line for each of the requests. */
struct reading {
    struct vector_file *file;
    const struct line_kind *kind;
    const struct binding_request *computed;
    size_t count;
    size_t *groups; /* 1 + the place of the request's group; 0: it has none */
};

/* What is on a line is added to the request's group, which is made when there is something. */
static bool add_test(struct reading *reading, size_t request, const struct line_content *content,
                     uint64_t number) {
    struct vector_file *file = reading->file;
    const struct format *format = reading->computed[request].format;
    struct vector_test test = {
        .id = number,
        .raised = content->flags,
        .open = content->open_flags,
        .no_flags = !content->has_flags,
        .errnos = content->has_errno ? 1u << errno_kind_of(content->errno_after) : 0};
    if (!reading->groups[request]) {
        if (!vector_file_add(file, &reading->computed[request], 1u << EXPECT_CORRECTLY_ROUNDED))
            return false;
        reading->groups[request] = file->group_count;
    }
    struct vector_group *group = &file->groups[reading->groups[request] - 1];
    group->has_raised = group->has_raised || content->has_flags;
    group->has_errnos = group->has_errnos || content->has_errno;
    memcpy(test.in, content->in[0], sizeof test.in);
    test.out[EXPECT_CORRECTLY_ROUNDED][0] =
        format_is_nan(format, content->out) ? format->nan : content->out;
    file->test_count++;
    return vector_tests_add(&group->tests, &test);
}

static bool take_line(struct reading *reading, const char *line, uint64_t number,
                      enum line_state *best, struct error *why) {
    for (size_t i = 0; i < reading->count; i++) {
        const struct binding_request *computed = &reading->computed[i];
        const struct lines_wanted wanted = {computed->operation, computed->format,
                                            computed->rounding, false};
        struct line_content content = {0};
        char copy[LINE_LONGEST]; /* which the reader takes apart */
        memcpy(copy, line, strlen(line) + 1);
        if (!reading->kind->read(&wanted, copy, &content, why))
            return false;
        enum line_state state = !content.inputs    ? content.state
                                : !content.has_out ? LINE_WITHOUT_RESULT
                                                   : LINE_READ;
        if (state == LINE_READ && !add_test(reading, i, &content, number))
            return error_set(why, "out of memory");
        *best = state > *best ? state : *best;
    }
    return true;
}

static bool read_all(struct reading *reading, FILE *stream, const char *path,
                     struct lines_count *lines, struct error *error) {
    char line[LINE_LONGEST];
    const char *problem = NULL;
    struct error why;
    unsigned long number = 0;
    while (line_next(stream, line, &number, &problem)) {
        enum line_state best = LINE_EMPTY;
        if (!take_line(reading, line, number, &best, &why))
            return error_set(error, "%.200s:%lu: %s", path, number, why.text);
        lines->all += best != LINE_EMPTY;
        lines->states[best]++;
    }
    if (problem)
        return error_set(error, "%.200s:%lu: %s", path, number, problem);
    return !ferror(stream) || error_set(error, "cannot read %.200s: %s", path, strerror(errno));
}

bool vector_read_lines(struct vector_file *file, const char *path, const struct line_kind *kind,
                       const struct binding_request *computed, size_t count,
                       struct lines_count *lines, struct error *error) {
    struct reading reading = {file, kind, computed, count, calloc(count + 1, sizeof(size_t))};
    bool is_stdin = strcmp(path, "-") == 0;
    char *text = NULL;
    FILE *stream = kind->tensors
                       ? vector_tensor_lines(path, computed[0].operation->operands, &text, error)
                   : is_stdin ? stdin
                              : fopen(path, "r");
    bool good = reading.groups != NULL;
    file->path = path;
    if (!stream && kind->tensors)
        good = false;
    else if (!stream)
        good = error_set(error, "cannot read %.200s: %s", path, strerror(errno));
    else if (!good)
        error_set(error, "out of memory");
    good = good && read_all(&reading, stream, path, lines, error);
    if (stream && stream != stdin)
        fclose(stream);
    free(reading.groups);
    free(text);
    return good;
}
