/* Collecting and writing digests. */
#include "report/fingerprints.h"

#include "report/fingerprints_text.h"

#include "platform/platform.h"
#include "report/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "  --to fp16 --profile x" without the blanks in front. */
void fingerprints_describe_parameters(const struct parameters *parameters,
                                      char text[SECTION_TEXT]) {
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < PARAMETER_COUNT && length < SECTION_TEXT; i++) {
        const struct parameter *row = &parameter_rows[i];
        char value[PARAMETER_ROOM];
        if (!parameters->values[i].present)
            continue;
        length += (size_t)snprintf(
            text + length, SECTION_TEXT - length, "%s--%s%s%s", length ? " " : "", row->name,
            row->kind == PARAMETER_FLAG ? "" : " ",
            row->kind == PARAMETER_FLAG ? "" : parameter_text(row, &parameters->values[i], value));
    }
}

/* The runs of each operand's codes, of samples behind how they are drawn; "-" where they are too many
 * for the line, or no product, or the operands are arrays, which have none. */
static void describe_codes(const struct domain *domain, char text[SECTION_TEXT]) {
    size_t length = 0;
    int digits = (int)(domain->format->width + 3) / 4;
    bool product = domain->kind != DOMAIN_ARRAYS && domain->operands && !domain->tuples;
    if (domain->kind == DOMAIN_SAMPLES)
        length += (size_t)snprintf(text, SECTION_TEXT, SAMPLES_TEXT, domain->count, domain->seed,
                                   domain->run_length);
    for (int i = 0; product && i < domain->operands; i++) {
        const struct code_set *set = &domain->sets[i];
        for (size_t run = 0; run < set->run_count && length < SECTION_TEXT; run++) {
            const struct code_ends ends = code_set_ends(set, run);
            length += (size_t)snprintf(text + length, SECTION_TEXT - length,
                                       "%s0x%0*" PRIx64 "-0x%0*" PRIx64,
                                       run     ? ","
                                       : i > 0 ? " "
                                               : "",
                                       digits, ends.first, digits, ends.last);
        }
    }
    if (!product || length >= SECTION_TEXT)
        strcpy(text, "-");
}

static struct fingerprint_section *add_section(struct fingerprint_file *file) {
    struct fingerprint_section *sections =
        realloc(file->sections, (file->count + 1) * sizeof *sections);
    if (!sections)
        return NULL;
    file->sections = sections;
    sections[file->count] = (struct fingerprint_section){0};
    return &sections[file->count++];
}

/* The sections of the sweep at hand are the last ones. */
static struct fingerprint_section *section_of(struct fingerprint_file *file,
                                              const struct sweep_request *request,
                                              size_t implementation, int result) {
    size_t results = (size_t)request->computed.operation->results;
    size_t all = request->implementation_count * results;
    return &file->sections[file->count - all + implementation * results + (size_t)result];
}

bool fingerprints_begin(struct fingerprint_file *file, const struct sweep_request *request,
                        struct error *error) {
    const struct binding_request *computed = &request->computed;
    size_t results = (size_t)computed->operation->results;
    file->request = request;
    for (size_t i = 0; i < request->implementation_count * results; i++) {
        struct fingerprint_section *section = add_section(file);
        char name[64];
        if (!section)
            return error_set(error, "out of memory");
        section->count = request->domain->count;
        snprintf(section->operation, SECTION_TEXT, "%s",
                 operation_result_name(computed->operation, (int)(i % results), name));
        snprintf(section->format, SECTION_TEXT, "%s", computed->format->name);
        snprintf(section->rounding, SECTION_TEXT, "%s", rounding_names[computed->rounding]);
        snprintf(section->implementation, SECTION_TEXT, "%s",
                 request->implementations[i / results].name);
        fingerprints_describe_parameters(&computed->parameters, section->parameters);
        describe_codes(request->domain, section->codes);
        if (!domain_identity(request->domain, section->inputs))
            return error_set(error, "out of memory");
    }
    return true;
}

bool fingerprints_are_of_calls(const char *operation) {
    int result;
    struct error unknown;
    const struct operation *row = operation_of_result(operation, &result, &unknown);
    return row && row->array;
}

bool fingerprints_collect(void *context, size_t implementation, int result,
                          const struct block_digest *digest) {
    struct fingerprint_file *file = context;
    struct fingerprint_section *section = section_of(file, file->request, implementation, result);
    if ((section->block_count & (section->block_count - 1)) == 0) {
        size_t capacity = section->block_count ? 2 * section->block_count : 1;
        struct block_digest *blocks = realloc(section->blocks, capacity * sizeof *blocks);
        if (!blocks)
            return false;
        section->blocks = blocks;
    }
    section->blocks[section->block_count++] = *digest;
    return true;
}

void fingerprints_end(struct fingerprint_file *file, const struct sweep_request *request,
                      const struct sweep_outcome *outcome) {
    size_t results = (size_t)request->computed.operation->results;
    size_t first = file->count - request->implementation_count * results, kept = first;
    struct platform platform;
    platform_describe(&platform);
    for (size_t i = 0; i < request->implementation_count * results; i++) {
        const struct implementation_outcome *one = &outcome->implementations[i / results];
        struct fingerprint_section section = file->sections[first + i];
        const char *total = one->fingerprints[i % results];
        if (!one->provided || !outcome->complete) {
            free(section.blocks);
            continue;
        }
        snprintf(section.detail, SECTION_TEXT, "%s", one->detail);
        gethostname(section.host, SECTION_TEXT - 1);
        if (strcmp(section.implementation, "libm") == 0)
            snprintf(section.variant, SECTION_TEXT, "%s",
                     libm_variant_names[platform.libm_variant]);
        snprintf(section.build, SECTION_TEXT, "%.*s", (int)strcspn(one->build, ","), one->build);
        memcpy(section.total, total, sizeof section.total);
        file->sections[kept++] = section;
    }
    file->count = kept;
}

static void write_section(const struct fingerprint_section *section, FILE *stream) {
    for (int i = 0; i < SECTION_FIELDS; i++) {
        const char *text = section_fields[i].text((struct fingerprint_section *)section);
        if (*text || !section_fields[i].may_lack)
            fprintf(stream, "%s %s\n", section_fields[i].name, text);
    }
    fprintf(stream, "count %" PRIu64 "\nblocks %zu\n", section->count, section->block_count);
    for (size_t i = 0; i < section->block_count; i++) {
        for (size_t j = 0; j < sizeof section->blocks[i].bytes; j++)
            fprintf(stream, "%02x", section->blocks[i].bytes[j]);
        fprintf(stream, "\n");
    }
    fprintf(stream, "fingerprint %s\n", section->total);
}

bool fingerprints_write(const struct fingerprint_file *file, FILE *stream, struct error *error) {
    fprintf(stream, "%s\n", FINGERPRINTS_FIRST_LINE);
    for (size_t i = 0; i < file->count; i++)
        write_section(&file->sections[i], stream);
    return !ferror(stream) || error_set(error, "cannot write fingerprints: %s", strerror(errno));
}

void fingerprints_free(struct fingerprint_file *file) {
    for (size_t i = 0; i < file->count; i++)
        free(file->sections[i].blocks);
    free(file->sections);
    *file = (struct fingerprint_file){0};
}
