/* The members of "inputs": one row each. */
#include "report/inputs_record.h"

#include "record/kinds.h"
#include "sweep/search/record.h"
#include "sweep/tally_record.h"
#include "sweep/wire.h"

#include <stdlib.h>
#include <string.h>

void shape_read(struct json_reader *reader, const cJSON *extents, struct shape *shape) {
    const cJSON *extent;
    *shape = (struct shape){0};
    cJSON_ArrayForEach(extent, extents) {
        if (shape->dimensions == MOST_DIMENSIONS) {
            json_fail(reader, NULL, "has a shape of too many dimensions");
            return;
        }
        shape->extents[shape->dimensions++] = json_item_count(reader, extent);
    }
}

static bool equal(const struct shape *a, const struct shape *b) {
    return a->dimensions == b->dimensions &&
           memcmp(a->extents, b->extents, (size_t)a->dimensions * sizeof *a->extents) == 0;
}

size_t shape_list_place(const struct shape_list *list, const struct shape *shape) {
    size_t place = 0;
    while (place < list->count && !equal(&list->shapes[place], shape))
        place++;
    return place;
}

bool shape_list_add(struct shape_list *list, const struct shape *shape) {
    /* There is room for a power of two. */
    bool full = !(list->count & (list->count - 1));
    struct shape *more =
        full ? realloc(list->shapes, (list->count ? 2 * list->count : 1) * sizeof *more)
             : list->shapes;
    if (!more)
        return false;
    list->shapes = more;
    list->shapes[list->count++] = *shape;
    return true;
}

static void write_shapes(const struct record_out *out) {
    const struct shape_list *list = record_from(out);
    cJSON *shapes = cJSON_CreateArray();
    for (size_t i = 0; i < list->count; i++)
        cJSON_AddItemToArray(shapes, wire_shape(&list->shapes[i]));
    record_add(out, shapes);
}

static void read_shapes(const struct record_in *in) {
    const cJSON *item, *shapes = json_array(in->reader, in->object, in->member->name);
    struct shape_list *list = record_into(in);
    struct shape shape;
    int place = 0;
    cJSON_ArrayForEach(item, shapes) {
        size_t mark = json_enter(in->reader, in->member->name, place++);
        shape_read(in->reader, item, &shape);
        json_leave(in->reader, mark);
        if (!in->reader->failed && !shape_list_add(list, &shape))
            record_fail(in, "is too large for the memory");
    }
}

static void free_shapes(const struct record_member *member, void *data) {
    struct shape_list *list = (void *)((char *)data + member->offset);
    free(list->shapes);
    *list = (struct shape_list){NULL, 0};
}

static const struct record_kind shapes_kind = {
    write_shapes, read_shapes, .free = free_shapes,
    .schema = "{\"type\":\"array\",\"items\":{\"$ref\":\"#/definitions/shape\"}}"};

#define IDENTITY       "{\"type\":\"string\",\"pattern\":\"^xxh3-128:[0-9a-f]{32}$\"}"
#define FROM(LEAST)    "{\"type\":\"integer\",\"minimum\":" LEAST "}"
#define BETWEEN(A, B)  "{\"type\":\"integer\",\"minimum\":" A ",\"maximum\":" B "}"
#define SHARD(MEMBER)  offsetof(struct shard_facts, MEMBER)
#define INPUTS(MEMBER) offsetof(struct inputs_facts, MEMBER)

