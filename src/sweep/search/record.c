/* What a search found: a row a member. */
#include "sweep/search/record.h"

#include "sweep/tally_record.h"

#include <string.h>

const char *const search_purpose_names[SEARCH_PURPOSES] = {"error", "difference", "boundary",
                                                           "wrong-rounding"};
const char *const search_value_names[SEARCH_PURPOSES] = {"error", "difference", "distance",
                                                         "error"};

bool search_is_better(enum search_purpose purpose, double value, double other) {
    return purpose == SEARCH_BOUNDARY ? value < other : value > other;
}

bool search_is_worse(enum search_purpose purpose, size_t operands, const struct found_input *a,
                     const struct found_input *b) {
    if (a->value < b->value || a->value > b->value)
        return search_is_better(purpose, a->value, b->value);
    for (size_t i = 0; i < operands; i++)
        if (a->input[i] != b->input[i])
            return a->input[i] < b->input[i];
    return false;
}

#define FOUND(MEMBER)  offsetof(struct found_input, MEMBER)
#define GROWTH(MEMBER) offsetof(struct search_growth, MEMBER)
#define PART(MEMBER)   offsetof(struct search_part, MEMBER)
#define SEARCH(MEMBER) offsetof(struct search_record, MEMBER)

/* What was sought, by its name; the part tells which of them it is. */
#define VALUE_ROWS(OFFSET)                                                                         \
    {"error", &record_error, OFFSET, .when = 1u << SEARCH_ERROR | 1u << SEARCH_WRONG_ROUNDING,     \
     .says = "The error of the best input in ulps, if the aim is error or wrong-rounding; "        \
             "exact to 2^-24 ulp."},                                                               \
        {"difference", &record_error, OFFSET, .when = 1u << SEARCH_DIFFERENCE,                     \
         .says = "The difference in ulps of the second output, if the aim is difference."},        \
    {                                                                                              \
        "distance", &record_error, OFFSET, .when = 1u << SEARCH_BOUNDARY,                          \
                                           .says = "The distance from the boundary in ulps, if "   \
                                                   "the aim is boundary."                          \
    }
static const struct record_member found_members[] = {
    {"input", &record_input, FOUND(input), .says = "The input."}, VALUE_ROWS(FOUND(value))};
static const struct record found_record = {"found", found_members, ROWS(found_members),
                                           sizeof(struct found_input), RECORD_OUTSIDE(PART(tells))};

static const struct record_member growth_members[] = {
    {"evaluations", &record_count, GROWTH(evaluations),
     .part_of = {"evaluations", PART(evaluations), true},
     .says = "The number of inputs that this part had tried by then."},
    VALUE_ROWS(GROWTH(value))};
static const struct record growth_record = {"growth", growth_members, ROWS(growth_members),
                                            sizeof(struct search_growth),
                                            RECORD_OUTSIDE(PART(tells))};

/* The names of implementations, which are whose the document or the request is. A checkpoint has none. */
static void write_names(const struct record_out *out) {
    const struct search_part *part = out->data;
    if (out->wire->is_checkpoint)
        return;
    cJSON *names = cJSON_CreateArray();
    for (size_t i = 0; i < part->implementation_count; i++)
        cJSON_AddItemToArray(names, cJSON_CreateString(part->names[i]));
    record_add(out, names);
}

static void read_names(const struct record_in *in) {
    struct search_part *part = in->data;
    const cJSON *name, *names = in->wire->is_checkpoint
                                    ? NULL
                                    : json_array(in->reader, in->object, in->member->name);
    if (in->wire->is_checkpoint)
        return;
    part->implementation_count = 0;
    cJSON_ArrayForEach(name, names) {
        if (part->implementation_count == ROWS(part->names) || !cJSON_IsString(name)) {
            record_fail(in, "should be up to two names");
            return;
        }
        part->names[part->implementation_count++] = name->valuestring;
    }
}

static const struct record_kind names_kind = {
    write_names, read_names,
    .schema = "{\"type\": \"array\", \"items\": {\"type\": \"string\", \"minLength\": 1},"
              "\"maxItems\": 2}"};

/* A part's values are those that its search is for. */
static void settle_part(const struct record_in *in) {
    struct search_part *part = in->data;
    const struct search_record *search = in->parent;
    if (!in->wire->is_checkpoint)
        part->tells = 1u << search->purpose;
}

static bool is_worse_of_part(const void *data, const void *a, const void *b) {
    const struct search_part *part = data;
    return search_is_worse(part->tells == 1u << SEARCH_BOUNDARY ? SEARCH_BOUNDARY : SEARCH_ERROR,
                           MAX_OPERANDS, a, b);
}

