/* Lists of inputs, the worst first. */
#include "sweep/search/finds.h"

#include "sweep/checkpoint/sound.h"
#include "sweep/search/box.h"
#include "sweep/search/record.h"

#include <stdlib.h>
#include <string.h>

bool finds_open(struct finds *finds, const struct search_request *request) {
    const struct format *format = request->sweep->computed.format;
    *finds = (struct finds){.request = request};
    finds->binade_count = (size_t)(format_mask(format) >> binade_log2(format)) + 1;
    finds->binades = calloc(finds->binade_count, sizeof *finds->binades);
    finds->has_binade = calloc(finds->binade_count, sizeof *finds->has_binade);
    return finds->binades && finds->has_binade;
}

void finds_close(struct finds *finds) {
    free(finds->binades);
    free(finds->has_binade);
    free(finds->tuples);
}

static size_t operands_of(const struct finds *finds) {
    return (size_t)finds->request->sweep->computed.operation->operands;
}

static bool is_worse(const struct finds *finds, const struct found_input *a,
                     const struct found_input *b) {
    return search_is_worse(finds->request->purpose, operands_of(finds), a, b);
}

static bool is_same(const struct finds *finds, const uint64_t *a, const uint64_t *b) {
    return memcmp(a, b, operands_of(finds) * sizeof *a) == 0;
}

/* Hard cases crowd where the function is flat: of one binade no more than that many are kept. */
enum { HARD_OF_BINADE = 4 };

/* The place that a new input may take: a free one, or that of the last of its binade, or of all. */
static size_t place_for(const struct finds *finds, const struct found_input *found) {
    const unsigned digits = binade_log2(finds->request->sweep->computed.format);
    size_t alike = 0, last = finds->best_count;
    for (size_t i = 0; i < finds->best_count; i++)
        if (finds->best[i].input[0] >> digits == found->input[0] >> digits) {
            alike++;
            last = i;
        }
    if (finds->request->purpose == SEARCH_BOUNDARY && alike >= HARD_OF_BINADE)
        return last;
    return finds->best_count < SEARCH_BEST ? finds->best_count : SEARCH_BEST - 1;
}

static void keep_best(struct finds *finds, const struct found_input *found) {
    for (size_t i = 0; i < finds->best_count; i++)
        if (is_same(finds, finds->best[i].input, found->input))
            return;
    size_t place = place_for(finds, found);
    if (place == finds->best_count)
        finds->best_count++;
    else if (!is_worse(finds, found, &finds->best[place]))
        return;
    for (; place > 0 && is_worse(finds, found, &finds->best[place - 1]); place--)
        finds->best[place] = finds->best[place - 1];
    finds->best[place] = *found;
}

static void keep_allowed(struct finds *finds, const struct found_input *found) {
    struct found_input *allowed = finds->allowed;
    for (size_t i = 0; i < finds->allowed_count; i++)
        if (is_same(finds, allowed[i].input, found->input))
            return;
    size_t place = finds->allowed_count;
    if (place < FINDS_ALLOWED)
        finds->allowed_count++;
    else if (!is_worse(finds, found, &allowed[--place]))
        return;
    for (; place > 0 && is_worse(finds, found, &allowed[place - 1]); place--)
        allowed[place] = allowed[place - 1];
    allowed[place] = *found;
}

/* Some of each kind. */
static void keep_faulty(struct finds *finds, const struct found_fault *fault) {
    size_t alike = 0;
    for (size_t i = 0; i < finds->faulty_count; i++)
        alike += finds->faulty[i].kind == fault->kind;
    if (alike < FINDS_OF_FAULT)
        finds->faulty[finds->faulty_count++] = *fault;
}

void finds_add(struct finds *finds, const struct probe_result *result) {
    for (unsigned i = 0; i < result->strange && finds->strange_count < FINDS_STRANGE; i++)
        memcpy(finds->strange[finds->strange_count++], result->strange_inputs[i],
               sizeof finds->strange[0]);
    for (size_t i = 0; i < result->faulty_count; i++)
        keep_faulty(finds, &result->faulty[i]);
    if (result->has_allowed)
        keep_allowed(finds, &result->allowed);
    if (!result->has_best)
        return;
    keep_best(finds, &result->best);
    size_t binade =
        (size_t)(result->best.input[0] >> binade_log2(finds->request->sweep->computed.format));
    if (!finds->has_binade[binade] || is_worse(finds, &result->best, &finds->binades[binade]))
        finds->binades[binade] = result->best;
    finds->has_binade[binade] = true;
}

