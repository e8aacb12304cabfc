/* Calls that are made again: as they were, in the reverse order, after others. */
#include "explain/repeat.h"

#include "explain/side.h"
#include "impl/file.h"

#include <stdlib.h>

/* Differences that are asked for alone, after other calls. */
enum { ALONE = 16 };

/* A side, and the differences that are in the block of the first one. */
struct repeat {
    const struct explain_request *request;
    const struct set_count *everything;
    int which;
    struct side side;
    void *inputs[MAX_OPERANDS];
    uint64_t first; /* the block */
    size_t count, examples;
    uint64_t got[EXAMPLES]; /* the latest bits, and whether others came before */
    bool changes[EXAMPLES];
};

static uint64_t output(const struct repeat *repeat, size_t at) {
    const size_t bytes = format_bytes(request_result_format(&repeat->request->computed));
    return code_load(repeat->side.results[repeat->side.result], bytes, at);
}

/* Takes the answer at a place for an example. */
static void take(struct repeat *repeat, size_t example, size_t at) {
    const struct format *out = request_result_format(&repeat->request->computed);
    if (repeat->side.unanswered[at])
        return;
    uint64_t got = output(repeat, at);
    repeat->changes[example] =
        repeat->changes[example] || !hypothesis_same(out, got, repeat->got[example]);
    repeat->got[example] = got;
}

/* The block as it was asked for when the differences were found. */
static bool ask_again(struct repeat *repeat, struct error *error) {
    domain_fill(repeat->request->domain, repeat->first, repeat->count, repeat->inputs);
    for (int times = 0; times < 2; times++) {
        if (!side_ask(&repeat->side, repeat->inputs, repeat->first, repeat->count, error))
            return false;
        for (size_t i = 0; i < repeat->examples; i++)
            take(repeat, i, (size_t)(repeat->everything->examples[i].index - repeat->first));
    }
    return true;
}

/* Of a function of one number: places in an array are no matter of it. */
static bool ask_backward(struct repeat *repeat, struct error *error) {
    const size_t bytes = format_bytes(repeat->request->computed.format);
    uint64_t codes[MAX_OPERANDS];
    if (repeat->side.binding.conditions.form != FORM_NUMBER)
        return true;
    for (size_t i = 0; i < repeat->count; i++) {
        domain_codes_at(repeat->request->domain, repeat->first + repeat->count - 1 - i, codes);
        for (int k = 0; k < repeat->request->computed.operation->operands; k++)
            code_store(repeat->inputs[k], bytes, i, codes[k]);
    }
    if (!side_ask_elsewhere(&repeat->side, repeat->inputs, repeat->count, error))
        return false;
    for (size_t i = 0; i < repeat->examples; i++)
        take(repeat, i,
             repeat->count - 1 - (size_t)(repeat->everything->examples[i].index - repeat->first));
    return true;
}

/* Calls of one input, each time after another one. */
static bool ask_alone(struct repeat *repeat, struct error *error) {
    const struct format *in = repeat->request->computed.format;
    const uint64_t before[] = {conditions_one(in), in->max_finite, 0,
                               format_with_sign(in, in->max_finite, true)};
    const bool is_of_numbers = repeat->side.binding.conditions.form == FORM_NUMBER;
    const size_t bytes = format_bytes(in);
    for (size_t i = 0; i < repeat->examples && i < ALONE; i++) {
        const uint64_t *codes = repeat->everything->examples[i].in;
        for (size_t call = 0; call < 2 * sizeof before / sizeof *before; call++) {
            for (int k = 0; k < repeat->request->computed.operation->operands; k++)
                code_store(repeat->inputs[k], bytes, 0, call % 2 ? before[call / 2] : codes[k]);
            if (!side_ask_elsewhere(&repeat->side, repeat->inputs, 1, error))
                return false;
            if (call == 0 && !is_of_numbers && !repeat->side.unanswered[0])
                repeat->got[i] = output(repeat, 0); /* a place is other alone than in an array */
            else if (call % 2 == 0)
                take(repeat, i, 0);
        }
    }
    return true;
}

