/* Lines to tests. */
#include "vector/read/lines.h"

#include <errno.h>
#include <string.h>

/* One line; what it has is added to the group, which is made when there is something. */
static bool take_line(struct vector_file *file, const struct binding_request *computed,
                      const struct line_content *content, uint64_t number,
                      struct vector_group **group, uint64_t *without, struct error *why) {
    struct vector_test test = {.id = number, .raised = content->flags};
    if (!content->inputs)
        return true;
    if (!content->has_out) {
        ++*without;
        return true;
    }
    if (!*group)
        *group = vector_file_add(file, computed, 1u << EXPECT_CORRECTLY_ROUNDED);
    if (*group)
        (*group)->has_raised = content->has_flags;
    memcpy(test.in, content->in[0], sizeof test.in);
    test.out[EXPECT_CORRECTLY_ROUNDED][0] =
        format_is_nan(computed->format, content->out) ? computed->format->nan : content->out;
    file->test_count++;
    return (*group && vector_tests_add(&(*group)->tests, &test)) || error_set(why, "out of memory");
}

bool vector_read_lines(struct vector_file *file, const char *path, const struct line_kind *kind,
                       const struct binding_request *computed, uint64_t *without,
                       struct error *error) {
    const struct lines_wanted wanted = {computed->operation, computed->format};
    struct vector_group *group = NULL;
    char line[LINE_LONGEST];
    const char *problem = NULL;
    struct error why;
    unsigned long number = 0;
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *stream = is_stdin ? stdin : fopen(path, "r");
    if (!stream)
        return error_set(error, "cannot read %.200s: %s", path, strerror(errno));
    bool good = true;
    file->path = path;
    while (good && line_next(stream, line, &number, &problem)) {
        struct line_content content = {0};
        good = kind->read(&wanted, line, &content, &why) &&
               take_line(file, computed, &content, number, &group, without, &why);
        if (!good)
            error_set(error, "%.200s:%lu: %s", path, number, why.text);
    }
    if (good && problem)
        good = error_set(error, "%.200s:%lu: %s", path, number, problem);
    if (good && ferror(stream))
        good = error_set(error, "cannot read %.200s: %s", path, strerror(errno));
    if (!is_stdin)
        fclose(stream);
    return good;
}