void finds_grow(const struct finds *finds, struct search_part *part) {
    if (!finds->best_count)
        return;
    double best = finds->best[0].value;
    double last = part->growth_count ? part->growth[part->growth_count - 1].value : -1;
    if (part->growth_count && !(best < last || best > last))
        return;
    if (part->growth_count == SEARCH_GROWTH) { /* every other one goes */
        for (size_t i = 1; i < SEARCH_GROWTH / 2; i++)
            part->growth[i] = part->growth[2 * i];
        part->growth_count = SEARCH_GROWTH / 2;
    }
    part->growth[part->growth_count++] = (struct search_growth){part->evaluations, best};
}

static bool keep_tuple(struct finds *finds, const uint64_t *input) {
    size_t operands = operands_of(finds);
    if (finds->tuple_count == finds->tuple_capacity) {
        size_t capacity = finds->tuple_capacity ? 2 * finds->tuple_capacity : 256;
        uint64_t *tuples = realloc(finds->tuples, capacity * operands * sizeof *tuples);
        if (!tuples)
            return false;
        finds->tuples = tuples;
        finds->tuple_capacity = capacity;
    }
    memcpy(finds->tuples + finds->tuple_count++ * operands, input, operands * sizeof *input);
    return true;
}

bool finds_end(struct finds *finds, struct search_part *part) {
    bool kept = true;
    part->best_count = (unsigned)finds->best_count;
    memcpy(part->best, finds->best, sizeof part->best);
    for (size_t i = 0; i < finds->best_count; i++)
        kept = kept && keep_tuple(finds, finds->best[i].input);
    for (size_t i = 0; i < finds->binade_count; i++)
        kept = kept && (!finds->has_binade[i] || keep_tuple(finds, finds->binades[i].input));
    for (size_t i = 0; i < finds->strange_count; i++)
        kept = kept && keep_tuple(finds, finds->strange[i]);
    for (size_t i = 0; i < finds->faulty_count; i++)
        kept = kept && keep_tuple(finds, finds->faulty[i].input);
    for (size_t i = 0; i < finds->allowed_count; i++)
        kept = kept && keep_tuple(finds, finds->allowed[i].input);
    finds->allowed_tuples += finds->allowed_count;
    finds->best_count = finds->strange_count = finds->allowed_count = finds->faulty_count = 0;
    memset(finds->has_binade, 0, finds->binade_count * sizeof *finds->has_binade);
    return kept;
}

/* Whether it may be one: codes of the operands, and a value. */
static bool is_sound(const struct found_input *found, const struct binding_request *computed) {
    return sound_codes(computed, found->input) && sound_number(found->value);
}

/* Whether the inputs that were read are such that are searched. */
static bool are_sound(const struct finds *finds) {
    const struct binding_request *computed = &finds->request->sweep->computed;
    const struct code_set *sets = finds->request->sets;
    const int operands = computed->operation->operands;
    bool good = true;
    for (size_t i = 0; i < finds->best_count; i++)
        good = good && is_sound(&finds->best[i], computed);
    for (size_t i = 0; i < finds->binade_count; i++)
        good = good && (!finds->has_binade[i] || is_sound(&finds->binades[i], computed));
    for (size_t i = 0; i < finds->strange_count; i++)
        good = good && sets_have(sets, operands, finds->strange[i]);
    for (size_t i = 0; i < finds->faulty_count; i++)
        good = good && finds->faulty[i].kind < FAULT_KINDS &&
               sets_have(sets, operands, finds->faulty[i].input);
    for (size_t i = 0; i < finds->allowed_count; i++)
        good = good && is_sound(&finds->allowed[i], computed);
    for (size_t i = 0; i < finds->tuple_count; i++)
        good = good && sets_have(sets, operands, finds->tuples + i * (size_t)operands);
    return good;
}

static const char *const input_names[] = {"input_1", "input_2", "input_3"};

static void found_pass(struct found_input *found, size_t count, int operands,
                       struct serialiser *serialiser) {
    for (int i = 0; i < operands; i++)
        serialise_numbers(serialiser, input_names[i], &found[0].input[i], sizeof *found, count,
                          UINT64_MAX);
    serialise_doubles(serialiser, "values", &found[0].value, sizeof *found, count);
}

