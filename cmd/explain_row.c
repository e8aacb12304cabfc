/* Names of sides and inputs, and the libraries that sides are recognised as. */
#include "explain_row.h"

#include "detail.h"
#include "signals.h"

#include "explain/print.h"

#include <string.h>

void explain_row_recognise(struct explain_row *row, const struct explain_request *request) {
    const struct binding_request *computed = &request->computed;
    char identity[FINGERPRINT_TEXT];
    enum library_inputs swept = LIBRARY_INPUTS;
    if (domain_identity(request->domain, identity))
        swept = library_inputs_of(identity, computed->operation, computed->format);
    for (int side = 0; side < 2 - row->alone; side++) {
        static const char *const known[] = {"det", "cr", "exact", "steps:"};
        bool is_known = false; /* by its name */
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            is_known = is_known || strcmp(request->sides[side]->kind->name, known[i]) == 0;
        if (!row->alone && is_known)
            continue;
        if (swept < LIBRARY_INPUTS)
            memcpy(row->prints[side][swept], row->outcome.fingerprints[side], FINGERPRINT_TEXT);
        print_libraries(request, side, row->operation, row->prints[side]);
        row->interrupted[side] = interrupted != 0;
        libraries_find(row->operation, computed->format, computed->rounding, row->prints[side],
                       &row->libraries[side]);
    }
}

/* Two functions of a file that is gone by then are named by what they are. */
static void name_folded(struct explain_row *row, const struct folded *folded) {
    row->folded = folded;
    snprintf(row->sides[0], SECTION_TEXT, "folded");
    snprintf(row->sides[1], SECTION_TEXT, "run-time");
    snprintf(row->details[0], SECTION_TEXT, "the compiler's constants, by '%.*s'",
             SECTION_TEXT - 64, folded->command);
    snprintf(row->details[1], SECTION_TEXT, "the same calls, made when the program runs");
}

/* "glibc 2.36, libm.so.6, no-fma, on build-7" */
static void name_detail(char text[SECTION_TEXT], const struct details *details, int side) {
    const struct machine *machine = &details->machines[side];
    snprintf(text, SECTION_TEXT, "%.127s%s%s%s%.80s", details->texts[side],
             *machine->variant ? ", " : "", machine->variant, *machine->host ? ", on " : "",
             machine->host);
}

void explain_row_begin(struct explain_row *row, const struct explain_request *request,
                       const struct folded *folded) {
    const struct binding_request *computed = &request->computed;
    char name[64];
    struct details details;
    *row = (struct explain_row){.computed = *computed, .result = request->result};
    snprintf(row->operation, sizeof row->operation, "%s",
             operation_result_name(computed->operation, request->result, name));
    snprintf(row->format, sizeof row->format, "%s", computed->format->name);
    snprintf(row->rounding, sizeof row->rounding, "%s", rounding_names[computed->rounding]);
    snprintf(row->inputs, sizeof row->inputs, "%.*s", (int)sizeof row->inputs - 1,
             request->domain->text);
    fingerprints_describe_parameters(&computed->parameters, row->parameters);
    details_find(request->sides, computed, &details);
    for (int side = 0; side < 2; side++) {
        snprintf(row->sides[side], sizeof row->sides[side], "%.*s", SECTION_TEXT - 1,
                 request->sides[side]->name);
        name_detail(row->details[side], &details, side);
    }
    if (folded)
        name_folded(row, folded);
    row->alone = request->sides[0] == request->sides[1];
    row->domain = request->domain;
}
