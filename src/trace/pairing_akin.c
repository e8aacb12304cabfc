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
