/* The look at some inputs. */
#include "explain/identity.h"

#include "oracle/exact.h"
#include "sweep/domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row of the table. */
struct identity {
    const char *operation, *formula;
};

/* How many inputs are looked at, and how many of those at which the sides differ a rewriting must have right, in a
 * hundred. A rewriting is tried at so many inputs at a time, since most have too much wrong among the first. */
enum { LOOK = 1 << 16, LEAST_SHARE = 90, RIGHT_LOOKS = 64, AT_A_TIME = 1 << 11 };

struct look {
    const struct explain_request *request;
    const struct format *format; /* of outputs */
    size_t count, differ;        /* inputs, and those at which the sides differ */
    void *inputs[MAX_OPERANDS];
    struct side sides[2];
    struct side candidate;
    struct side_losses losses;  /* those of the answer are of its own */
    size_t best[IDENTITY_MOST]; /* how much the best rewriting of a side has right */
    bool makes_nan;             /* the latest candidate gave NaN where both sides give numbers */
};

static uint64_t output_of(const struct look *look, const struct side *side, size_t at) {
    return code_load(side->results[look->request->result], format_bytes(look->format), at);
}

static bool open_side(struct look *look, struct side *side, const struct implementation *one) {
    struct error why;
    if (!side_open(side, one, &look->request->computed, look->request->result,
                   look->request->domain, look->count, &why))
        return false;
    side->losses = &look->losses;
    side->question = QUESTION_REWRITINGS;
    return true;
}

/* So many outputs of a side, from the input with that number on. */
static bool answer(struct look *look, struct side *side, size_t first, size_t count) {
    const struct binding_request *computed = &look->request->computed;
    void *inputs[MAX_OPERANDS] = {0};
    struct error why;
    for (int i = 0; i < computed->operation->operands; i++)
        inputs[i] = (char *)look->inputs[i] + first * format_bytes(computed->format);
    return side_ask_elsewhere(side, inputs, count, &why);
}

/* Inputs that lie evenly in the domain. */
static bool draw(struct look *look) {
    const struct binding_request *computed = &look->request->computed;
    const struct domain *domain = look->request->domain;
    size_t bytes = format_bytes(computed->format);
    look->count = domain->count < LOOK ? (size_t)domain->count : LOOK;
    for (int i = 0; i < computed->operation->operands; i++)
        if (!(look->inputs[i] = malloc(LOOK * bytes)))
            return false;
    for (size_t at = 0; at < look->count; at++) {
        uint64_t codes[MAX_OPERANDS];
        domain_codes_at(
            domain, (uint64_t)((double)domain->count / (double)look->count * ((double)at + 0.5)),
            codes);
        for (int i = 0; i < computed->operation->operands; i++)
            code_store(look->inputs[i], bytes, at, codes[i]);
    }
    return look->count > 0;
}

/* The outputs of both sides; false where one of them did not answer. */
static bool load_both(const struct look *look, size_t at, uint64_t outputs[2]) {
    for (int side = 0; side < 2; side++)
        outputs[side] = output_of(look, &look->sides[side], at);
    return !look->sides[0].unanswered[at] && !look->sides[1].unanswered[at];
}

static void count_differences(struct look *look) {
    uint64_t outputs[2];
    for (size_t at = 0; at < look->count; at++)
        look->differ +=
            load_both(look, at, outputs) && !hypothesis_same(look->format, outputs[0], outputs[1]);
}

/* Whether a candidate has too much of a side wrong where the sides differ. */
static bool is_out(const struct look *look, size_t wrong) {
    return (look->differ - wrong) * 100 < look->differ * LEAST_SHARE;
}

/* What the candidate has right of each side: most of where the sides differ, and of those that have that the one that is
 * right most often. */
static void compare(struct look *look, const struct implementation *candidate,
                    struct identities *identities) {
    size_t wrong[2] = {0, 0}, all[2] = {0, 0};
    for (size_t first = 0; first < look->count; first += AT_A_TIME) {
        size_t count = look->count - first < AT_A_TIME ? look->count - first : AT_A_TIME;
        if (!answer(look, &look->candidate, first, count))
            return;
        for (size_t i = 0; i < count; i++) {
            uint64_t outputs[2], own = output_of(look, &look->candidate, i);
            if (!load_both(look, first + i, outputs))
                continue;
            bool same = hypothesis_same(look->format, outputs[0], outputs[1]);
            look->makes_nan = look->makes_nan || (format_is_nan(look->format, own) &&
                                                  !format_is_nan(look->format, outputs[0]) &&
                                                  !format_is_nan(look->format, outputs[1]));
            for (int side = 0; side < 2; side++) {
                bool is = hypothesis_same(look->format, outputs[side], own);
                all[side] += is;
                wrong[side] += !is && !same;
            }
        }
        if (is_out(look, wrong[0]) && is_out(look, wrong[1]))
            return;
    }
    for (int side = 0; side < 2; side++)
        if (!is_out(look, wrong[side]) && all[side] > look->best[side]) {
            look->best[side] = all[side];
            identities->found[side] = *candidate;
        }
}

/* "div(x, y)": the operation itself. */
static const char *call_text(const struct operation *operation, char text[64]) {
    snprintf(text, 64, "%s(%s)", operation->name,
             operation->operands == 1   ? "x"
             : operation->operands == 2 ? "x, y"
                                        : "x, y, z");
    return text;
}

/* A way to compute: steps alone, or `guarded`, as code is that asks for special cases first: the operation itself where the
 * steps give NaN. */
struct way {
    const struct identity *row;
    const struct format *format;
    const char *functions;
    bool guarded;
};

