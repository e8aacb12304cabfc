/* Blocks, processes, and the order in which inputs are sent. */
#include "invariance/walk.h"

#include "invariance/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Inputs of a block. With a call before each, twice as many elements have to fit into a request. */
enum { BLOCK = INVARIANCE_UNIT };

bool walk_process_open(struct walk_process *process, const struct invariance_request *request,
                       const char *variant, struct error *error) {
    struct binding_request computed = request->computed;
    struct error why;
    process->binding = (struct binding){0};
    process->settings = *request->implementation->foreign;
    process->settings.variant = variant;
    if (!implementation_open_apart(&process->implementation, request->implementation->name,
                                   &process->settings, error))
        return false;
    computed.conditions = true;
    if (implementation_bind(&process->binding, &process->implementation, &computed, &why))
        return true;
    process->binding.implementation = NULL;
    return error_set(error, "%.200s cannot be started again%s: %.300s",
                     request->implementation->name, variant ? " with it" : "", why.text);
}

void walk_process_close(struct walk_process *process) {
    binding_close(&process->binding);
}

/* The last answer is kept: each property asks for the same one. */
bool walk_support(const struct invariance_request *request, struct condition_support *support,
                  struct error *why) {
    static struct {
        const char *name;
        const struct operation *operation;
        const struct format *format;
        struct condition_support support;
    } last;
    const struct binding_request *computed = &request->computed;
    struct walk_process process;
    if (last.operation != computed->operation || last.format != computed->format || !last.name ||
        strcmp(last.name, request->implementation->name) != 0) {
        if (!walk_process_open(&process, request, NULL, why))
            return false;
        last.operation = computed->operation;
        last.format = computed->format;
        last.support = process.binding.conditions;
        last.name = request->implementation->name;
        walk_process_close(&process);
    }
    *support = last.support;
    return true;
}

bool walk_applies(const struct invariance_request *request, enum condition condition,
                  struct error *why) {
    struct condition_support support;
    if (!walk_support(request, &support, why))
        return false;
    return condition == CONDITIONS ||
           (support.is_known && condition_is_supported(&support, condition)) ||
           error_set(why, "%.80s cannot be tested for %s%s%.200s", request->implementation->name,
                     condition_names[condition], *support.why ? ": " : "", support.why);
}

bool walk_variants(const struct invariance_request *request, const struct binding *binding,
                   struct variants *variants, struct error *why) {
    struct condition_support support;
    if (!walk_support(request, &support, why))
        return false;
    variants_gather(variants, request, support.variants);
    for (size_t i = 0; i < variants->count; i++) {
        struct variant *variant = &variants->rows[i];
        struct walk_process process;
        if (!walk_process_open(&process, request, variant->text, &variant->why))
            continue;
        variant_settle(variant, request, process.binding.detail, binding->detail);
        walk_process_close(&process);
    }
    return variants_any(variants, request, why);
}

/* How many inputs a call has: what the implementation itself says of its function. */
static size_t array_of(const struct invariance_request *request,
                       const struct walk_process *process) {
    struct binding plain;
    struct error unused;
    enum call_form form = process->binding.conditions.form;
    if (!condition_is_supported(&process->binding.conditions, CONDITION_LENGTH))
        return 0;
    if (form == FORM_UNKNOWN &&
        implementation_bind(&plain, request->implementation, &request->computed, &unused)) {
        form = plain.conditions.form;
        binding_close(&plain);
    }
    return form == FORM_NUMBER ? 1 : WALK_ARRAY;
}

static bool make_outputs(struct walk_outputs *outputs, size_t elements) {
    bool good = true;
    for (int i = 0; i < MAX_RESULTS; i++)
        good = (outputs->results[i] = malloc(elements * sizeof(uint64_t))) && good;
    outputs->unanswered = malloc(elements);
    outputs->trapped = malloc(elements);
    return good && outputs->unanswered && outputs->trapped;
}

static void free_outputs(struct walk_outputs *outputs) {
    for (int i = 0; i < MAX_RESULTS; i++)
        free(outputs->results[i]);
    free(outputs->unanswered);
    free(outputs->trapped);
}

bool walk_open(struct walk *walk, const struct invariance_request *request,
               const struct walk_process *process, struct property_tally *tally) {
    *walk = (struct walk){.request = request, .tally = tally, .array = array_of(request, process)};
    walk->first =
        request->saved ? invariance_checkpoint_next(request->saved, request->saved->at) : 0;
    bool good = make_outputs(&walk->reference, BLOCK) && make_outputs(&walk->outputs, BLOCK);
    good = make_outputs(&walk->sent, 2 * BLOCK) && good;
    for (int i = 0; i < MAX_OPERANDS; i++) {
        good = (walk->inputs[i] = malloc(BLOCK * sizeof(uint64_t))) && good;
        good = (walk->operands[i] = malloc(2 * BLOCK * sizeof(uint64_t))) && good;
    }
    for (int i = 0; i < MAX_RESULTS; i++)
        good = (walk->changed[i] = malloc(BLOCK)) && good;
    walk->is_missing = malloc(BLOCK);
    walk->is_compared = malloc(BLOCK);
    walk->is_unrepeatable = malloc(BLOCK);
    return good && walk->is_missing && walk->is_compared && walk->is_unrepeatable;
}

