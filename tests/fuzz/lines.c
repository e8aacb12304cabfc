/* Any bytes as lines of other projects' files; the first byte chooses the kind and what is wanted.
 */
#include "fuzz.h"

#include "lines/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const char *const kinds[] = {"core-math", "testfloat", "tst",       "numpy-csv",
                                        "glibc",     "glibc-out", "libc-test", "table"};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    static const char *const operation_names[] = {"exp", "pow", "fma", "sigmoid"};
    static const char *const format_names[] = {"fp32", "fp64", "fp16", "fp8_e4m3fnuz"};
    struct error error;
    if (count < 2)
        return 0;
    const struct line_kind *kind = line_kind_find(kinds[bytes[0] % KINDS], &error);
    const struct lines_wanted wanted = {
        operation_find(operation_names[bytes[0] / KINDS % 4], &error),
        format_find(format_names[bytes[0] / (4 * KINDS) % 4], &error), ROUND_NEAREST_EVEN,
        bytes[0] & 1};
    FILE *stream = fmemopen((void *)(bytes + 1), count - 1, "rb");
    char line[LINE_LONGEST];
    const char *problem;
    unsigned long number = 0;
    if (!stream)
        return 0;
    while (line_next(stream, line, &number, &problem)) {
        struct line_content content = {0};
        error.text[0] = '\0';
        bool good = kind->read(&wanted, line, &content, &error);
        fuzz_require(good || error.text[0]);
        fuzz_require(content.inputs >= 0 && content.inputs <= LINE_MOST_INPUTS);
        for (int i = 0; good && i < content.inputs; i++)
            for (int j = 0; j < wanted.operation->operands; j++)
                fuzz_require((content.in[i][j] & ~format_mask(wanted.format)) == 0);
    }
    fclose(stream);
    return 0;
}
