/* Asking for the inputs, and the note. */
#include "explain_telling.h"

#include "messages.h"

#include "base/foreign.h"
#include "explain/side.h"
#include "format/text.h"
#include "report/compare.h"
#include "report/text.h"
#include "vector/choose/mutants.h"

#include <stdlib.h>
#include <string.h>

/* More inputs than this take minutes; and a port differs at most at one of so many inputs that show faults. */
enum { QUICK_INPUTS = 1 << 24, FEW_OF = 4 };

struct telling {
    const struct explain_request *request;
    struct vector_choices choices;
    void *inputs[MAX_OPERANDS];
    uint64_t differ, first;
    int64_t least, greatest;
};

/* Which side is det, the other one not; -1 where neither is. */
static int det_of(const struct explain_request *request) {
    const bool are[2] = {strcmp(request->sides[0]->name, "det") == 0,
                         strcmp(request->sides[1]->name, "det") == 0};
    return are[0] == are[1] ? -1 : are[1];
}

static bool load(struct telling *telling) {
    const struct binding_request *computed = &telling->request->computed;
    const size_t bytes = format_bytes(computed->format);
    if (!(telling->inputs[0] = malloc((telling->choices.count + 1) * bytes)))
        return false;
    for (size_t i = 0; i < telling->choices.count; i++)
        code_store(telling->inputs[0], bytes, i, telling->choices.items[i].in[0]);
    return true;
}

static bool count(struct telling *telling, struct side sides[2]) {
    const struct explain_request *request = telling->request;
    const struct binding_request *computed = &request->computed;
    const struct format *out = request_result_format(computed);
    struct error unused;
    for (int i = 0; i < 2; i++)
        if (!side_open(&sides[i], request->sides[i], computed, request->result, request->domain,
                       telling->choices.count, &unused) ||
            !side_ask_elsewhere(&sides[i], telling->inputs, telling->choices.count, &unused))
            return false;
    for (size_t at = 0; at < telling->choices.count; at++) {
        uint64_t outputs[2];
        if (sides[0].unanswered[at] || sides[1].unanswered[at])
            return false;
        for (int i = 0; i < 2; i++)
            outputs[i] = code_load(sides[i].results[request->result], format_bytes(out), at);
        if (hypothesis_same(out, outputs[0], outputs[1]))
            continue;
        const uint64_t code = telling->choices.items[at].in[0];
        const int64_t ordinal = format_ordinal(computed->format, code);
        telling->first = telling->differ++ ? telling->first : code;
        telling->least = ordinal < telling->least ? ordinal : telling->least;
        telling->greatest = ordinal > telling->greatest ? ordinal : telling->greatest;
    }
    return true;
}

static void say(const struct telling *telling, const char *port) {
    const struct binding_request *computed = &telling->request->computed;
    const struct format *format = computed->format;
    char counts[2][32], ends[2][NUMBER_TEXT], bits[2][NUMBER_TEXT];
    uint64_t range[2];
    struct error note;
    if (!telling->differ || telling->differ > telling->choices.count / FEW_OF ||
        !compare_neighbours(computed->operation, format, telling->first, range))
        return;
    error_set(&note,
              "%s differs from det at %s of %s inputs that show wrong ports, from %s to %s; "
              "--range %s:%s explains these in seconds; now all inputs are compared",
              port, text_grouped(telling->differ, counts[0]),
              text_grouped(telling->choices.count, counts[1]),
              format_decimal_text(format, format_from_ordinal(format, telling->least), ends[0]),
              format_decimal_text(format, format_from_ordinal(format, telling->greatest), ends[1]),
              format_bits_text(format, range[0], bits[0]),
              format_bits_text(format, range[1], bits[1]));
    remark("note", &note);
}

void explain_tell_first(const struct explain_request *request) {
    struct telling telling = {.request = request, .least = INT64_MAX, .greatest = INT64_MIN};
    struct side sides[2] = {0};
    struct error unused;
    const int det = det_of(request);
    if (det < 0 || request->domain->kind != DOMAIN_ALL || request->domain->count <= QUICK_INPUTS ||
        request->computed.operation->operands != 1)
        return;
    if (mutants_add(&telling.choices, &request->computed, &unused) && telling.choices.count &&
        load(&telling) && count(&telling, sides))
        say(&telling, request->sides[1 - det]->name);
    for (int i = 0; i < 2; i++)
        side_close(&sides[i]);
    free(telling.inputs[0]);
    vector_choices_free(&telling.choices);
}
