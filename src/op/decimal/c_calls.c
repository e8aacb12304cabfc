/* The calls, each between a look at errno and the exception flags before and after it. */
#include "op/decimal/c_calls.h"

#include "op/decimal/rows.h"
#include "platform/exception_flags.h"

#include <errno.h>
#include <string.h>

/* A call under way: what it is given, and what it returned. */
struct text_call {
    const union text_function *function;
    const struct array_call *call;
    uint64_t line, length;
    char *text;
    size_t room;
};

/* How many bytes of the text lie before `end`, which need not point into it. */
static uint64_t bytes_before(const char *text, const char *end) {
    const uintptr_t before = (uintptr_t)end - (uintptr_t)text;
    return before <= strlen(text) ? before : UINT64_MAX;
}

/* A number of either format. */
struct read_number {
    double wide;
    float narrow;
};

static struct read_number read_by_strtod(struct text_call *one, bool is_wide) {
    struct read_number y = {0};
    char *end = NULL;
    if (is_wide)
        y.wide = one->function->read_fp64(one->text, &end);
    else
        y.narrow = one->function->read_fp32(one->text, &end);
    one->length = bytes_before(one->text, end);
    return y;
}

static struct read_number read_by_scanf(struct text_call *one, bool is_wide) {
    struct read_number y = {0};
    int length = -1;
    const int found = is_wide ? one->function->scan(one->text, "%lf%n", &y.wide, &length)
                              : one->function->scan(one->text, "%f%n", &y.narrow, &length);
    one->length = length < 0 ? UINT64_MAX : (uint64_t)length;
    if (found == 1)
        return y;
    one->length = 0;
    return (struct read_number){0};
}

static void read_once(struct text_call *one) {
    const struct array *numbers = &one->call->results[0];
    const bool is_wide = numbers->format->width == 64;
    const bool is_scanf = decimal_grammar_of(one->call) == &decimal_grammars[GRAMMAR_SCANF];
    const struct read_number y = (is_scanf ? read_by_scanf : read_by_strtod)(one, is_wide);
    const size_t size = is_wide ? sizeof y.wide : sizeof y.narrow;
    memcpy((char *)numbers->codes + one->line * size,
           is_wide ? (const void *)&y.wide : (const void *)&y.narrow, size);
}

static void write_once(struct text_call *one) {
    static const char *const given[DECIMAL_STYLES] = {NULL, "%.*e", "%.*f", "%.*g", "%.*a"},
                             *const open[DECIMAL_STYLES] = {NULL, "%e", "%f", "%g", "%a"};
    const struct real number = array_number(&one->call->operands[0], one->line);
    const double x = real_to_double(&number);
    const long digits = decimal_digits_of(one->call);
    const enum decimal_style style = decimal_style_of(one->call);
    const int returned =
        digits < 0 ? one->function->write(one->text, one->room, open[style], x)
                   : one->function->write(one->text, one->room, given[style], (int)digits, x);
    one->length = returned < 0 ? UINT64_MAX : (uint64_t)returned;
}

/* Another call, with all flags set, comes first: the outputs are those of the last one. */
static void observe(void (*call_once)(struct text_call *), struct text_call *one) {
    const struct line_effects *lines = one->call->lines;
    if (lines && lines->cleared) {
        exception_flags_set_all(true);
        call_once(one);
        lines->cleared[one->line] = exception_flags_lacking();
    }
    if (lines && lines->raised)
        exception_flags_set_all(false);
    errno = 0;
    call_once(one);
    if (lines && lines->errnos)
        lines->errnos[one->line] = errno;
    if (lines && lines->raised)
        lines->raised[one->line] = exception_flags_raised();
    if (lines && lines->lengths)
        lines->lengths[one->line] = one->length;
}

void text_function_read(const union text_function *function, const struct array_call *call,
                        uint64_t line, const char *text) {
    observe(read_once, &(struct text_call){
                           .function = function, .call = call, .line = line, .text = (char *)text});
}

void text_function_write(const union text_function *function, const struct array_call *call,
                         uint64_t line, char *text, size_t room) {
    observe(write_once,
            &(struct text_call){
                .function = function, .call = call, .line = line, .text = text, .room = room});
}
