/* Operations that compute something of one kind. */
#include "trace/pairing_flow.h"

#include "trace/names.h"

#include <string.h>

/* The word of a name that says what is computed: "mm" of "aten.mm.out". */
static const char *word_of(const char *name, size_t *length) {
    const char *point = strchr(name, '.'), *word = point ? point + 1 : name;
    *length = strcspn(word, ".");
    while (*length > 1 && word[*length - 1] == '_')
        (*length)--;
    return word;
}

static bool has_word(const char *name, const char *word, size_t length) {
    bool found = false;
    for (const char *at = name; *at && !found; at++)
        found = strncmp(at, word, length) == 0;
    return found;
}

/* Whether two operations compute something of one kind: of one name, of names that hold one another, or both products. */
static bool are_akin(const struct flow *flow, size_t here, size_t there) {
    const struct trace_operation *a = &flow->sides[0].trace->operations[here],
                                 *b = &flow->sides[1].trace->operations[there];
    const struct trace_name *one = trace_name_find(flow->sides[0].trace, a),
                            *other = trace_name_find(flow->sides[1].trace, b);
    size_t length[2];
    const char *const words[2] = {word_of(a->name, &length[0]), word_of(b->name, &length[1])};
    return has_word(b->name, words[0], length[0]) || has_word(a->name, words[1], length[1]) ||
           (one && other && one->operation && other->operation &&
            strcmp(one->operation, other->operation) == 0);
}

bool flow_is_akin(const struct flow *flow, const struct flow_growth *growth) {
    bool akin = false;
    for (size_t i = 0; i < growth->count[0] && !akin; i++)
        for (size_t k = 0; k < growth->count[1] && !akin; k++)
            akin = are_akin(flow, growth->members[0][i], growth->members[1][k]);
    return akin;
}

/* ---- Products ---- */

bool flow_is_product(const struct flow *flow, int side, size_t operation) {
    const struct trace *trace = flow->sides[side].trace;
    const struct trace_name *name = trace_name_find(trace, &trace->operations[operation]);
    return name && (name->how == TRACE_PRODUCT || name->how == TRACE_CONVOLUTION);
}

static bool is_same(const struct trace_tensor *a, const struct trace_tensor *b) {
    return flow_counts(a) && flow_counts(b) && a->count == b->count &&
           trace_same_digest(&a->canonical, &b->canonical);
}

static bool takes(const struct trace_operation *operation, const struct trace_tensor *value) {
    bool found = false;
    for (size_t i = 0; i < operation->input_count && !found; i++)
        found = is_same(&operation->inputs[i], value);
    return found;
}

/* Whether two operations take a matrix that is the same on both sides. */
static bool share_matrix(const struct trace_operation *a, const struct trace_operation *b) {
    bool found = false;
    for (size_t i = 0; i < a->input_count && !found; i++)
        found = a->inputs[i].dimensions > 1 && takes(b, &a->inputs[i]);
    return found;
}

bool flow_are_factors(const struct flow *flow, const struct flow_growth *growth,
                      const struct trace_tensor *here, const struct trace_tensor *there) {
    const struct trace_tensor *const values[2] = {here, there};
    const struct trace_operation *products[2] = {NULL, NULL};
    size_t numbers[2] = {0, 0};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < growth->count[side] && !products[side]; i++) {
            const size_t number = growth->members[side][i];
            const struct trace_operation *one = &flow->sides[side].trace->operations[number];
            if (!flow_is_product(flow, side, number) || !takes(one, values[side]))
                continue;
            products[side] = one;
            numbers[side] = number;
        }
    return products[0] && products[1] && share_matrix(products[0], products[1]) &&
           are_akin(flow, numbers[0], numbers[1]);
}
