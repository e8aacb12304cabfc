/* Reading them. */
#include "flag_options.h"

#include "base/names.h"
#include "platform/tininess.h"

bool read_flag_options(const struct arguments *arguments, struct flag_options *options,
                       struct error *error) {
    const char *tininess = argument_value(arguments, "tininess", NULL);
    *options = (struct flag_options){
        .flags = argument_given(arguments, "flags"),
        .errnos = argument_given(arguments, "errno"),
        .rules = {.tiny_after_rounding = tininess ? name_matches(tininess, "after", NULL)
                                                  : tininess_is_after_rounding(),
                  .inexact = argument_given(arguments, "inexact"),
                  .may_clear = argument_given(arguments, "may-clear")}};
    return !tininess || name_matches(tininess, "after", NULL) ||
           name_matches(tininess, "before", NULL) ||
           error_set(error, "--tininess needs before or after, not '%.40s'", tininess);
}
