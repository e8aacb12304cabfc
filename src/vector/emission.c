/* Choosing, computing and writing in parts. */
#include "vector/emission.h"

#include "vector/array_vectors.h"
#include "vector/choose/mutants.h"
#include "vector/choose/worst.h"
#include "vector/expect.h"
#include "vector/read/read.h"

#include <stdlib.h>
#include <string.h>

/* Tests in a part; elements in a part of arrays; chosen inputs that are kept from counting them to
 * writing them. */
enum { PART = 1 << 14, PART_ELEMENTS = 1 << 20, MOST_KEPT = 1 << 21 };

/* One group's inputs. */
struct chosen {
    struct vector_choices choices; /* of numbers; empty where they are not kept */
    uint64_t count;
    uint64_t part; /* tests to be made at a time */
};

/* Takes the inputs of the file's group of the same operation, format and rounding. */
static bool copy_inputs(const struct vector_file *file, const struct binding_request *wanted,
                        struct vector_choices *choices, struct error *error) {
    const struct vector_group *found = NULL;
    for (size_t i = 0; i < file->group_count && !found; i++) {
        const struct binding_request *there = &file->groups[i].computed;
        if (there->operation == wanted->operation && there->format == wanted->format &&
            there->rounding == wanted->rounding &&
            request_result_format(there) == request_result_format(wanted))
            found = &file->groups[i];
    }
    if (!found)
        return error_set(error, "%s has no inputs for %s in %s, %s", file->path,
                         wanted->operation->name, wanted->format->name,
                         rounding_names[wanted->rounding]);
    for (size_t i = 0; i < found->tests.count; i++) {
        const struct vector_test *test = &found->tests.items[i];
        struct vector_choice choice = {.flags = test->flags, .distance = test->distance};
        memcpy(choice.in, test->in, sizeof choice.in);
        if (!vector_choices_add(choices, &choice))
            return error_set(error, "out of memory");
    }
    return true;
}

/* In the order in which they are written: places may decide about random bits. */
static bool choose(const struct vector_emission *emission, const struct vector_group *group,
                   const struct stage *stage, struct vector_choices *choices, struct error *error) {
    const struct binding_request *computed = &group->computed;
    struct choice_rules rules = emission->rules;
    rules.stage = stage;
    bool chosen = emission->inputs ? copy_inputs(emission->inputs, computed, choices, error)
                                   : choose_inputs(choices, computed, &rules, error);
    if (chosen && !emission->inputs && vector_group_expects(group, EXPECT_DET))
        chosen = mutants_add(choices, computed, error);
    if (!chosen || (emission->report && !worst_add(emission->report, choices, computed, error)))
        return false;
    vector_choices_arrange(choices);
    return true;
}

static bool count_arrays(const struct vector_emission *emission, const struct vector_group *group,
                         struct chosen *chosen, struct error *error) {
    uint64_t elements;
    if (emission->report || emission->inputs || emission->rules.hard)
        return error_set(
            error,
            "--worst-of, --hard and --inputs-of are for operations on numbers; %s is on arrays",
            group->computed.operation->name);
    if (!array_vectors_count(group, emission->draws, &chosen->count, &elements, error))
        return false;
    chosen->part = elements < PART_ELEMENTS ? PART_ELEMENTS / (elements + 1) : 1;
    return true;
}

/* Groups are chosen one after the other, and then written likewise. */
static struct stage stage_of(const struct vector_emission *emission, size_t number) {
    struct stage stage = emission->stage;
    stage.number = number;
    stage.of = 2 * emission->group_count;
    return stage;
}

/* How many tests there will be, and of which kinds, of all groups. */
static bool choose_all(const struct vector_emission *emission, struct chosen *all,
                       struct vector_extent *extent, struct error *error) {
    size_t kept = 0;
    for (size_t i = 0; i < emission->group_count; i++) {
        struct vector_group *group = &emission->groups[i];
        struct chosen *chosen = &all[i];
        const struct stage stage = stage_of(emission, i);
        bool is_array = group->computed.operation->array != NULL;
        group->hard_given =
            emission->rules.hard && !is_array && !group->computed.operation->converts;
        chosen->part = PART;
        if (is_array ? !count_arrays(emission, group, chosen, error)
                     : !choose(emission, group, &stage, &chosen->choices, error))
            return false;
        stage_tell(&stage, NULL, 1, 1);
        chosen->count = is_array ? chosen->count : chosen->choices.count;
        extent->tests += chosen->count;
        extent->flags |= is_array ? 1u << VECTOR_DRAWN : 0;
        for (size_t j = 0; j < chosen->choices.count; j++)
            extent->flags |= chosen->choices.items[j].flags;
        kept += chosen->choices.count;
        if (kept > MOST_KEPT && emission->group_count > 1) {
            kept -= chosen->choices.count;
            vector_choices_free(&chosen->choices);
        }
    }
    return true;
}

/* The inputs of tests first .. first + count - 1. */
static bool take_inputs(const struct vector_emission *emission, const struct chosen *chosen,
                        struct vector_group *group, uint64_t count, struct error *error) {
    if (group->computed.operation->array)
        return array_vectors_draw(group, count, emission->draws, emission->rules.seed, error);
    for (uint64_t i = 0; i < count; i++) {
        const struct vector_choice *choice = &chosen->choices.items[group->first + i];
        struct vector_test test = {.flags = choice->flags, .distance = choice->distance};
        memcpy(test.in, choice->in, sizeof test.in);
        if (!vector_tests_add(&group->tests, &test))
            return error_set(error, "out of memory");
    }
    return true;
}

static bool write_group(const struct vector_emission *emission, struct chosen *chosen,
                        struct vector_group group, const struct stage *stage,
                        struct vector_writer *writer, struct error *error) {
    bool is_array = group.computed.operation->array != NULL, good = true;
    if (!is_array && !chosen->choices.count &&
        !choose(emission, &group, NULL, &chosen->choices, error))
        return false;
    for (; good && group.first < chosen->count; group.first += chosen->part) {
        uint64_t rest = chosen->count - group.first;
        uint64_t count = rest < chosen->part ? rest : chosen->part;
        good = take_inputs(emission, chosen, &group, count, error) &&
               expect_outputs(&group, error) && vector_write(writer, &group, count == rest, error);
        vector_tests_free(&group.tests);
        stage_tell(stage, NULL, chosen->count - rest + count, chosen->count);
    }
    vector_choices_free(&chosen->choices);
    return good;
}

bool vector_emit(const struct vector_emission *emission, FILE *stream, struct error *error) {
    struct vector_extent extent = {0};
    struct vector_writer writer;
    struct chosen *all = calloc(emission->group_count, sizeof *all);
    bool good = all ? choose_all(emission, all, &extent, error) : error_set(error, "out of memory");
    if (good)
        vector_write_begin(&writer, emission->style, stream, emission->groups,
                           emission->group_count, &extent);
    for (size_t i = 0; good && i < emission->group_count; i++) {
        const struct stage stage = stage_of(emission, emission->group_count + i);
        good = write_group(emission, &all[i], emission->groups[i], &stage, &writer, error);
    }
    for (size_t i = 0; all && i < emission->group_count; i++)
        vector_choices_free(&all[i].choices);
    free(all);
    if (good)
        vector_write_end(&writer);
    return good;
}
