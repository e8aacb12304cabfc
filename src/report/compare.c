/* Comparing what is paired. */
#include "report/compare.h"

#include "report/invariance_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void compare_name(struct compare_row *row, int side, const char *name, const char *detail) {
    snprintf(side ? row->b : row->a, sizeof row->a, "%s", name);
    snprintf(side ? row->b_detail : row->a_detail, sizeof row->a_detail, "%s", detail);
}

static bool cannot(struct compare_row *row, const char *why) {
    snprintf(row->why, sizeof row->why, "%s", why);
    return false;
}

/* "--to fp16 --profile x" as the request's parameters; the text is taken apart in place. */
static bool read_parameters(char *text, struct binding_request *computed, struct error *why) {
    struct parameters given = {0};
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        int number = 0;
        while (number < PARAMETER_COUNT &&
               (strncmp(word, "--", 2) != 0 || strcmp(word + 2, parameter_rows[number].name) != 0))
            number++;
        if (number == PARAMETER_COUNT)
            return error_set(why, "there is no parameter %.40s", word);
        const struct parameter *row = &parameter_rows[number];
        const char *value = row->kind == PARAMETER_FLAG ? "" : strtok(NULL, " ");
        if (!value || !parameter_parse(row, value, &given.values[number], why))
            return error_set(why, "the parameter %s cannot be read", row->name);
    }
    return operation_settle(computed->operation, computed->format, &given, &computed->parameters,
                            why);
}

bool compare_find_request(const struct compare_row *row, char text[SECTION_TEXT],
                          struct binding_request *computed, int *result, struct error *why) {
    *computed = (struct binding_request){.overflow = OVERFLOW_IEEE};
    if (!(computed->operation = operation_of_result(row->operation, result, why)))
        return false;
    computed->format = format_find(row->format, why);
    if (!computed->format)
        return false;
    size_t rounding = 0;
    while (rounding < ROUNDING_NAMES && strcmp(rounding_names[rounding], row->rounding) != 0)
        rounding++;
    if (rounding == ROUNDING_NAMES)
        return error_set(why, "there is no rounding %s", row->rounding);
    computed->rounding = (enum rounding)rounding;
    memcpy(text, row->parameters, SECTION_TEXT);
    return read_parameters(text, computed, why);
}

/* How samples are drawn; the length of that text. */
static bool read_sampling(const char *codes, uint64_t *const numbers[3], int *length) {
    unsigned long long read[3];
    *length = 0;
    if (sscanf(codes, "samples %llu %llu %llu of %n", &read[0], &read[1], &read[2], length) != 3 ||
        !*length)
        return false;
    for (int i = 0; i < 3; i++)
        *numbers[i] = read[i];
    return true;
}

bool compare_read_codes(const char *codes, const struct binding_request *computed,
                        struct domain *domain, struct error *why) {
    struct code_set sets[MAX_OPERANDS] = {{0}};
    struct sampling sampling = {.operation = computed->operation};
    int operands = computed->operation->operands, operand = 0, length = 0;
    uint64_t *const drawn[] = {&sampling.samples, &sampling.seed, &sampling.run_length};
    bool good = true, sampled = read_sampling(codes, drawn, &length);
    const char *at = codes + length;
    while (good && *at && operand < operands) {
        char *end;
        uint64_t first = strtoull(at, &end, 16), last = first;
        good = end > at && *end == '-';
        if (good) {
            at = end + 1;
            last = strtoull(at, &end, 16);
            good = end > at && first <= last &&
                   last <= format_mask(format_of_operand(computed->format, operand)) &&
                   (!sets[operand].run_count || first > sets[operand].last_end) &&
                   code_set_append(&sets[operand], first, last, why);
        }
        at = end;
        operand += *at == ' ';
        good = good && (*at == ' ' || *at == ',' || !*at);
        at += *at != '\0';
    }
    size_t set_count = (size_t)operands;
    good = good && operand == operands - 1 &&
           code_sets_keep_calls(sets, &set_count, computed->operation, computed->format, why);
    if (good && sampled)
        return domain_samples(domain, computed->format, operands, sets, (size_t)operands, &sampling,
                              why);
    if (good)
        return domain_product(domain, DOMAIN_RANGE, computed->format, operands, sets,
                              (size_t)operands, why);
    for (int i = 0; i < MAX_OPERANDS; i++)
        code_set_free(&sets[i]);
    return error_set(why, "the file does not say which inputs these are");
}

