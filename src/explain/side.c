/* Asking an implementation. */
#include "explain/side.h"

#include "impl/earlier.h"
#include "impl/file.h"
#include "op/calls.h"

#include <stdlib.h>
#include <string.h>

const struct question_row question_rows[SIDE_QUESTIONS] = {
    [QUESTION_DIFFERENCES] = {.name = "differences", .says = "what it returns"},
    [QUESTION_CHANGED_INPUTS] = {.name = "changed-inputs",
                                 .says = "what it returns for inputs that hypotheses change",
                                 .most = 4},
    [QUESTION_REPETITION] = {.name = "repetition", .says = "whether its bits repeat", .most = 1},
    [QUESTION_PLACES] = {.name = "places", .says = "the places of differences", .most = 1},
    [QUESTION_LIBRARIES] = {.name = "libraries", .says = "whose bits it has", .most = 1},
    [QUESTION_REWRITINGS] = {.name = "rewritings", .says = "which rewriting it is", .most = 1},
    [QUESTION_REBUILDS] = {.name = "rebuilds", .says = "what it returns", .most = 4},
};

bool side_open(struct side *side, const struct implementation *implementation,
               const struct binding_request *computed, int result, const struct domain *domain,
               size_t most, struct error *error) {
    struct error why;
    struct integer_place place;
    *side = (struct side){.domain = domain,
                          .result = result,
                          .most = most,
                          .takes_integer = operation_integer_place(computed->operation, &place),
                          .open = open_inputs_of(computed)};
    side->bound = implementation_bind(&side->binding, implementation, computed, &why);
    if (!side->bound)
        return error_set(error, "%s does not provide %s in %s: %s", implementation->name,
                         computed->operation->name, computed->format->name, why.text);
    side->unanswered = malloc(most);
    side->hidden = malloc(most);
    bool room = earlier_open(&side->earlier, computed, most) && side->unanswered && side->hidden;
    for (int i = 0; room && i < computed->operation->results; i++) {
        side->results[i] = malloc(most * format_bytes(request_result_format(computed)));
        room = side->results[i] != NULL;
    }
    return room || error_set(error, "out of memory");
}

void side_close(struct side *side) {
    if (side->bound)
        binding_close(&side->binding);
    free(side->unanswered);
    free(side->hidden);
    earlier_close(&side->earlier);
    for (int i = 0; i < MAX_RESULTS; i++)
        free(side->results[i]);
    *side = (struct side){0};
}

/* At inputs that were made up: it does the same where the domain has them. */
static void pass_over_event(void *context, enum event_kind kind, size_t index) {
    (void)context, (void)kind, (void)index;
}

struct asking {
    struct side *side;
    const struct slice *slice;
    event_function *reported; /* besides: who else wants to know */
};

static void load_input(const struct side *side, const struct slice *slice, size_t at,
                       uint64_t codes[MAX_OPERANDS]) {
    const struct binding_request *computed = &side->binding.request;
    for (int i = 0; i < computed->operation->operands; i++)
        codes[i] = code_load(slice->operands[i], format_bytes(computed->format), at);
}

static void take_event(void *context, enum event_kind kind, size_t index) {
    const struct asking *asking = context;
    struct event_witness event = {.kind = kind, .index = asking->slice->first + index};
    load_input(asking->side, asking->slice, index, event.input);
    side_events_add(asking->side->events, &event);
}

/* The number of the loss that an input is, from 1, or 0. */
static size_t loss_of(const struct side_losses *losses, const uint64_t codes[MAX_OPERANDS]) {
    for (size_t i = 0; i < losses->count; i++)
        if (memcmp(losses->inputs[i].codes, codes, sizeof losses->inputs[i].codes) == 0)
            return i + 1;
    return 0;
}

static bool is_reported_anyway(enum event_kind kind) {
    return kind == EVENT_ANSWERED_TWICE || kind == EVENT_GIVEN_UP || kind == EVENT_ANSWERS_DIFFER;
}

void side_add_elsewhere(const struct side_losses *losses, struct side_events *events) {
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        if (!losses->counts[kind] || events->counts[kind])
            continue;
        side_events_add(events, &losses->first[kind]);
        events->counts[kind] = losses->counts[kind];
    }
}

