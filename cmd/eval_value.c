/* What `detcheck eval` does alike for numbers and for arrays: reading values, and asking. */
#include "eval.h"

#include "format/text.h"
#include "messages.h"
#include "signals.h"

bool read_value(const struct eval_run *run, const struct format *format, const char *text,
                uint64_t *code, struct error *error) {
    struct parsed_value value;
    if (!format_parse(format, text, &value, error))
        return false;
    *code = value.code;
    if (value.rounded && run->remarks) {
        char hex[3][NUMBER_TEXT];
        struct error note;
        error_set(&note, "%s is not a number of %s; rounded to %s, between %s and %s", text,
                  format->name, format_hex_text(format, value.code, hex[0]),
                  format_hex_text(format, value.below, hex[1]),
                  format_hex_text(format, value.above, hex[2]));
        remark("note", &note);
    }
    return true;
}

bool eval_fill(struct binding *binding, const struct slice *slice, event_function *event,
               void *context, struct error *error) {
    bool filled = binding_fill(binding, slice, event, context, error);
    if (interrupted)
        return error_set(error, "interrupted before %.200s answered",
                         binding->implementation->name);
    return filled;
}
