/* XXH3-128 over outputs. */
#include "sweep/fingerprint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef DETCHECK_XXHASH_DISPATCH
#include <xxh_x86dispatch.h> /* the same functions, as the processor has them best */
#else
#include <xxhash.h>
#endif

static bool big_endian(void) {
    const uint16_t probe = 1;
    uint8_t first;
    memcpy(&first, &probe, 1);
    return first == 0;
}

static void to_little_endian(uint8_t *bytes, size_t width, size_t count) {
    for (size_t i = 0; i < count; i++, bytes += width)
        for (size_t j = 0; j < width / 2; j++) {
            uint8_t swap = bytes[j];
            bytes[j] = bytes[width - 1 - j];
            bytes[width - 1 - j] = swap;
        }
}

static struct block_digest canonical(XXH128_hash_t hash) {
    XXH128_canonical_t bytes;
    struct block_digest digest;
    XXH128_canonicalFromHash(&bytes, hash);
    memcpy(digest.bytes, bytes.digest, sizeof digest.bytes);
    return digest;
}

struct block_digest fingerprint_block(const struct format *format, void *outputs, size_t count) {
    size_t width = format_bytes(format);
    if (big_endian())
        to_little_endian(outputs, width, count);
    return canonical(XXH3_128bits(outputs, count * width));
}

uint64_t fingerprint_group(uint64_t digests) {
    uint64_t group = 1;
    while (digests > FINGERPRINT_GROUPS * group)
        group *= 2;
    return group;
}

static void *begin_state(void) {
    XXH3_state_t *state = XXH3_createState();
    if (state && XXH3_128bits_reset(state) == XXH_OK)
        return state;
    XXH3_freeState(state);
    return NULL;
}

static void add(void *state, const struct block_digest *digest) {
    XXH3_128bits_update(state, digest->bytes, sizeof digest->bytes);
}

bool fingerprint_begin(struct fingerprint *fingerprint, uint64_t digests) {
    *fingerprint =
        (struct fingerprint){.state = begin_state(), .group = fingerprint_group(digests)};
    if (fingerprint->state && fingerprint->group > 1)
        fingerprint->group_state = begin_state();
    if (fingerprint->state && (fingerprint->group == 1 || fingerprint->group_state))
        return true;
    XXH3_freeState(fingerprint->state);
    fingerprint->state = NULL;
    return false;
}

static void add_group(struct fingerprint *fingerprint, const struct block_digest *digest) {
    add(fingerprint->state, digest);
    if (fingerprint->groups)
        fingerprint->groups[fingerprint->group_count++] = *digest;
}

void fingerprint_end_groups(struct fingerprint *fingerprint) {
    if (!fingerprint->in_group)
        return;
    struct block_digest digest = canonical(XXH3_128bits_digest(fingerprint->group_state));
    add_group(fingerprint, &digest);
    XXH3_128bits_reset(fingerprint->group_state);
    fingerprint->in_group = 0;
}

void fingerprint_add(struct fingerprint *fingerprint, const struct block_digest *digest) {
    if (fingerprint->group == 1) {
        add_group(fingerprint, digest);
        return;
    }
    add(fingerprint->group_state, digest);
    if (++fingerprint->in_group == fingerprint->group)
        fingerprint_end_groups(fingerprint);
}

void digest_write(const struct block_digest *digest, char text[DIGEST_TEXT]) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < sizeof digest->bytes; i++) {
        text[2 * i] = digits[digest->bytes[i] >> 4];
        text[2 * i + 1] = digits[digest->bytes[i] & 15];
    }
}

bool digest_read(struct block_digest *digest, const char *text) {
    for (size_t i = 0; i < sizeof digest->bytes; i++) {
        char pair[3] = {text[2 * i], text[2 * i] ? text[2 * i + 1] : '\0', '\0'};
        if (strspn(pair, "0123456789abcdef") != 2)
            return false;
        digest->bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return true;
}

void fingerprint_end(struct fingerprint *fingerprint, char text[FINGERPRINT_TEXT]) {
    fingerprint_end_groups(fingerprint);
    struct block_digest digest = canonical(XXH3_128bits_digest(fingerprint->state));
    XXH3_freeState(fingerprint->state);
    XXH3_freeState(fingerprint->group_state);
    fingerprint->state = fingerprint->group_state = NULL;
    char digits[DIGEST_TEXT];
    digest_write(&digest, digits);
    snprintf(text, FINGERPRINT_TEXT, "xxh3-128:%.*s", DIGEST_TEXT, digits);
}

bool fingerprint_is_text(const char *text) {
    static const char kind[] = "xxh3-128:";
    size_t length = strlen(kind);
    struct block_digest digest;
    return strncmp(text, kind, length) == 0 && digest_read(&digest, text + length) &&
           !text[length + DIGEST_TEXT];
}

bool fingerprint_of_groups(const struct block_digest *groups, size_t count,
                           char text[FINGERPRINT_TEXT]) {
    struct fingerprint fingerprint;
    if (!fingerprint_begin(&fingerprint, 0))
        return false;
    for (size_t i = 0; i < count; i++)
        fingerprint_add(&fingerprint, &groups[i]);
    fingerprint_end(&fingerprint, text);
    return true;
}

/* One number of a domain's description, the same bytes on every machine. */
static void add_number(struct fingerprint *fingerprint, uint64_t number) {
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    XXH3_128bits_update(fingerprint->state, bytes, sizeof bytes);
}

static void add_cases(struct fingerprint *fingerprint, const struct cases *cases) {
    const char *family = cases->family->name;
    XXH3_128bits_update(fingerprint->state, family, strlen(family));
    add_number(fingerprint, cases->draws);
    add_number(fingerprint, cases->seed);
    for (size_t i = 0; i < cases->shape_count; i++) {
        add_number(fingerprint, (uint64_t)cases->shapes[i].dimensions);
        for (int axis = 0; axis < cases->shapes[i].dimensions; axis++)
            add_number(fingerprint, cases->shapes[i].extents[axis]);
    }
    uint64_t count;
    const uint64_t *codes = cases_codes(cases, &count);
    for (uint64_t i = 0; i < count; i++)
        add_number(fingerprint, codes[i]);
}

bool domain_identity(const struct domain *domain, char text[FINGERPRINT_TEXT]) {
    struct fingerprint fingerprint;
    if (!fingerprint_begin(&fingerprint, 0))
        return false;
    add_number(&fingerprint, (uint64_t)domain->operands);
    add_number(&fingerprint, domain->count);
    bool sampled = domain->kind == DOMAIN_SAMPLES;
    add_number(&fingerprint, sampled ? domain->seed : 0);
    add_number(&fingerprint, sampled ? domain->run_length : 0);
    for (int i = 0; i < domain->operands && !domain->tuples && !domain->cases.family; i++) {
        const struct code_set *set = &domain->sets[i];
        add_number(&fingerprint, set->run_count);
        for (size_t run = 0; run < set->run_count; run++) {
            add_number(&fingerprint, set->runs[run].first);
            add_number(&fingerprint, set->runs[run].before);
        }
        add_number(&fingerprint, set->last_end);
    }
    for (uint64_t i = 0; domain->tuples && i < domain->count * (uint64_t)domain->operands; i++)
        add_number(&fingerprint, domain->tuples[i]);
    if (domain->cases.family)
        add_cases(&fingerprint, &domain->cases);
    fingerprint_end(&fingerprint, text);
    return true;
}