static void note_anyway(struct side_losses *losses, enum event_kind kind, uint64_t index,
                        const uint64_t codes[MAX_OPERANDS]) {
#pragma omp critical(explain_losses)
    if (!losses->counts[kind]++) {
        losses->first[kind] = (struct event_witness){.kind = kind, .index = index};
        memcpy(losses->first[kind].input, codes, MAX_OPERANDS * sizeof *codes);
    }
}

/* A hang costs seconds: it ends whatever else would be asked. */
static void note_question(struct side_losses *losses, enum side_question question,
                          enum event_kind kind) {
#pragma omp critical(explain_losses)
    {
        losses->lost[question]++;
        losses->ended[question] = losses->cut[question] =
            kind == EVENT_HANG || losses->lost[question] >= question_rows[question].most;
        for (int i = QUESTION_DIFFERENCES + 1; kind == EVENT_HANG && i < SIDE_QUESTIONS; i++)
            losses->ended[i] = true;
    }
}

bool side_is_ended(const struct side *side) {
    bool ended = false;
    if (side->losses) {
#pragma omp critical(explain_losses)
        ended = side->losses->ended[side->question];
    }
    return ended;
}

/* Remembers an input that has cost a process, and tells of the event. */
static void note_loss(void *context, enum event_kind kind, size_t index) {
    const struct asking *asking = context;
    struct side_losses *losses = asking->side->losses;
    bool lost = (kind == EVENT_CRASH || kind == EVENT_HANG || kind == EVENT_EXIT) &&
                asking->slice->unanswered[index];
    uint64_t codes[MAX_OPERANDS] = {0};
    load_input(asking->side, asking->slice, index, codes);
    if (losses && lost) {
#pragma omp critical(explain_losses)
        if (losses->count < MOST_LOSSES && !loss_of(losses, codes)) {
            memcpy(losses->inputs[losses->count].codes, codes, sizeof codes);
            losses->inputs[losses->count++].kind = kind;
        }
    }
    if (losses && lost && asking->side->question)
        note_question(losses, asking->side->question, kind);
    if (losses && is_reported_anyway(kind))
        note_anyway(losses, kind, asking->slice->first + index, codes);
    asking->reported(context, kind, index);
}

/* Puts 1 in the place of inputs that were lost before; where that is. */
static size_t hide(struct side *side, const struct slice *slice, const struct side_losses *known) {
    const struct binding_request *computed = &side->binding.request;
    size_t hidden = 0;
    for (size_t at = 0; known->count && at < slice->count; at++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        load_input(side, slice, at, codes);
        side->hidden[at] = (uint8_t)loss_of(known, codes);
        hidden += side->hidden[at] != 0;
        for (int i = 0; side->hidden[at] && i < computed->operation->operands; i++)
            code_store((void *)(uintptr_t)slice->operands[i], format_bytes(computed->format), at,
                       conditions_one(computed->format));
    }
    return hidden;
}

/* Undoes that: they have no answer, and the events of the first time. */
static void show(struct side *side, const struct slice *slice, const struct side_losses *known,
                 struct asking *asking) {
    const struct binding_request *computed = &side->binding.request;
    for (size_t at = 0; at < slice->count; at++) {
        if (!side->hidden[at])
            continue;
        for (int i = 0; i < computed->operation->operands; i++)
            code_store((void *)(uintptr_t)slice->operands[i], format_bytes(computed->format), at,
                       known->inputs[side->hidden[at] - 1].codes[i]);
        side->unanswered[at] = 1;
        asking->reported(asking, known->inputs[side->hidden[at] - 1].kind, at);
    }
}

static bool fill(struct side *side, struct slice *slice, event_function *event,
                 struct error *error) {
    struct asking asking = {.side = side, .slice = slice, .reported = event};
    struct side_losses known = {.count = 0};
    if (side->losses) {
#pragma omp critical(explain_losses)
        known = *side->losses;
    }
    memcpy(slice->results, side->results, sizeof slice->results);
    slice->unanswered = side->unanswered;
    memset(side->unanswered, known.ended[side->question], slice->count);
    if (known.ended[side->question]) {
#pragma omp atomic write
        side->losses->cut[side->question] = true;
        return true;
    }
    struct loss_limit limit = {.most = question_rows[side->question].most};
    slice->limit = limit.most ? &limit : NULL;
    size_t hidden = hide(side, slice, &known);
    bool good = binding_fill(&side->binding, slice, note_loss, &asking, error);
    if (hidden)
        show(side, slice, &known, &asking);
    return good;
}

