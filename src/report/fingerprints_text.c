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
FIELD(host)
FIELD(variant)
FIELD(build)
FIELD(inputs)
FIELD(codes)

const struct section_field section_fields[SECTION_FIELDS] = {
    {"operation", text_of_operation, false},
    {"format", text_of_format, false},
    {"rounding", text_of_rounding, false},
    {"parameters", text_of_parameters, false},
    {"implementation", text_of_implementation, false},
    {"detail", text_of_detail, false},
    {"host", text_of_host, true},
    {"variant", text_of_variant, true},
    {"build", text_of_build, true},
    {"inputs", text_of_inputs, false},
    {"codes", text_of_codes, false}};