/* Runs both over a part of the domain. */
static bool run_both(struct compare_row *row, const struct differ_request *request,
                     struct error *error) {
    row->computed = request->computed;
    row->only = request->only;
    row->ran = differ_run(request, &row->outcome, error);
    return row->ran || cannot(row, error->text);
}

static bool same_digest(const struct block_digest *a, const struct block_digest *b) {
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/* The domain of a section, if its line of codes has it; then also the range of the first block that differs. */
static bool find_block(const struct fingerprint_section *a, const struct binding_request *computed,
                       struct domain *domain, struct compare_row *row, struct error *why) {
    char identity[FINGERPRINT_TEXT];
    if (!compare_read_codes(a->codes, computed, domain, why))
        return false;
    if (!domain_identity(domain, identity))
        return error_set(why, "out of memory");
    if (strcmp(identity, a->inputs) != 0)
        return error_set(why, "the file does not say which inputs these are");
    const uint64_t first = row->first_block * FINGERPRINT_BLOCK,
                   last = (a->count - first < FINGERPRINT_BLOCK ? a->count - first
                                                                : FINGERPRINT_BLOCK) +
                          first - 1;
    domain_codes_at(domain, first, row->first_codes);
    domain_codes_at(domain, last, row->last_codes);
    row->has_range = true;
    if (domain->kind == DOMAIN_SAMPLES)
        compare_note_samples(&row->samples, domain);
    for (int i = 1; i < computed->operation->operands; i++)
        if (row->first_codes[i - 1] != row->last_codes[i - 1]) { /* more than one line of pairs */
            row->first_codes[i] = 0;
            row->last_codes[i] = format_mask(format_of_operand(computed->format, i));
        }
    return true;
}

/* The inputs of the first block that differs, if what was recorded can be repeated here. */
static bool pinpoint(const struct fingerprint_section *a, const struct fingerprint_section *b,
                     struct domain *domain, const struct compare_means *means,
                     struct compare_row *row) {
    struct implementation of_a, of_b;
    struct binding_request computed;
    struct block_digest digest;
    struct error why;
    int result;
    static char text[SECTION_TEXT]; /* parameters point into it as long as the row is there */
    if (!compare_find_request(row, text, &computed, &result, &why) ||
        !find_block(a, &computed, domain, row, &why) ||
        !implementation_open_named(&of_a, a->implementation, means->foreign, &why) ||
        !implementation_open_named(&of_b, b->implementation, means->foreign, &why))
        return cannot(row, why.text);
    struct differ_request request = {.computed = computed,
                                     .only = result,
                                     .a = &of_a,
                                     .b = &of_b,
                                     .domain = domain,
                                     .threads = means->threads,
                                     .stop = means->foreign->stop};
    request.from = row->first_block * FINGERPRINT_BLOCK;
    request.count =
        a->count - request.from < FINGERPRINT_BLOCK ? a->count - request.from : FINGERPRINT_BLOCK;
    const struct fingerprint_section *sections[] = {a, b};
    const struct implementation *implementations[] = {&of_a, &of_b};
    for (int i = 0; i < 2; i++) {
        if (!differ_digest(&request, implementations[i], result, row->first_block, &digest, &why))
            return cannot(row, why.text);
        if (!same_digest(&digest, &sections[i]->blocks[row->first_block])) {
            snprintf(row->why, sizeof row->why, "%.200s here is another one than in the file of %s",
                     sections[i]->implementation, i ? "B" : "A");
            return false;
        }
    }
    return run_both(row, &request, &why);
}

bool compare_sections(const struct fingerprint_section *a, const struct fingerprint_section *b,
                      const struct compare_means *means, struct compare_row *row,
                      struct error *error) {
    *row = (struct compare_row){.blocks = a->block_count};
    (void)error;
    memcpy(row->operation, a->operation, sizeof row->operation);
    memcpy(row->format, a->format, sizeof row->format);
    memcpy(row->rounding, a->rounding, sizeof row->rounding);
    memcpy(row->parameters, a->parameters, sizeof row->parameters);
    compare_name(row, 0, a->implementation, a->detail);
    compare_name(row, 1, b->implementation, b->detail);
    compare_cover(row, strncmp(a->codes, "samples ", 8) == 0 ? "samples" : "", a->count);
    const struct fingerprint_section *const sides[] = {a, b};
    for (int side = 0; side < 2; side++) {
        row->hosts[side] = *sides[side]->host ? sides[side]->host : NULL;
        row->variants[side] = *sides[side]->variant ? sides[side]->variant : NULL;
        row->built[side] = sides[side]->build;
    }
    if (*a->build && *b->build && strcmp(a->build, b->build) != 0) {
        row->builds[0] = a->build;
        row->builds[1] = b->build;
    }
    for (size_t i = 0; i < a->block_count; i++)
        if (!same_digest(&a->blocks[i], &b->blocks[i]) && !row->blocks_differ++)
            row->first_block = i;
    libraries_recognise(a->operation, a->format, a->rounding, a->inputs, a->total,
                        &row->libraries[0]);
    libraries_recognise(b->operation, b->format, b->rounding, b->inputs, b->total,
                        &row->libraries[1]);
    row->equal = row->blocks_differ == 0;
    if (row->equal)
        return true;
    row->of_calls = fingerprints_are_of_calls(a->operation);
    struct domain domain = {0};
    if (row->of_calls)
        cannot(row, "calls on arrays are not repeated here");
    else
        pinpoint(a, b, &domain, means, row);
    domain_free(&domain);
    return true;
}

/* Two different implementations over all inputs, as the reports had them. */
static bool run_all(const struct read_result *entry, const char *a, const char *b,
                    const struct compare_means *means, struct compare_row *row) {
    struct implementation of_a, of_b;
    struct binding_request computed;
    struct code_set sets[MAX_OPERANDS] = {{0}};
    size_t set_count = 1;
    struct domain domain = {0};
    struct error why;
    int result;
    static char text[SECTION_TEXT];
    if (strcmp(a, b) == 0)
        return cannot(row, "reports have no digests of blocks; on each machine run the "
                           "sweep with --fingerprints FILE, and compare the files");
    if (strcmp(entry->inputs.kind, "all") != 0)
        return cannot(row, "the report is not of all inputs");
    if (strcmp(entry->parameters, "{}") != 0 && strstr(entry->parameters, ","))
        return cannot(row, "it has parameters; compare fingerprints");
    if (!compare_find_request(row, text, &computed, &result, &why) ||
        !implementation_open_named(&of_a, a, means->foreign, &why) ||
        !implementation_open_named(&of_b, b, means->foreign, &why) ||
        !code_sets_make(sets, &set_count, code_set_every, computed.operation, computed.format,
                        &why) ||
        !code_sets_keep_calls(sets, &set_count, computed.operation, computed.format, &why) ||
        !domain_product(&domain, DOMAIN_ALL, computed.format, computed.operation->operands, sets,
                        set_count, &why))
        return cannot(row, why.text);
    struct differ_request request = {.computed = computed,
                                     .only = result,
                                     .a = &of_a,
                                     .b = &of_b,
                                     .domain = &domain,
                                     .count = domain.count,
                                     .threads = means->threads,
                                     .stop = means->foreign->stop};
    bool ran = run_both(row, &request, &why);
    domain_free(&domain);
    return ran;
}

bool compare_effects_differ(const struct compare_row *row, enum effect_part part) {
    const struct effect_counts *a = &row->effects[0], *b = &row->effects[1];
    bool differ = false;
    for (int fault = 0; fault < EFFECT_FAULTS; fault++)
        for (int effect = 0; effect < EFFECTS; effect++)
            differ = differ || (effect_part_of(effect) == part &&
                                a->counts[fault][effect] != b->counts[fault][effect]);
    return a->reported[part] && b->reported[part] && differ;
}

static bool same_member(const cJSON *a, const cJSON *b, const char *name) {
    return cJSON_Compare(json_get(a, name), json_get(b, name), true);
}

bool compare_properties_differ(const struct property_record *a, const struct property_record *b) {
    static const char *const members[] = {"input", "reference", "got", "where"};
    if (!a || !b || a->tested != b->tested)
        return true;
    bool same = a->inputs == b->inputs && a->unanswered == b->unanswered &&
                a->changed == b->changed && a->has_first == b->has_first;
    for (size_t i = 0; same && a->has_first && i < sizeof members / sizeof *members; i++)
        same = same_member(property_first(a), property_first(b), members[i]);
    return !same;
}

static bool same_invariance(const struct read_implementation *a,
                            const struct read_implementation *b) {
    bool same = a->property_count == b->property_count && a->events == b->events;
    for (size_t i = 0; same && i < a->property_count; i++)
        same = !compare_properties_differ(&a->properties[i],
                                          read_property_find(b, a->properties[i].name));
    return same;
}

bool compare_lacks_fingerprint(const struct read_result *result, struct error *error) {
    return error_set(
        error,
        "%s in %s has no fingerprint in one of the reports: a sweep has none if it was "
        "interrupted, if an input had no answer, if it is an unmerged shard, or a "
        "merged range",
        result->operation, result->format);
}

static bool is_of_two(const struct measure *measure) {
    return strncmp(measure->name, "differences.", strlen("differences.")) == 0;
}

struct reported_measures {
    measure_function *tell;
    void *context;
};

static bool tell_of_both(void *context, const struct measure *measure,
                         const struct measure_difference *difference) {
    const struct reported_measures *reported = context;
    return !difference->reported || is_of_two(measure) || difference->change == MEASURE_SAME ||
           reported->tell(reported->context, measure, difference);
}

bool compare_measures(const struct compare_row *row, measure_function *tell, void *context) {
    struct measures of[2] = {{0}, {0}};
    struct reported_measures reported = {tell, context};
    bool good = true;
    for (int side = 0; side < 2 && row->judged[0] && good; side++)
        good = measures_read(&of[side], row->results[side], row->judged[side]);
    good = good && measures_compare(&of[0], &of[1], tell_of_both, &reported);
    measures_free(&of[0]);
    measures_free(&of[1]);
    return good;
}

/* Events are no bits, and count among what is done besides answering. */
static bool note_events(void *context, const struct measure *measure,
                        const struct measure_difference *difference) {
    (void)difference;
    *(bool *)context |= strncmp(measure->name, "events.", strlen("events.")) == 0;
    return true;
}

bool compare_results(const struct read_result *a, const struct read_implementation *of_a,
                     const struct read_result *b, const struct read_implementation *of_b,
                     const struct compare_means *means, struct compare_row *row,
                     struct error *error) {
    *row = (struct compare_row){0};
    snprintf(row->operation, sizeof row->operation, "%s", a->operation);
    snprintf(row->format, sizeof row->format, "%s", a->format);
    snprintf(row->rounding, sizeof row->rounding, "%s", a->rounding);
    compare_name(row, 0, of_a->name, of_a->detail);
    compare_name(row, 1, of_b->name, of_b->detail);
    compare_cover(row, a->inputs.kind, a->inputs.count);
    compare_note_reported(row, a);
    row->built[0] = of_a->build;
    row->built[1] = of_b->build;
    if (read_builds_differ(of_a, of_b)) {
        row->builds[0] = of_a->build;
        row->builds[1] = of_b->build;
    }
    if (of_a->kind == READ_INVARIANCE && of_b->kind == READ_INVARIANCE) {
        row->invariance[0] = of_a;
        row->invariance[1] = of_b;
        row->equal = same_invariance(of_a, of_b);
        return true;
    }
    if (!of_a->fingerprint || !of_b->fingerprint)
        return compare_lacks_fingerprint(a, error);
    libraries_recognise_report(a, of_a->fingerprint, &row->libraries[0]);
    libraries_recognise_report(b, of_b->fingerprint, &row->libraries[1]);
    row->equal = strcmp(of_a->fingerprint, of_b->fingerprint) == 0;
    if (!row->equal)
        run_all(a, of_a->name, of_b->name, means, row);
    row->effects[0] = of_a->effects;
    row->effects[1] = of_b->effects;
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++)
        row->equal = row->equal && !compare_effects_differ(row, part);
    row->results[0] = a;
    row->results[1] = b;
    row->judged[0] = of_a;
    row->judged[1] = of_b;
    bool have_events = false;
    bool read = compare_measures(row, note_events, &have_events);
    row->equal = row->equal && !have_events;
    return read || error_set(error, "out of memory");
}