bool side_passes_over(const struct side *side, const uint64_t *codes, uint64_t index) {
    const struct binding_request *computed = &side->binding.request;
    return (side->takes_integer &&
            !operation_is_call_of(computed->operation, computed->format, codes)) ||
           open_inputs_have(&side->open, codes[0], index);
}

/* How many inputs that are. */
static uint64_t pass_over(struct side *side, const struct slice *slice) {
    const struct binding_request *computed = &side->binding.request;
    const struct format *out = request_result_format(computed);
    uint64_t count = 0, codes[MAX_OPERANDS];
    for (size_t at = 0; at < slice->count; at++) {
        for (int i = 0; i < computed->operation->operands; i++)
            codes[i] = code_load(slice->operands[i], format_bytes(computed->format), at);
        if (!side_passes_over(side, codes, slice->first + at))
            continue;
        code_store(side->results[side->result], format_bytes(out), at, out->nan);
        side->unanswered[at] = 0;
        side->earlier.state[at] = EARLIER_NONE;
        count++;
    }
    return count;
}

bool side_ask(struct side *side, void *const *inputs, uint64_t first, size_t count,
              struct error *error) {
    struct slice slice = {.count = count, .first = first, .total = side->domain->count};
    for (int i = 0; i < MAX_OPERANDS; i++)
        slice.operands[i] = inputs[i];
    earlier_forget(&side->earlier, side->most);
    slice.earlier = &side->earlier;
    if (!fill(side, &slice, side->events ? take_event : pass_over_event, error))
        return false;
    uint64_t not_called = side->takes_integer || side->open.any ? pass_over(side, &slice) : 0;
    for (size_t at = 0; side->events && at < count; at++)
        side->events->unanswered += side->unanswered[at];
    if (side->events)
        side->events->not_called += not_called;
    return true;
}

/* Whether two inputs of the domain are in order: by bits, the first operand first. */
static bool is_before(const struct domain *domain, uint64_t index, const uint64_t *codes) {
    uint64_t there[MAX_OPERANDS];
    domain_codes_at(domain, index, there);
    for (int i = 0; i < domain->operands; i++)
        if (there[i] != codes[i])
            return there[i] < codes[i];
    return false;
}

static uint64_t place_of(const struct domain *domain, const uint64_t *codes) {
    uint64_t low = 0, high = domain->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (is_before(domain, middle, codes))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t side_place(const struct domain *domain, uint64_t code) {
    return place_of(domain, &code);
}

uint64_t side_count_between(const struct domain *domain, uint64_t from, uint64_t to) {
    uint64_t end = to == format_mask(domain->format) ? domain->count : side_place(domain, to + 1);
    return from > to ? 0 : end - side_place(domain, from);
}

/* One input of a file of outputs, whose outputs stand in order: its answer goes to place `at`. */
static bool ask_file(struct side *side, void *const *inputs, size_t at, struct error *error) {
    const struct binding_request *computed = &side->binding.request;
    uint64_t codes[MAX_OPERANDS], there[MAX_OPERANDS];
    struct slice slice = {.count = 1, .total = side->domain->count};
    size_t in = format_bytes(computed->format), out = format_bytes(request_result_format(computed));
    for (int i = 0; i < computed->operation->operands; i++) {
        codes[i] = code_load(inputs[i], in, at);
        slice.operands[i] = (char *)inputs[i] + at * in;
    }
    for (int i = 0; i < computed->operation->results; i++)
        slice.results[i] = (char *)side->results[i] + at * out;
    slice.unanswered = &side->unanswered[at];
    slice.first = place_of(side->domain, codes);
    bool has = slice.first < side->domain->count;
    if (has)
        domain_codes_at(side->domain, slice.first, there);
    for (int i = 0; has && i < computed->operation->operands; i++)
        has = there[i] == codes[i];
    side->unanswered[at] = !has;
    return !has || binding_fill(&side->binding, &slice, pass_over_event, NULL, error);
}

bool side_ask_elsewhere(struct side *side, void *const *inputs, size_t count, struct error *error) {
    if (side->binding.implementation->kind != &implementation_file) {
        struct slice slice = {.count = count};
        for (int i = 0; i < MAX_OPERANDS; i++)
            slice.operands[i] = inputs[i];
        return fill(side, &slice, pass_over_event, error);
    }
    bool good = true;
    for (size_t at = 0; good && at < count; at++)
        good = ask_file(side, inputs, at, error);
    return good;
}
