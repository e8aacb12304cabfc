/* Which lines of a section are texts. */
#include "report/fingerprints_text.h"

#define FIELD(NAME)                                                                                \
    static char *text_of_##NAME(struct fingerprint_section *section) {                             \
        return section->NAME;                                                                      \
    }
FIELD(operation)
FIELD(format)
FIELD(rounding)
FIELD(parameters)
FIELD(implementation)
FIELD(detail)
FIELD(inputs)
FIELD(codes)

const struct section_field section_fields[SECTION_FIELDS] = {
    {"operation", text_of_operation},
    {"format", text_of_format},
    {"rounding", text_of_rounding},
    {"parameters", text_of_parameters},
    {"implementation", text_of_implementation},
    {"detail", text_of_detail},
    {"inputs", text_of_inputs},
    {"codes", text_of_codes}};
