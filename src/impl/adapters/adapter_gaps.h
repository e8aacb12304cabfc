/* Outputs that a call does not write, for adapter.h, which includes this: what adapter_compute leaves as it
 * was is told to detcheck as that, lest what the memory held before be judged as an output. */
#ifndef ADAPTER_GAPS_H
#define ADAPTER_GAPS_H

/* What a call is to fill: an array of codes, or NULL for one that is not looked at. */
struct adapter_outputs {
    void *codes;
    unsigned bytes;
    size_t count;
};
enum { ADAPTER_GAPS_ARRAYS = 8 };

/* Outputs hold this before a call, or before one that is made again since some hold it still. Of 2 bytes and
 * more the first is a NaN that functions do not make. */
static uint64_t adapter_pattern(unsigned bytes, int again) {
    uint64_t code = bytes == 1   ? 0xa5
                    : bytes == 2 ? 0x7fa5
                    : bytes == 4 ? 0x7fa5a5a5
                                 : UINT64_C(0x7ff5a5a5a5a5a5a5);
    return again ? ~code : code;
}

/* In the machine's own byte order. */
static void adapter_pattern_bytes(unsigned char one[8], unsigned bytes, int again) {
    const uint64_t code = adapter_pattern(bytes, again);
    const uint32_t four = (uint32_t)code;
    const uint16_t two = (uint16_t)code;
    if (bytes == 8)
        memcpy(one, &code, sizeof code);
    else if (bytes == 4)
        memcpy(one, &four, sizeof four);
    else if (bytes == 2)
        memcpy(one, &two, sizeof two);
    else
        one[0] = (unsigned char)code;
}

static void adapter_fill(const struct adapter_outputs *outputs, int again) {
    unsigned char one[8];
    size_t i;
    adapter_pattern_bytes(one, outputs->bytes, again);
    for (i = 0; outputs->codes && i < outputs->count; i++)
        memcpy((unsigned char *)outputs->codes + outputs->bytes * i, one, outputs->bytes);
}

/* Whether output `index` holds the pattern. */
static int adapter_holds(const void *codes, unsigned bytes, size_t index, int again) {
    unsigned char one[8];
    adapter_pattern_bytes(one, bytes, again);
    return memcmp((const unsigned char *)codes + bytes * index, one, bytes) == 0;
}

static int adapter_holds_any(const struct adapter_outputs *outputs) {
    unsigned char one[8];
    const unsigned char *codes = (const unsigned char *)outputs->codes;
    size_t i;
    adapter_pattern_bytes(one, outputs->bytes, 0);
    for (i = 0; codes && i < outputs->count; i++)
        if (memcmp(codes + outputs->bytes * i, one, outputs->bytes) == 0)
            return 1;
    return 0;
}

static void *adapter_room(size_t bytes) {
    void *room = calloc(bytes ? bytes : 1, 1);
    if (!room) {
        fprintf(stderr, "out of memory for the arrays of a call\n");
        exit(1);
    }
    return room;
}

/* Marks what the first call left and the second one left, too, or wrote otherwise. The outputs become those
 * of the first. */
static void adapter_mark(const struct adapter_outputs *outputs, void *first, unsigned char *gaps,
                         size_t step) {
    size_t i;
    for (i = 0; i < outputs->count; i++)
        if (adapter_holds(first, outputs->bytes, i, 0) &&
            !adapter_holds(outputs->codes, outputs->bytes, i, 0))
            gaps[i * step] = 1;
    memcpy(outputs->codes, first, outputs->bytes * outputs->count);
}

/* Makes a call. Where outputs still hold what they were filled with, it is made again on others, and
 * gaps[i * step] becomes 1 where the call did not write output i of an array. */
static void adapter_call_and_look(void (*call)(void *context), void *context,
                                  const struct adapter_outputs *outputs, unsigned arrays,
                                  unsigned char *gaps, size_t step) {
    void *first[ADAPTER_GAPS_ARRAYS];
    unsigned k;
    int any = 0;
    for (k = 0; k < arrays; k++)
        adapter_fill(&outputs[k], 0);
    call(context);
    for (k = 0; k < arrays; k++)
        any = any || adapter_holds_any(&outputs[k]);
    if (!any || !gaps)
        return;
    for (k = 0; k < arrays; k++) {
        size_t length = outputs[k].codes ? outputs[k].bytes * outputs[k].count : 0;
        first[k] = adapter_room(length);
        if (length)
            memcpy(first[k], outputs[k].codes, length);
        adapter_fill(&outputs[k], 1);
    }
    call(context);
    for (k = 0; k < arrays; k++) {
        if (outputs[k].codes)
            adapter_mark(&outputs[k], first[k], gaps, step);
        free(first[k]);
    }
}

/* A call of adapter_compute, through a pointer that the compiler cannot look through: it moves nothing past
 * the call. */
struct adapter_computation {
    size_t count;
    void *const *x, *const *z;
};
static void adapter_make_computation(void *context) {
    static void (*volatile const compute)(size_t, void *const *, void *const *) = adapter_compute;
    const struct adapter_computation *c = (const struct adapter_computation *)context;
    compute(c->count, c->x, c->z);
}

/* What it is to fill. Results that lie over the operands are not looked at. */
static void adapter_describe(const struct adapter_request *request, size_t count, void *const *x,
                             void *const *z, struct adapter_outputs outputs[ADAPTER_RESULTS]) {
    for (unsigned k = 0; k < ADAPTER_RESULTS; k++) {
        outputs[k].codes = k < request->results && z[k] != x[0] ? z[k] : NULL;
        outputs[k].bytes = request->result_bytes;
        outputs[k].count = count;
    }
}

/* The call, and a mark at each input of which it does not write a result. */
static void adapter_compute_looking(const struct adapter_request *request, size_t count,
                                    void *const *x, void *const *z, unsigned char *gaps) {
    struct adapter_computation computation;
    struct adapter_outputs outputs[ADAPTER_RESULTS];
    computation.count = count;
    computation.x = x;
    computation.z = z;
    adapter_describe(request, count, x, z, outputs);
    adapter_call_and_look(adapter_make_computation, &computation, outputs, ADAPTER_RESULTS, gaps,
                          1);
}

#ifdef ADAPTER_ARRAYS
static void adapter_make_call(void *context) {
    struct adapter_array **arrays = (struct adapter_array **)context;
    adapter_call(arrays[0], arrays[1]);
}

/* The call, and a mark where it does not write all of its results. */
static void adapter_call_arrays(const struct adapter_request *request,
                                struct adapter_array *operands, unsigned char *gap) {
    struct adapter_array *both[2] = {operands, operands + request->operands};
    struct adapter_outputs outputs[ADAPTER_ARRAYS_MOST];
    unsigned k, results = request->results;
    for (k = 0; k < results; k++) {
        outputs[k].codes = both[1][k].codes;
        outputs[k].bytes = both[1][k].bytes;
        outputs[k].count = (size_t)both[1][k].elements;
    }
    adapter_call_and_look(adapter_make_call, both, outputs, results, gap, 0);
}
#endif

#endif
