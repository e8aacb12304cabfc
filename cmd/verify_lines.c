/* Lines of other projects as the tests of `detcheck verify --as`. */
#include "verify_lines.h"

#include "messages.h"

#include "format/format.h"
#include "report/text.h"
#include "vector/read/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool verify_select_lines(struct selection *selection, const struct arguments *arguments,
                         const struct line_kind *kind, struct error *error) {
    const char *operation = argument_value(arguments, "operation", NULL);
    const char *all = "all";
    if (!operation && !kind->named)
        return error_set(error, "lines of %s do not name their operation; give --operation",
                         kind->name);
    if (kind->named && !argument_given(arguments, "format")) {
        selection->formats[0] = &formats[FORMAT_FP32];
        selection->formats[1] = &formats[FORMAT_FP64];
        selection->format_count = 2;
    }
    for (int mode = ROUND_NEAREST_EVEN;
         kind->rounded && mode <= ROUND_DOWN && !argument_given(arguments, "rounding"); mode++)
        selection->roundings[selection->rounding_count++] = (enum rounding)mode;
    return select_operations(selection, operation ? &operation : &all, 1, error);
}

/* "1,400 lines, 1,390 tests; left out: 8 in other formats, 2 without a clear result". */
enum { LINES_TEXT = 400 };
static bool lines_text(const struct lines_count *lines, char text[LINES_TEXT]) {
    char all[32], tests[32];
    bool left_out = false;
    snprintf(text, LINES_TEXT, "%s line%s, %s test%s", text_grouped(lines->all, all),
             lines->all == 1 ? "" : "s", text_grouped(lines->states[LINE_READ], tests),
             lines->states[LINE_READ] == 1 ? "" : "s");
    for (int state = LINE_OF_ANOTHER; state < LINE_READ; state++) {
        char count[32];
        size_t used = strlen(text);
        if (lines->states[state])
            snprintf(text + used, LINES_TEXT - used, "%s%s %s",
                     left_out ? ", " : "; left out: ", text_grouped(lines->states[state], count),
                     line_state_names[state]);
        left_out = left_out || lines->states[state];
    }
    return left_out;
}

bool verify_read_lines(struct vector_file *file, const struct selection *selection,
                       const char *path, const struct line_kind *kind, bool tiny_after_rounding,
                       struct error *error) {
    struct lines_count lines = {0};
    size_t readings =
        selection->operation_count * selection->format_count * selection->rounding_count;
    if (strcmp(path, "-") == 0 && readings > 1)
        return error_set(error, "stdin can be read only once; name one operation, one format and "
                                "one rounding, or a plain file");
    struct binding_request *computed = malloc((readings + 1) * sizeof *computed);
    if (!computed)
        return error_set(error, "out of memory");
    size_t count = 0;
    for (size_t i = 0; select_request(selection, i, &computed[count]); i++)
        count += computed[count].operation->results == 1 && !computed[count].operation->needed;
    if (!count) {
        free(computed);
        return error_set(error, "lines have one result and no parameters, which does not fit %s",
                         selection->operations[0]->name);
    }
    bool read = vector_read_lines(file, path, kind, computed, count, &lines, error);
    free(computed);
    if (!read)
        return false;
    for (size_t i = 0; i < file->group_count; i++) /* lines do not say what theirs is */
        file->groups[i].tiny_after_rounding = tiny_after_rounding;
    char text[LINES_TEXT];
    bool left_out = lines_text(&lines, text);
    if (!file->group_count)
        return error_set(error, "%s has no results for these options: %s", path, text);
    struct error note = {{0}};
    if (left_out)
        error_set(&note, "%s: %s", path, text);
    remark("note", &note);
    return true;
}