void walk_close(struct walk *walk) {
    free_outputs(&walk->reference);
    free_outputs(&walk->outputs);
    free_outputs(&walk->sent);
    for (int i = 0; i < MAX_OPERANDS; i++) {
        free(walk->inputs[i]);
        free(walk->operands[i]);
    }
    for (int i = 0; i < MAX_RESULTS; i++)
        free(walk->changed[i]);
    free(walk->is_missing);
    free(walk->is_compared);
    free(walk->is_unrepeatable);
}

bool walk_next(struct walk *walk) {
    const struct invariance_request *request = walk->request;
    for (size_t i = 0; i < walk->count; i++)
        walk->tally->unanswered += !walk->is_compared[i] && !(walk->is_missing[i] & NEVER_CALLED);
    for (size_t i = 0; i < walk->count; i++)
        walk->tally->unrepeatable += walk->is_unrepeatable[i];
    for (size_t i = 0; i < walk->count; i++)
        walk->tally->inputs += !(walk->is_missing[i] & NEVER_CALLED);
    walk->first = shard_from(&request->shard, walk->first + walk->count, BLOCK);
    walk->condition = 0;
    if (request->saved && walk->first < request->domain->count) /* it is done when `run` returns */
        invariance_checkpoint_note(request->saved, request->saved->at, walk->first, 0);
    if (request->progress)
        request->progress(request->progress_context, walk->first);
    uint64_t all = request->domain->count, left = all > walk->first ? all - walk->first : 0;
    walk->count = (size_t)(left < BLOCK ? left : BLOCK);
    if (!walk->count || (request->stop && *request->stop)) {
        walk->count = 0;
        return false;
    }
    domain_fill(request->domain, walk->first, walk->count, walk->inputs);
    walk->tally->not_called +=
        mark_never_called(&request->computed, walk->inputs, walk->count, walk->is_missing);
    memset(walk->is_compared, 0, walk->count);
    memset(walk->is_unrepeatable, 0, walk->count);
    for (int i = 0; i < MAX_RESULTS; i++)
        memset(walk->changed[i], 0, walk->count);
    return true;
}

void walk_codes(const struct walk *walk, size_t at, uint64_t codes[MAX_OPERANDS]) {
    const struct binding_request *computed = &walk->request->computed;
    for (int i = 0; i < computed->operation->operands; i++)
        codes[i] = code_load(walk->inputs[i], format_bytes(computed->format), at);
}

uint64_t walk_result(const struct walk *walk, const struct walk_outputs *outputs, int result,
                     size_t at) {
    return code_load(outputs->results[result],
                     format_bytes(request_result_format(&walk->request->computed)), at);
}

/* Which input each element that is sent is; elements of another number have none. */
enum { OTHER = -1 };
struct sending {
    struct walk *walk;
    size_t at; /* of the block: of what is sent */
    size_t elements;
    enum walk_order order;
    int32_t input[2 * BLOCK];
};

/* All calls are of the same length: the last is filled up with copies of the last input. */
static void put_in_order(struct sending *sending, size_t count, enum walk_order order) {
    sending->order = order;
    size_t array = sending->walk->array ? sending->walk->array : count;
    size_t calls = (count + array - 1) / array;
    const bool after_others = order == WALK_AFTER_ONE || order == WALK_AFTER_GREATEST;
    for (size_t i = 0; i < calls; i++) {
        size_t call = order == WALK_BACKWARD ? calls - 1 - i : i;
        for (size_t k = 0; after_others && k < array; k++)
            sending->input[sending->elements++] = OTHER;
        for (size_t k = call * array; k < (call + 1) * array; k++)
            sending->input[sending->elements++] = (int32_t)(k < count ? k : count - 1);
    }
}

/* An input that has had no answer once is not sent again: it would cost a process each time. */
static void load_operands(struct sending *sending) {
    struct walk *walk = sending->walk;
    const struct binding_request *computed = &walk->request->computed;
    size_t bytes = format_bytes(computed->format);
    const uint64_t one = conditions_one(computed->format);
    uint64_t other = sending->order == WALK_AFTER_ONE ? one : computed->format->max_finite;
    for (int k = 0; k < computed->operation->operands; k++)
        for (size_t i = 0; i < sending->elements; i++) {
            int32_t input = sending->input[i];
            size_t at = sending->at + (size_t)input;
            code_store(walk->operands[k], bytes, i,
                       input == OTHER         ? other
                       : walk->is_missing[at] ? one
                                              : code_load(walk->inputs[k], bytes, at));
        }
}