static bool name_way(const struct look *look, const struct way *way, struct implementation *one,
                     char name[IMPLEMENTATION_NAME]) {
    const struct operation *operation = look->request->computed.operation;
    const struct format *own = look->request->computed.format;
    const char *formula = way->row->formula;
    char call[64];
    struct error unused;
    int length = snprintf(name, IMPLEMENTATION_NAME, "steps@%s:%s: %s%s%s%s%s", way->format->name,
                          way->functions, way->guarded ? "let value = (" : "", formula,
                          way->guarded ? ") in select(value == value, value, " : "",
                          way->guarded ? call_text(operation, call) : "", way->guarded ? ")" : "");
    if (length >= IMPLEMENTATION_NAME || /* of a formula that somebody wrote */
        !implementation_open(one, name, look->request->sides[0]->foreign, &unused))
        return false;
    snprintf(one->detail, sizeof one->detail,
             "computes %.*s, each step rounded to %s%s%s%s%s (functions by %s)",
             operation->made_of ? (int)strlen(formula) : identity_name_length(formula), formula,
             way->format->name, way->format == own ? "" : " and the result from there",
             way->guarded ? ", and where that is NaN " : "",
             way->guarded ? call_text(operation, call) : "", way->guarded ? " itself" : "",
             way->functions);
    return true;
}

static void try_one(struct look *look, const struct way *way, struct identities *identities) {
    struct implementation candidate;
    char name[IMPLEMENTATION_NAME];
    if (name_way(look, way, &candidate, name) && open_side(look, &look->candidate, &candidate))
        compare(look, &candidate, identities);
    side_close(&look->candidate);
}

/* Whether a side is right wherever a few of the inputs are looked at where the sides differ: then it is no rewriting
 * that it differs by. */
static bool is_right(const struct look *look, int side) {
    const struct binding_request *computed = &look->request->computed;
    const struct format *format = request_result_format(computed);
    struct oracle oracle;
    struct error unused;
    bool right = true;
    int looks = 0;
    oracle_open(&oracle, computed->operation, computed->format, &computed->parameters,
                oracle_precision(computed->format));
    for (size_t at = 0; at < look->count && right && looks < RIGHT_LOOKS; at++) {
        uint64_t codes[MAX_OPERANDS], own = output_of(look, &look->sides[side], at);
        struct real y;
        if (hypothesis_same(format, own, output_of(look, &look->sides[1 - side], at)))
            continue;
        for (int i = 0; i < computed->operation->operands; i++)
            codes[i] = code_load(look->inputs[i], format_bytes(computed->format), at);
        right = oracle_exact(&oracle, codes, look->request->result, &y, &unused) &&
                hypothesis_same(format, own,
                                format_encode(format, &y, computed->rounding, computed->overflow));
        looks++;
    }
    oracle_close(&oracle);
    return right;
}

/* In the operands' format, and in those in which that is often computed. Rows that define a function look after special cases
 * themselves. */
static void try_row(struct look *look, const struct identity *row, struct identities *identities) {
    static const char *const functions[] = {"det", "libm"};
    const struct binding_request *computed = &look->request->computed;
    const struct format *own = computed->format;
    const struct format *formats_tried[] = {own, &formats[FORMAT_FP32], &formats[FORMAT_FP64]};
    const bool has_guard = !computed->operation->made_of && !strstr(row->formula, ") = ");
    for (size_t i = 0; i < sizeof formats_tried / sizeof *formats_tried; i++) {
        if (i && formats_tried[i]->precision <= own->precision)
            continue;
        for (size_t j = 0; j < sizeof functions / sizeof *functions; j++) {
            struct way way = {row, formats_tried[i], functions[j], false};
            look->makes_nan = false;
            try_one(look, &way, identities);
            way.guarded = true;
            if (has_guard && look->makes_nan)
                try_one(look, &way, identities);
        }
    }
}

/* Those of the table; of a formula its own steps. */
static void try_all(struct look *look, struct identities *identities) {
    const struct operation *operation = look->request->computed.operation;
    const struct identity own = {operation->name, operation->name};
    if (operation->made_of)
        try_row(look, &own, identities);
    struct identity row = {.formula = ""};
    for (size_t i = 0; row.formula && !foreign_is_stopped(look->request->sides[0]->foreign); i++) {
        row.formula = identity_row(i, &row.operation);
        if (row.formula && strcmp(row.operation, operation->name) == 0)
            try_row(look, &row, identities);
    }
}

void identities_find(const struct explain_request *request, struct identities *identities) {
    struct look look = {.request = request, .format = request_result_format(&request->computed)};
    bool known = request->computed.operation->made_of;
    *identities = (struct identities){.count = 0};
    const char *operation;
    for (size_t i = 0; identity_row(i, &operation); i++)
        known = known || strcmp(operation, request->computed.operation->name) == 0;
    if (!known || request->computed.rounding != ROUND_NEAREST_EVEN ||
        request->sides[0] == request->sides[1])
        return;
    bool good = draw(&look);
    for (int side = 0; side < 2 && good; side++) {
        good = open_side(&look, &look.sides[side], request->sides[side]) &&
               answer(&look, &look.sides[side], 0, look.count) && !look.losses.count;
        request->losses[side]->cut[QUESTION_REWRITINGS] = look.losses.count > 0;
    }
    if (good)
        count_differences(&look);
    if (look.differ)
        try_all(&look, identities);
    /* Those that were found stand first. */
    for (int side = 0; side < IDENTITY_MOST; side++)
        if (look.best[side] && !is_right(&look, side))
            identities->found[identities->count++] = identities->found[side];
    for (int side = 0; side < 2; side++)
        side_close(&look.sides[side]);
    for (int i = 0; i < MAX_OPERANDS; i++)
        free(look.inputs[i]);
}
