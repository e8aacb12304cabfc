/* cast: its rules beyond the row are in op/conversion.h. */
#include "op/function/family.h"

static const struct operation rows[] = {
    {
        .name = "cast",
        .aliases = "convert",
        .formula = "x, in the format that --to names",
        .operands = 1,
        .results = 1,
        .exceptions = EXCEPTIONS_OF_IEEE,
        .errno_is_open = true,
        .parameters = PARAMETER_BIT(TO) | PARAMETER_BIT(PROFILE) | PARAMETER_BIT(SATURATION) |
                      PARAMETER_BIT(RANDOM_BITS) | PARAMETER_BIT(RANDOM) |
                      PARAMETER_BIT(RANDOM_SEED),
        .needed = PARAMETER_BIT(TO),
        .stands_alone = true,
        .converts = true,
        .takes_kinds = true,
        .result = {{.mpfr1 = mpfr_set}},
        .landmarks = "6 7.5 15.5 28 30 240 448 464 57344 61440 65504 65520",
    },
};
OPERATION_FAMILY(cast, rows);
