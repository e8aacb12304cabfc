/* Any bytes as a file of inputs. The first byte chooses the operation and the format, the second whose
 * lines they are. What is read is a domain: its inputs are codes, as many as it says. Where the second byte
 * is odd beyond that, the bytes are a range, or the value of a parameter, as on a command line. */
#include "fuzz.h"

#include "lines/lines.h"
#include "op/parameters.h"
#include "sweep/fingerprint.h"

enum { MOST_LOOKED_AT = 4096 };

static char name[64];

static void remove_file(void) {
    unlink(name);
}

static void look_at(const struct domain *domain, const struct operation *operation) {
    for (uint64_t i = 0; i < domain->count && i < MOST_LOOKED_AT; i++) {
        uint64_t codes[MAX_OPERANDS];
        domain_codes_at(domain, i, codes);
        for (int j = 0; j < operation->operands; j++)
            fuzz_require(!(codes[j] & ~format_mask(domain->format)));
    }
    char identity[FINGERPRINT_TEXT];
    if (domain->count < MOST_LOOKED_AT)
        fuzz_require(domain_identity(domain, identity));
}

static void read_words(const char *text, size_t which, const struct format *format) {
    struct code_set set = {0};
    struct parameter_value value = {0};
    struct error error = {{0}}, note = {{0}};
    fuzz_check(code_set_range(&set, format, text, &note, &error), &error);
    code_set_free(&set);
    char room[PARAMETER_ROOM];
    const struct parameter *row = &parameter_rows[which % PARAMETER_COUNT];
    if (fuzz_check(parameter_parse(row, text, &value, &error), &error))
        parameter_text(row, &value, room);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const char *const kinds[] = {NULL,  "core-math", "testfloat",
                                        "tst", "numpy-csv", "glibc"};
    static const char *const operation_names[] = {"exp", "pow", "fma"};
    static const char *const format_names[] = {"fp32", "fp64", "fp16", "fp8_e4m3fnuz", "int8"};
    struct error error = {{0}}, note = {{0}};
    struct domain domain = {0};
    if (count < 2)
        return 0;
    const struct operation *operation = operation_find(operation_names[bytes[0] % 3], &error);
    const struct format *format = format_find(format_names[bytes[0] / 3 % 5], &error);
    fuzz_require(operation && format);
    if (bytes[1] & 8) {
        char *text = strndup((const char *)bytes + 2, count - 2);
        fuzz_require(text);
        read_words(text, bytes[1] >> 4, format);
        free(text);
        return 0;
    }
    const char *kind_name = kinds[bytes[1] % 6];
    const struct line_kind *kind = kind_name ? line_kind_find(kind_name, &error) : NULL;
    if (!name[0])
        atexit(remove_file);
    fuzz_name_file(name);
    fuzz_write_file(name, bytes + 2, count - 2);
    if (fuzz_check(domain_file(&domain, format, operation, name, kind, &note, &error), &error)) {
        fuzz_require(domain.count > 0);
        look_at(&domain, operation);
        domain_free(&domain);
    }
    return 0;
}