void finds_pass(struct finds *finds, struct serialiser *serialiser) {
    size_t operands = operands_of(finds), tuples = finds->tuple_count;
    struct serialise_place place = serialise_enter(serialiser, "best");
    serialise_size(serialiser, "count", &finds->best_count, SEARCH_BEST);
    found_pass(finds->best, finds->best_count, (int)operands, serialiser);
    serialise_leave(serialiser, place);
    place = serialise_enter(serialiser, "binades");
    serialise_flags(serialiser, "found", finds->has_binade, sizeof *finds->has_binade,
                    finds->binade_count);
    found_pass(finds->binades, finds->binade_count, (int)operands, serialiser);
    serialise_leave(serialiser, place);
    serialise_size(serialiser, "strange_count", &finds->strange_count, FINDS_STRANGE);
    serialise_numbers(serialiser, "strange", finds->strange, sizeof(uint64_t),
                      finds->strange_count * MAX_OPERANDS, UINT64_MAX);
    place = serialise_enter(serialiser, "faulty");
    serialise_size(serialiser, "count", &finds->faulty_count, FINDS_FAULTY);
    serialise_numbers(serialiser, "kinds", &finds->faulty[0].kind, sizeof *finds->faulty,
                      finds->faulty_count, FAULT_KINDS - 1);
    for (size_t i = 0; i < operands; i++)
        serialise_numbers(serialiser, input_names[i], &finds->faulty[0].input[i],
                          sizeof *finds->faulty, finds->faulty_count, UINT64_MAX);
    serialise_leave(serialiser, place);
    place = serialise_enter(serialiser, "allowed");
    serialise_size(serialiser, "count", &finds->allowed_count, FINDS_ALLOWED);
    found_pass(finds->allowed, finds->allowed_count, (int)operands, serialiser);
    serialise_leave(serialiser, place);
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(serialiser->object, "tuples");
    serialise_size(serialiser, "tuple_count", &tuples,
                   serialiser->reads ? (size_t)cJSON_GetArraySize(list) / operands : tuples);
    if (serialiser->reads && !serialise_is_torn(serialiser) && tuples) {
        finds->tuples = malloc(tuples * operands * sizeof *finds->tuples);
        serialise_expect(serialiser, "tuples", finds->tuples);
        finds->tuple_count = finds->tuple_capacity = finds->tuples ? tuples : 0;
    }
    serialise_numbers(serialiser, "tuples", finds->tuples, sizeof *finds->tuples,
                      finds->tuple_count * operands, UINT64_MAX);
    serialise_size(serialiser, "allowed_tuples", &finds->allowed_tuples, finds->tuple_count);
    serialise_expect(serialiser, "best", serialise_is_torn(serialiser) || are_sound(finds));
}

/* The inputs that the user knows. */
static bool keep_known(struct finds *finds) {
    const struct domain *known = finds->request->known;
    for (uint64_t i = 0; known && i < known->count; i++) {
        uint64_t codes[MAX_OPERANDS];
        domain_codes_at(known, i, codes);
        if (sets_have(finds->request->sets, (int)operands_of(finds), codes) &&
            !keep_tuple(finds, codes))
            return false;
    }
    return true;
}

bool finds_to_domain(struct finds *finds, struct search_record *record, struct domain *domain,
                     struct error *error) {
    const struct search_request *request = finds->request;
    uint64_t none[MAX_OPERANDS] = {0};
    for (int i = 0; i < MAX_OPERANDS; i++)
        none[i] = request->sets[i].run_count ? request->sets[i].runs[0].first : 0;
    bool kept = keep_known(finds);
    record->found = finds->tuple_count - finds->allowed_tuples;
    record->accepts_flushed = request->accepts_flushed;
    record->without_built = request->without_built;
    record->has_nothing = !finds->tuple_count;
    /* Where no implementation could be asked, one input lets the sweep say why. */
    if (!kept || (!finds->tuple_count && !keep_tuple(finds, none)))
        return error_set(error, "out of memory for the search");
    domain_tuples(domain, request->sweep->computed.format, (int)operands_of(finds), finds->tuples,
                  finds->tuple_count);
    domain->kind = DOMAIN_SEARCH;
    domain->seed = request->seed;
    finds->tuples = NULL;
    return true;
}