static const struct record_member part_members[] = {
    {"implementations", &names_kind, .check = settle_part,
     .says = "The name of the implementation, or the two names if a difference was sought; empty "
             "if inputs near a boundary were sought."},
    {"evaluations", &record_count, PART(evaluations),
     .part_of = {"evaluations", SEARCH(evaluations), true},
     .says = "The number of inputs that this part tried."},
    {"best", &record_list, PART(best),
     OF(struct record_list_of){&found_record, PART(best_count), SEARCH_BEST, is_worse_of_part},
     .flags = RECORD_SET, .says = "The best inputs, the best first."},
    {"growth", &record_list, PART(growth),
     OF(struct record_list_of){&growth_record, PART(growth_count), SEARCH_GROWTH, NULL},
     .says = "The value of the best input, and after how many inputs it was found, each time it "
             "grew."}};
const struct record search_part_record = {"part", part_members, ROWS(part_members),
                                          sizeof(struct search_part), RECORD_ALL};

static void check_purpose(const struct record_in *in) {
    const struct search_record *search = in->data;
    if (search->purpose >= SEARCH_PURPOSES)
        json_fail(in->reader, "for", "is not known to this version of detcheck");
}

static const struct record_names_of purposes = {search_purpose_names, SEARCH_PURPOSES};
static const struct record_member search_members[] = {
    {"for", &record_choice, SEARCH(purpose), &purposes, .check = check_purpose,
     .says = "The aim of the search."},
    {"accept", &record_mark, SEARCH(accepts_flushed), "flushed", .flags = RECORD_ABSENT,
     .says = "The results that did not count as errors, if any."},
    {"without", &record_mark, SEARCH(without_built), "built", .flags = RECORD_ABSENT,
     .says = "The inputs that the search left out, if any."},
    {"evaluations", &record_count, SEARCH(evaluations),
     .says = "The number of inputs that were tried."},
    {"parts", &record_list, SEARCH(parts),
     OF(struct record_list_of){&search_part_record, SEARCH(part_count), MAX_IMPLEMENTATIONS, NULL},
     .says = "An entry for each implementation whose largest error was sought, or one entry."}};
const struct record search_record = {"search", search_members, ROWS(search_members),
                                     sizeof(struct search_record), RECORD_ALL};

bool search_same_purpose(const struct search_record *a, const struct search_record *b) {
    return a->purpose == b->purpose && a->part_count == b->part_count;
}

bool search_same_names(const struct search_record *a, const struct search_record *b) {
    bool same = true;
    for (size_t i = 0; i < a->part_count; i++) {
        const struct search_part *x = &a->parts[i], *y = &b->parts[i];
        same = same && x->implementation_count == y->implementation_count;
        for (size_t k = 0; same && k < x->implementation_count; k++)
            same = strcmp(x->names[k], y->names[k]) == 0;
    }
    return same;
}

/* Adds a row to the growth of a part, where it is better than the last one. */
static void grow(enum search_purpose purpose, struct search_part *part, struct search_growth row) {
    unsigned count = part->growth_count;
    if (count < SEARCH_GROWTH &&
        (!count || search_is_better(purpose, row.value, part->growth[count - 1].value)))
        part->growth[part->growth_count++] = row;
}

/* The earlier row, and of two at once the better. */
static bool comes_first(enum search_purpose purpose, const struct search_growth *a,
                        const struct search_growth *b) {
    return a->evaluations < b->evaluations ||
           (a->evaluations == b->evaluations && search_is_better(purpose, a->value, b->value));
}

/* The second as if it had followed the first; or, beside it, the best of both after as many evaluations of
 * each: so the order in which shards are merged does not matter. */
static void merge_growth(enum search_purpose purpose, struct search_part *mine,
                         const struct search_part *theirs, bool beside) {
    const struct search_part before = *mine;
    unsigned own = 0, other = 0;
    if (beside)
        mine->growth_count = 0;
    while (beside ? own < before.growth_count || other < theirs->growth_count
                  : other < theirs->growth_count) {
        const struct search_growth *a = &before.growth[own], *b = &theirs->growth[other];
        bool from_own = beside && own < before.growth_count &&
                        (other == theirs->growth_count || !comes_first(purpose, b, a));
        struct search_growth row = from_own ? *a : *b;
        row.evaluations += beside ? 0 : before.evaluations;
        own += from_own;
        other += !from_own;
        grow(purpose, mine, row);
    }
}

void search_merge(struct search_record *mine, const struct search_record *theirs, bool beside) {
    mine->evaluations += theirs->evaluations;
    for (size_t i = 0; i < mine->part_count; i++) {
        merge_growth(mine->purpose, &mine->parts[i], &theirs->parts[i], beside);
        record_merge(&search_part_record, &mine->parts[i], &theirs->parts[i]);
    }
}