static const struct way {
    bool (*ask)(struct repeat *repeat, struct error *error);
    size_t most; /* differences that it asks for */
    const char *says;
} ways[] = {
    /* Alone where an input has random bits of its own: elsewhere it would have others. */
    {ask_again, EXAMPLES, "gives other bits when the same calls are made again"},
    {ask_backward, EXAMPLES,
     "gives other bits in the reverse order: results depend on the calls before"},
    {ask_alone, ALONE, "gives other bits after other calls: results depend on the calls before"},
};

/* As of position: nearly all of those that are asked. */
static bool is_found(const struct repeat *repeat, const struct way *way, struct explanation *one) {
    one->tested = one->explains = 0;
    for (size_t i = 0; i < repeat->examples && i < way->most; i++) {
        one->tested++;
        one->explains += repeat->changes[i];
        if (repeat->changes[i] && !one->has_example) {
            one->has_example = true;
            one->example = repeat->everything->examples[i];
        }
    }
    one->wrong = one->tested - one->explains;
    return one->tested && one->explains >= one->tested - one->tested / 4;
}

static bool run(struct repeat *repeat, struct explanation *one, bool *found, struct error *error) {
    const size_t most = request_is_uniform(repeat->request) ? sizeof ways / sizeof *ways : 1;
    for (size_t way = 0; way < most && !*found; way++) {
        one->has_example = false;
        for (size_t i = 0; i < repeat->examples; i++) {
            repeat->got[i] = repeat->everything->examples[i].sides[repeat->which];
            repeat->changes[i] = false;
        }
        if (!ways[way].ask(repeat, error))
            return false;
        *found = is_found(repeat, &ways[way], one);
        if (*found)
            one->says = ways[way].says;
    }
    return true;
}

static bool try_side(struct repeat *repeat, struct explanation *one, bool *found,
                     struct error *error) {
    const struct explain_request *request = repeat->request;
    const struct binding_request *computed = &request->computed;
    const uint64_t left = request->domain->count - repeat->first;
    repeat->count = left < FINGERPRINT_BLOCK ? (size_t)left : FINGERPRINT_BLOCK;
    bool good = side_open(&repeat->side, request->sides[repeat->which], computed, request->result,
                          request->domain, repeat->count, error);
    repeat->side.losses = request->losses[repeat->which];
    repeat->side.question = QUESTION_REPETITION;
    for (int i = 0; good && i < computed->operation->operands; i++) {
        repeat->inputs[i] = malloc(repeat->count * format_bytes(computed->format));
        good = repeat->inputs[i] != NULL || error_set(error, "out of memory");
    }
    good = good && run(repeat, one, found, error);
    for (int i = 0; i < MAX_OPERANDS; i++)
        free(repeat->inputs[i]);
    side_close(&repeat->side);
    return good;
}

int repeat_explain(const struct explain_request *request, const struct set_count *everything,
                   struct explanation *explanations, struct error *error) {
    bool found = false;
    for (int which = 0; which < 2; which++) {
        struct explanation *one = &explanations[which];
        struct repeat repeat = {.request = request, .everything = everything, .which = which};
        *one = (struct explanation){.name = place_rows[PLACE_REPETITION].name,
                                    .says = place_rows[PLACE_REPETITION].says,
                                    .order = HYPOTHESIS_MOST + PLACE_REPETITION,
                                    .side = which,
                                    .verdict = EXPLAINS_NONE};
        repeat.first =
            everything->examples[0].index / FINGERPRINT_BLOCK * (uint64_t)FINGERPRINT_BLOCK;
        while (repeat.examples < everything->example_count &&
               everything->examples[repeat.examples].index - repeat.first < FINGERPRINT_BLOCK)
            repeat.examples++;
        if (found || request->sides[which]->kind == &implementation_file)
            continue;
        if (!try_side(&repeat, one, &found, error))
            return -1;
        if (found) {
            one->cause = 1;
            one->adds = everything->count;
            one->verdict = one->explains == everything->count ? EXPLAINS_ALL : EXPLAINS_PART;
        }
    }
    return 2;
}