/* To whom an element belongs at which something happened. */
static void take_event(void *context, enum event_kind kind, size_t index) {
    const struct sending *sending = context;
    struct walk *walk = sending->walk;
    if (sending->input[index] == OTHER) {
        property_lost(walk->tally, kind, walk->condition);
        return;
    }
    size_t at = sending->at + (size_t)sending->input[index];
    struct event_witness event = {.kind = kind, .index = walk->first + at};
    walk_codes(walk, at, event.input);
    property_event(walk->tally, &event, walk->condition, walk->where ? walk->where : "");
}

/* Sends what is in order, and puts the answers where their inputs are. */
static bool compute(struct sending *sending, struct walk_process *process,
                    const struct conditions *conditions, struct walk_outputs *outputs,
                    struct error *error) {
    struct walk *walk = sending->walk;
    const struct binding_request *computed = &walk->request->computed;
    struct conditions asked = conditions ? *conditions : (struct conditions){.stride = 1};
    bool plain = !walk->array && !conditions_asked(&asked), good = true;
    bool is_there = !walk->condition || memchr(walk->is_missing, 0, walk->count);
    struct loss_limit limit = {.most =
                                   is_there ? property_may_lose(walk->tally, walk->condition) : 0};
    struct slice slice = {.count = sending->elements,
                          .unanswered = walk->sent.unanswered,
                          .trapped = walk->sent.trapped,
                          .conditions = plain ? NULL : &asked,
                          .limit = &limit};
    size_t bytes = format_bytes(request_result_format(computed));
    asked.length = (uint32_t)walk->array;
    load_operands(sending);
    for (int i = 0; i < MAX_OPERANDS; i++)
        slice.operands[i] = walk->operands[i];
    memcpy(slice.results, walk->sent.results, sizeof slice.results);
    memset(slice.unanswered, limit.most ? 0 : 1, slice.count);
    memset(slice.trapped, 0, slice.count);
    if (limit.most)
        good = binding_fill(&process->binding, &slice, take_event, sending, error);
    else
        limit.left_out = slice.count;
    walk->tally->left_out += limit.left_out;
    for (size_t i = 0; i < sending->elements; i++) {
        if (sending->input[i] == OTHER)
            continue;
        size_t at = sending->at + (size_t)sending->input[i];
        for (int k = 0; k < computed->operation->results; k++)
            code_store(outputs->results[k], bytes, at, code_load(slice.results[k], bytes, i));
        if (!walk->condition)
            walk->is_missing[at] |= slice.unanswered[i];
        outputs->unanswered[at] = walk->is_missing[at] || slice.unanswered[i];
        outputs->trapped[at] = slice.trapped[i];
    }
    return good;
}

bool walk_compute(struct walk *walk, struct walk_process *process,
                  const struct conditions *conditions, enum walk_order order,
                  struct walk_outputs *outputs, struct error *error) {
    struct sending sending = {.walk = walk};
    put_in_order(&sending, walk->count, order);
    bool good = compute(&sending, process, conditions, outputs, error);
    walk->condition++;
    return good;
}

bool walk_compute_some(struct walk *walk, struct walk_process *process,
                       const struct conditions *conditions, size_t at, size_t count,
                       struct walk_outputs *outputs, struct error *error) {
    struct sending sending = {.walk = walk, .at = at};
    put_in_order(&sending, count, WALK_FORWARD);
    return compute(&sending, process, conditions, outputs, error);
}

void walk_change(struct walk *walk, size_t at, int result, uint64_t reference, uint64_t got,
                 const char *where) {
    if (walk->changed[result][at])
        return;
    struct change change = {.index = walk->first + at, .reference = reference, .got = got};
    walk->changed[result][at] = 1;
    walk_codes(walk, at, change.input);
    snprintf(change.where, sizeof change.where, "%s", where);
    property_change(walk->tally, result, &change);
}

bool walk_is_answered(struct walk *walk, const struct walk_outputs *outputs, size_t at) {
    bool is = !walk->reference.unanswered[at] && !outputs->unanswered[at];
    walk->is_compared[at] |= is;
    return is;
}

void walk_compare(struct walk *walk, const struct walk_outputs *outputs, size_t at, size_t count,
                  const struct walk_outputs *excused, const char *where) {
    const struct invariance_request *request = walk->request;
    const struct format *format = request_result_format(&request->computed);
    for (size_t i = at; i < at + count; i++) {
        if (!walk_is_answered(walk, outputs, i) || walk->is_unrepeatable[i])
            continue;
        for (int k = 0; k < request->computed.operation->results; k++) {
            uint64_t was = walk_result(walk, &walk->reference, k, i);
            uint64_t got = walk_result(walk, outputs, k, i);
            if (property_same(request, format, was, got) ||
                (excused && property_same(request, format, walk_result(walk, excused, k, i), got)))
                continue;
            if (walk->differing)
                walk->differing[k]++;
            walk_change(walk, i, k, was, got, where);
        }
    }
}
