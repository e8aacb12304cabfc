/* Which outputs tell something new, and where ways differ. */
#include "trace/evidence.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

uint64_t trace_evidence_mark(uint64_t mark, const struct trace_outputs *outputs, uint64_t at) {
    const uint64_t codes[] = {trace_output(outputs, 0, at), trace_output(outputs, 1, at)};
    return XXH3_64bits_withSeed(codes, sizeof codes, mark);
}

void trace_evidence_add(struct trace_evidence *evidence, uint64_t mark) {
    bool is_new = evidence->count < TRACE_FEWEST;
    for (size_t i = 0; is_new && i < evidence->count; i++)
        is_new = evidence->marks[i] != mark;
    if (is_new)
        evidence->marks[evidence->count++] = mark;
}

bool trace_apart_open(struct trace_apart *apart, const struct format *format, size_t count) {
    *apart = (struct trace_apart){format, malloc(count * format_bytes(format) + 1),
                                  calloc(count + 1, sizeof *apart->differ), count, false};
    return apart->first && apart->differ;
}

void trace_apart_close(struct trace_apart *apart) {
    free(apart->first);
    free(apart->differ);
}

void trace_apart_note(struct trace_apart *apart, const void *results) {
    const size_t bytes = format_bytes(apart->format);
    if (!apart->has_first)
        memcpy(apart->first, results, apart->count * bytes);
    for (size_t i = 0; apart->has_first && i < apart->count; i++)
        apart->differ[i] =
            apart->differ[i] || !trace_same_code(apart->format, code_load(apart->first, bytes, i),
                                                 code_load(results, bytes, i));
    apart->has_first = true;
}
