/* What is other than usual for a process of code that is not ours: a variable or a command. */
#include "impl/implementation.h"

#include <string.h>

static bool is_variable(const char *variant) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t length = strspn(variant, letters);
    return length && variant[length] == '=';
}

const char *foreign_variable(const struct foreign_settings *settings) {
    return settings->variant && is_variable(settings->variant) ? settings->variant : NULL;
}

const char *foreign_runner(const struct foreign_settings *settings) {
    return settings->variant && !is_variable(settings->variant) ? settings->variant : NULL;
}
