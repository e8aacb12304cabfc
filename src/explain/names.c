/* All tables of hypotheses. */
#include "explain/names.h"

#include "explain/arrays.h"
#include "explain/conversion.h"

#include <string.h>

bool hypothesis_is_name(const char *name) {
    bool found =
        strcmp(name, HYPOTHESIS_REWRITTEN) == 0 || strcmp(name, HYPOTHESIS_WITHOUT_FMA) == 0;
    for (size_t i = 0; i < hypothesis_count; i++)
        found = found || strcmp(hypotheses[i].name, name) == 0;
    for (size_t i = 0; i < conversion_hypothesis_count; i++)
        found = found || strcmp(conversion_hypothesis(i).name, name) == 0;
    for (size_t i = 0; arrays_hypothesis(i).name; i++)
        found = found || strcmp(arrays_hypothesis(i).name, name) == 0;
    for (int i = 0; i < PLACES; i++)
        found = found || strcmp(place_rows[i].name, name) == 0;
    return found;
}
