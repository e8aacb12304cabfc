/* Any bytes as a file of vectors: refused with one line, or verified, and its inputs written anew. */
#include "fuzz.h"

#include "vector/array_vectors.h"
#include "vector/emission.h"
#include "vector/read/read.h"
#include "vector/verify.h"

enum { MOST_TESTS = 64, MOST_IN_ALL = 1 << 12 };

static FILE *nowhere;

/* Tests of a few elements do not take long. */
static bool is_small(const struct vector_file *file) {
    uint64_t tests = 0;
    for (size_t i = 0; i < file->group_count; i++) {
        const struct vector_group *group = &file->groups[i];
        struct array_call call;
        struct error unused;
        uint64_t elements = 1;
        if (group->computed.operation->array) {
            if (!array_vectors_plan(&call, &group->computed, &unused))
                return false;
            elements += array_vectors_operands(&call, group->computed.operation);
        }
        tests += group->tests.count;
        if (elements * group->tests.count > MOST_IN_ALL)
            return false;
    }
    return tests <= MOST_TESTS;
}

static void verify(const struct vector_file *file) {
    static struct implementation det;
    struct error error = {{0}};
    if (!det.kind)
        fuzz_require(implementation_open(&det, "det", NULL, &error));
    for (size_t i = 0; i < file->group_count; i++) {
        const struct vector_group *group = &file->groups[i];
        const struct verify_rules rules = {.whose = vector_group_first(group),
                                           .max_ulp = 1,
                                           .flags = group->has_raised,
                                           .most_shown = 10};
        struct verify_outcome outcome;
        if (fuzz_check(verify_group(group, &det, &rules, &outcome, &error), &error))
            verify_outcome_free(&outcome);
    }
}

static void write_anew(const struct vector_file *file) {
    struct error error = {{0}};
    struct vector_group *groups = calloc(file->group_count, sizeof *groups);
    fuzz_require(groups);
    for (size_t i = 0; i < file->group_count; i++)
        groups[i] = (struct vector_group){.computed = file->groups[i].computed,
                                          .expects = file->groups[i].expects,
                                          .has_raised = file->groups[i].has_raised};
    const struct vector_emission emission = {.style = vector_style_find("json", &error),
                                             .rules = {.count = 1, .threads = 1},
                                             .draws = 1,
                                             .inputs = file,
                                             .groups = groups,
                                             .group_count = file->group_count};
    fuzz_check(vector_emit(&emission, nowhere, &error), &error);
    free(groups);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct vector_file file;
    struct error error = {{0}};
    FILE *stream = count ? fmemopen((void *)bytes, count, "rb") : NULL;
    if (!nowhere)
        nowhere = fopen("/dev/null", "wb");
    if (!stream || !nowhere)
        return 0;
    bool good = fuzz_check(vector_read_stream(&file, "input", stream, &error), &error);
    fclose(stream);
    if (!good)
        return 0;
    fuzz_require(file.test_count > 0 && file.group_count > 0);
    if (is_small(&file)) {
        verify(&file);
        write_anew(&file);
    }
    vector_file_free(&file);
    return 0;
}
