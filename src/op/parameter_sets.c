/* The values of one run: those that are given, with what is taken where none is. */
#include "op/parameters.h"

#include <stdio.h>
#include <string.h>

void parameters_read(struct parameters *parameters, const char *lines) {
    struct error unused;
    for (const char *line = lines; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char text[2 * PARAMETER_ROOM];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
        char *value = strchr(text, '=');
        if (!value)
            continue;
        *value++ = '\0';
        for (int i = 0; i < PARAMETER_COUNT; i++)
            if (strcmp(parameter_rows[i].name, text) == 0)
                parameter_parse(&parameter_rows[i], value, &parameters->values[i], &unused);
    }
}

static const char *default_of(int number, const struct parameter_default *defaults) {
    for (; defaults->text; defaults++)
        if ((int)defaults->number == number)
            return defaults->text;
    return parameter_rows[number].otherwise;
}

bool parameters_settle(const struct parameters *given, parameter_set taken, parameter_set needed,
                       const struct parameter_default *defaults, const char *operation,
                       struct parameters *settled, struct error *error) {
    *settled = (struct parameters){0};
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *row = &parameter_rows[i];
        struct parameter_value *value = &settled->values[i];
        if (!(taken >> i & 1))
            continue;
        *value = given->values[i];
        if (value->present)
            continue;
        const char *otherwise = default_of(i, defaults);
        if (otherwise && *otherwise) {
            if (!parameter_parse(row, otherwise, value, error))
                return false;
        } else if (needed >> i & 1)
            return error_set(error, "%s needs --%s %s: %s", operation, row->name, row->value,
                             row->summary);
    }
    return true;
}

parameter_set parameters_present(const struct parameters *parameters) {
    parameter_set present = 0;
    for (int i = 0; i < PARAMETER_COUNT; i++)
        present |= (parameter_set)parameters->values[i].present << i;
    return present;
}

const struct format *parameters_result_format(const struct parameters *parameters,
                                              const struct format *format) {
    for (int i = 0; i < PARAMETER_COUNT; i++)
        if (parameter_rows[i].is_result_format && parameters->values[i].present)
            return parameters->values[i].format;
    return format_without_scale(format);
}
