/* Reading files of fingerprints, line by line. */
#include "report/fingerprints_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A file being read. */
struct text_position {
    const char *path, *at;
    size_t line;
    struct error *error;
};

static bool bad(struct text_position *position, const char *what) {
    return error_set(position->error, "%.200s, line %zu: %s", position->path, position->line, what);
}

/* The text behind "name ", at most `room` characters, and on to the next line. */
static bool next(struct text_position *position, const char *name, char *text, size_t room) {
    size_t length = strcspn(position->at, "\n"), skip = strlen(name);
    char what[96];
    position->line++;
    snprintf(what, sizeof what, "'%s' and a text should stand here", name);
    if (position->at[length] != '\n')
        return bad(position, "the file ends here; fingerprints go on");
    if (strncmp(position->at, name, skip) != 0 || (skip && position->at[skip] != ' '))
        return bad(position, what);
    skip += skip > 0;
    if (length < skip || length - skip >= room)
        return bad(position, what);
    memcpy(text, position->at + skip, length - skip);
    text[length - skip] = '\0';
    position->at += length + 1;
    return true;
}

static bool read_count(struct text_position *position, const char *name, uint64_t most,
                       uint64_t *count) {
    char text[SECTION_TEXT], *end;
    if (!next(position, name, text, sizeof text))
        return false;
    errno = 0;
    *count = strtoull(text, &end, 10);
    return (text[0] >= '0' && text[0] <= '9' && !*end && !errno && *count <= most) ||
           bad(position, "a whole number should stand here");
}

static bool read_digest(struct text_position *position, struct block_digest *digest) {
    char text[SECTION_TEXT];
    if (!next(position, "", text, sizeof text))
        return false;
    return (strlen(text) == DIGEST_TEXT && digest_read(digest, text)) ||
           bad(position, "a digest of 32 lower-case hex digits should stand here");
}

/* That the fingerprint is the one of the digests above it. */
static bool check_total(struct text_position *position, const struct fingerprint_section *section) {
    struct fingerprint fingerprint;
    char total[FINGERPRINT_TEXT];
    if (!fingerprint_begin(&fingerprint, section->block_count))
        return error_set(position->error, "out of memory");
    for (size_t i = 0; i < section->block_count; i++)
        fingerprint_add(&fingerprint, &section->blocks[i]);
    fingerprint_end(&fingerprint, total);
    return strcmp(total, section->total) == 0 ||
           bad(position, "the fingerprint is not that of the digests above");
}

static bool read_section(struct text_position *position, struct fingerprint_section *section) {
    uint64_t blocks, most = UINT64_C(1) << 32;
    for (int i = 0; i < SECTION_FIELDS; i++) {
        const struct section_field *field = &section_fields[i];
        const size_t length = strlen(field->name);
        const bool is_there = strncmp(position->at, field->name, length) == 0;
        if ((is_there || !field->may_lack) &&
            !next(position, field->name, field->text(section), SECTION_TEXT))
            return false;
    }
    if (!read_count(position, "count", UINT64_MAX, &section->count) ||
        !read_count(position, "blocks", most, &blocks))
        return false;
    uint64_t in_each = fingerprints_are_of_calls(section->operation) ? 1 : FINGERPRINT_BLOCK;
    if (!section->count || blocks != (section->count - 1) / in_each + 1)
        return bad(position, "the number of blocks is not that of the inputs");
    /* A digest takes 33 bytes of the file, so a claim beyond the file's end costs no memory. */
    if (strlen(position->at) / 33 < blocks)
        return bad(position, "the file ends before its digests do");
    section->blocks = malloc((size_t)blocks * sizeof *section->blocks);
    if (!section->blocks)
        return error_set(position->error, "out of memory");
    for (; section->block_count < blocks; section->block_count++)
        if (!read_digest(position, &section->blocks[section->block_count]))
            return false;
    return next(position, "fingerprint", section->total, sizeof section->total) &&
           check_total(position, section);
}

bool fingerprints_are(const char *text) {
    return strncmp(text, "detcheck fingerprints ", 22) == 0;
}

bool fingerprints_parse(struct fingerprint_file *file, const char *path, const char *text,
                        struct error *error) {
    struct text_position position = {.path = path, .at = text, .error = error};
    char version[SECTION_TEXT];
    *file = (struct fingerprint_file){0};
    bool good = next(&position, "detcheck fingerprints", version, sizeof version);
    if (good && strcmp(version, "1") != 0)
        good = bad(&position, "only version 1 of fingerprints is known here");
    while (good && *position.at) {
        struct fingerprint_section *sections =
            realloc(file->sections, (file->count + 1) * sizeof *sections);
        if (!sections) {
            good = error_set(error, "out of memory");
            break;
        }
        file->sections = sections;
        sections[file->count] = (struct fingerprint_section){0};
        good = read_section(&position, &sections[file->count++]);
    }
    if (good && !file->count)
        good = bad(&position, "no fingerprints follow");
    if (!good)
        fingerprints_free(file);
    return good;
}