static const struct record_member shard_members[] = {
    {"of", &record_given, SHARD(of), BETWEEN("2", "1000000"),
     .flags = RECORD_EQUAL | RECORD_LENIENT, .says = "The number of shards of the whole run."},
    {"numbers", &record_numbers, SHARD(numbers),
     "{\"type\":\"array\",\"items\":" BETWEEN("1", "1000000") ",\"minItems\":1,"
                                                              "\"uniqueItems\":true}",
     .says = "The numbers of the shards that this report has."},
    {"unit", &record_given, SHARD(unit), FROM("1"), .when = SHARD_UNIT, .flags = RECORD_EQUAL,
     .says = "The number of inputs that a shard takes in a row before it leaves some to other "
             "shards. A search lacks it."},
    {"whole", &record_given, SHARD(whole), FROM("1"), .when = SHARD_WHOLE, .flags = RECORD_EQUAL,
     .says =
         "The number of inputs of the whole run. For a search, the number of evaluations of all "
         "shards; absent if the time limits the search."},
    {"whole_description", &record_string, SHARD(whole_description),
     .flags = RECORD_EQUAL | RECORD_LENIENT,
     .says = "The description of the inputs of the whole run."},
    {"whole_identity", &record_string, SHARD(whole_identity), IDENTITY,
     .flags = RECORD_EQUAL | RECORD_ABSENT,
     .says = "A hash of the inputs of the whole run. Shards of other inputs have another hash."},
    {"shapes", &shapes_kind, SHARD(shapes), .when = SHARD_SHAPES, .flags = RECORD_EQUAL,
     .says = "For operations on arrays: the shapes, in the order of the calls."}};
static const struct record shard_record = {"shard", shard_members, ROWS(shard_members),
                                           sizeof(struct shard_facts), SHARD(tells)};

#define RUNS                                                                                       \
    &record_runs, INPUTS(codes), OF(struct record_runs_of) {                                       \
        INPUTS(operands), MAX_OPERANDS                                                             \
    }
static const struct record_member inputs_members[] = {
    {"kind", &record_string, INPUTS(kind),
     "{\"enum\":[\"all\",\"range\",\"samples\",\"special\",\"file\",\"arrays\",\"search\","
     "\"recorded\"]}",
     .flags = RECORD_EQUAL,
     .says = "The source of the inputs: all, range, samples, special, file, arrays, search or "
             "recorded."},
    {"description", &record_string, INPUTS(description),
     .says = "The inputs in words, with the range as the command gave it."},
    {"count", &record_count, INPUTS(count),
     .says = "The number of inputs: tuples of operands, without duplicates of a file. For arrays, "
             "the number of calls."},
    {"identity", &record_string, INPUTS(identity), IDENTITY, .flags = RECORD_ABSENT,
     .says = "A hash of the inputs, if they come from a file or are special."},
    {"covered", &record_given, INPUTS(covered), .when = INPUTS_COVERED,
     .says = "The number of inputs that were tested, if not all were."},
    {"ranges", RUNS, .when = INPUTS_RANGES, .flags = RECORD_EQUAL,
     .says = "For all inputs and for ranges: an array of runs of codes for each operand. Each run "
             "is an array of its first and its last code."},
    {"sampled_from", RUNS, .when = INPUTS_SAMPLED_FROM, .flags = RECORD_EQUAL,
     .says = "The codes that samples are drawn from, in the form of ranges; absent if these are "
             "all codes."},
    {"integer_operand", &record_given, INPUTS(integer_operand), BETWEEN("0", "2"),
     .when = INPUTS_INTEGER,
     .says = "The number, from 0, of the operand that is an integer in C. Only the integers among "
             "its codes are taken."},
    {"seed", &record_string, INPUTS(seed), "{\"type\":\"string\",\"pattern\":\"^[0-9]+$\"}",
     .flags = RECORD_EQUAL | RECORD_ABSENT,
     .says = "The seed of random inputs, as a string of decimal digits: for samples, arrays and a "
             "search."},
    {"run_length", &record_given, INPUTS(run_length), BETWEEN("2", "262144"),
     .when = INPUTS_RUN_LENGTH, .flags = RECORD_EQUAL,
     .says = "For samples in runs of consecutive values of the last operand: the length of a run."},
    {"search", &record_pointed, INPUTS(search), &search_record, .flags = RECORD_ABSENT,
     .says = "For a search: how the inputs were found."},
    {"shard", &record_nested, INPUTS(shard), &shard_record, .when = INPUTS_SHARD,
     .flags = RECORD_EQUAL, .says = "For a report of some shards of a sweep: which shards."}};
const struct record inputs_record = {"inputs", inputs_members, ROWS(inputs_members),
                                     sizeof(struct inputs_facts), INPUTS(tells)};
