/* Reading the embedded tables: a line "pow 0x3f8061b9 0xc1400a33" for each input, "#" begins a comment. */
#include "vector/choose/mutants.h"

#include <stdlib.h>
#include <string.h>

extern const unsigned char mutants_fp32_txt[], mutants_fp64_txt[];
extern const size_t mutants_fp32_txt_size, mutants_fp64_txt_size;

static const struct mutant_table {
    int format; /* FORMAT_... */
    const unsigned char *text;
    const size_t *size;
} tables[] = {{FORMAT_FP32, mutants_fp32_txt, &mutants_fp32_txt_size},
              {FORMAT_FP64, mutants_fp64_txt, &mutants_fp64_txt_size}};

static const struct mutant_table *table_of(const struct binding_request *computed) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (computed->format == &formats[tables[i].format] &&
            computed->rounding == ROUND_NEAREST_EVEN)
            return &tables[i];
    return NULL;
}

/* The codes of a line that is of the operation; false where it is of another. */
static bool read_line(const char *line, size_t length, const struct operation *operation,
                      struct vector_choice *choice) {
    char text[128];
    const size_t name = strlen(operation->name);
    if (length >= sizeof text || length <= name || line[name] != ' ' ||
        memcmp(line, operation->name, name) != 0)
        return false;
    memcpy(text, line, length);
    text[length] = '\0';
    char *at = text + name;
    for (int i = 0; i < operation->operands; i++)
        choice->in[i] = strtoull(at, &at, 16);
    return true;
}

bool mutants_add(struct vector_choices *choices, const struct binding_request *computed,
                 struct error *error) {
    const struct mutant_table *table = table_of(computed);
    if (!table)
        return true;
    const char *text = (const char *)table->text, *end = text + *table->size;
    while (text < end) {
        const char *line = text, *stop = memchr(text, '\n', (size_t)(end - text));
        struct vector_choice choice = {.flags = 1u << VECTOR_MUTANT};
        text = stop ? stop + 1 : end;
        if (read_line(line, (size_t)((stop ? stop : end) - line), computed->operation, &choice) &&
            !vector_choices_add(choices, &choice))
            return error_set(error, "out of memory");
    }
    vector_choices_unite(choices, computed->operation->operands);
    return true;
}
