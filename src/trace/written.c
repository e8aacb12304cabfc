/* From an operation in place back to what its input is a view of. */
#include "trace/written.h"

#include "trace/names.h"

#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_WAY = 4096, /* operations between a view and what writes through it */
    MOST_VIEWS = 16     /* of one another */
};

static bool is_alike(const struct trace_tensor *a, const struct trace_tensor *b) {
    return trace_same_shape(a, b) && strcmp(a->type_name, b->type_name) == 0;
}

/* What the tensor, an input of operation `*before`, is a view of: the input of the nearest operation before that computes
 * nothing and gives it; NULL. */
static const struct trace_tensor *base_of(const struct trace *trace,
                                          const struct trace_tensor *tensor, size_t *before) {
    const size_t last = *before < LONGEST_WAY ? 0 : *before - LONGEST_WAY;
    for (size_t i = *before; i-- > last;) {
        const struct trace_operation *operation = &trace->operations[i];
        if (operation->output_count != 1 || operation->input_count != 1 ||
            operation->inputs[0].is_overwritten || !is_alike(&operation->outputs[0], tensor) ||
            (tensor->has_digest &&
             !trace_same_digest(&operation->outputs[0].canonical, &tensor->canonical)))
            continue;
        const struct trace_name *name = trace_name_find(trace, operation);
        if (!name || name->how != TRACE_EXACT)
            continue;
        *before = i;
        return &operation->inputs[0];
    }
    return NULL;
}

static bool add(struct written *written, const struct trace_tensor *tensor, size_t operation) {
    for (size_t i = 0; i < written->count; i++)
        if (is_alike(written->entries[i].tensor, tensor))
            return true;
    if (written->count == written->room) {
        const size_t room = written->room ? 2 * written->room : 16;
        struct written_entry *larger = realloc(written->entries, room * sizeof *larger);
        if (!larger)
            return false;
        written->entries = larger;
        written->room = room;
    }
    written->entries[written->count++] = (struct written_entry){tensor, operation};
    return true;
}

static bool gives_other(const struct trace_operation *operation, const struct digest_map *differ,
                        size_t index) {
    for (size_t i = 0; i < operation->output_count; i++)
        if (operation->outputs[i].has_digest &&
            digest_map_has(differ, &operation->outputs[i].canonical, index + 1))
            return true;
    return false;
}

bool written_find(struct written *written, const struct trace *trace,
                  const struct digest_map *differ) {
    for (size_t index = 0; differ->count && index < trace->count; index++) {
        const struct trace_operation *operation = &trace->operations[index];
        for (size_t i = 0; i < operation->input_count; i++) {
            const struct trace_tensor *tensor = &operation->inputs[i];
            if (!tensor->is_overwritten || !gives_other(operation, differ, index))
                continue;
            size_t before = index;
            for (int views = 0; views < MOST_VIEWS && tensor; views++) {
                tensor = base_of(trace, tensor, &before);
                if (tensor && !add(written, tensor, index))
                    return false;
            }
        }
    }
    return true;
}

bool written_has(const struct written *written, const struct trace_tensor *tensor,
                 size_t operation) {
    for (size_t i = 0; i < written->count; i++)
        if (written->entries[i].operation < operation &&
            is_alike(written->entries[i].tensor, tensor))
            return true;
    return false;
}

void written_free(struct written *written) {
    free(written->entries);
    *written = (struct written){NULL};
}
