/* What is loaded, and hashes of files. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "impl/build.h"

#include "impl/elf.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static bool add_file(XXH3_state_t *state, const char *path) {
    static const size_t room = 1 << 16;
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(room);
    bool good = file && bytes;
    for (size_t count; good && (count = fread(bytes, 1, room, file)) > 0;)
        good = XXH3_128bits_update(state, bytes, count) == XXH_OK;
    good = good && !ferror(file);
    free(bytes);
    if (file)
        fclose(file);
    return good;
}

static void write_hash(XXH3_state_t *state, bool good, char text[BUILD_HASH]) {
    *text = '\0';
    if (good) {
        XXH128_hash_t hash = XXH3_128bits_digest(state);
        snprintf(text, BUILD_HASH, "xxh3-128:%016llx%016llx", (unsigned long long)hash.high64,
                 (unsigned long long)hash.low64);
    }
    XXH3_freeState(state);
}

void build_of_file(const char *path, char text[BUILD_HASH]) {
    XXH3_state_t *state = XXH3_createState();
    write_hash(state, state && XXH3_128bits_reset(state) == XXH_OK && add_file(state, path), text);
}

void build_of_parts(const char (*parts)[BUILD_HASH], size_t count, char text[BUILD_HASH]) {
    if (count == 1) {
        snprintf(text, BUILD_HASH, "%s", parts[0]);
        return;
    }
    XXH3_state_t *state = XXH3_createState();
    bool good = state && count && XXH3_128bits_reset(state) == XXH_OK;
    for (size_t i = 0; good && i < count; i++)
        good = *parts[i] && XXH3_128bits_update(state, parts[i], strlen(parts[i])) == XXH_OK;
    write_hash(state, good, text);
}

static const char *last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void build_add_files(char text[BUILD_TEXT], const char *const *paths, size_t count) {
    size_t named = count < BUILD_FILES ? count : BUILD_FILES;
    char(*rest)[BUILD_HASH] = calloc(count + 1, sizeof *rest);
    for (size_t i = 0; rest && i < count; i++)
        build_of_file(paths[i], rest[i]);
    for (size_t i = 0; rest && i < named; i++) {
        size_t length = strlen(text);
        snprintf(text + length, BUILD_TEXT - length, ", %.*s %s", BUILD_FILE_NAME - 1,
                 last_name(paths[i]), *rest[i] ? rest[i] : "unreadable");
    }
    if (rest && count > named) {
        char hash[BUILD_HASH];
        size_t length = strlen(text);
        build_of_parts((const char(*)[BUILD_HASH])rest + named, count - named, hash);
        snprintf(text + length, BUILD_TEXT - length, ", %zu more %s", count - named,
                 *hash ? hash : "unreadable");
    }
    free(rest);
}

/* The part that begins there, and how long it is with what parts it from the next. */
static size_t read_part(const char *text, char part[BUILD_FILE_NAME + BUILD_HASH]) {
    const char *end = strstr(text, ", ");
    size_t length = end ? (size_t)(end - text) : strlen(text);
    snprintf(part, BUILD_FILE_NAME + BUILD_HASH, "%.*s", (int)length, text);
    return length + (end ? 2 : 0);
}

void build_find_difference(const char *mine, const char *other, struct build_part *part) {
    bool same = true;
    while (same && (*mine || *other)) {
        mine += read_part(mine, part->mine);
        other += read_part(other, part->other);
        same = strcmp(part->mine, part->other) == 0;
    }
    /* Names ascend: the first of two that are not one is missing on the other side. */
    size_t length = strcspn(part->mine, " ");
    bool are_files = part->mine[length] && strchr(part->other, ' ');
    if (are_files && strncmp(part->mine, part->other, length + 1) != 0)
        *(strcmp(part->mine, part->other) < 0 ? part->other : part->mine) = '\0';
    if (!*part->mine)
        snprintf(part->mine, sizeof part->mine, "none");
    if (!*part->other)
        snprintf(part->other, sizeof part->other, "none");
}

#if defined(__linux__)

#include <link.h>

/* What is looked for, and found. */
struct file_search {
    uintptr_t address; /* 0: the program, which comes first */
    char *text;
    char path[4096];
    bool found;
};

static bool holds(const struct dl_phdr_info *info, uintptr_t address) {
    bool held = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t first = info->dlpi_addr + part->p_vaddr;
        held = held ||
               (part->p_type == PT_LOAD && address >= first && address - first < part->p_memsz);
    }
    return held;
}

static int look(struct dl_phdr_info *info, size_t size, void *context) {
    struct file_search *search = context;
    (void)size;
    if (search->address && !holds(info, search->address))
        return 0;
    for (int i = 0; i < info->dlpi_phnum && !search->found; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_NOTE)
            search->found = elf_build_id((const void *)(info->dlpi_addr + part->p_vaddr),
                                         part->p_memsz, part->p_align, search->text);
    }
    snprintf(search->path, sizeof search->path, "%s",
             *info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
    return 1;
}

void build_of_address(const void *address, char text[BUILD_HASH]) {
    struct file_search search = {.address = (uintptr_t)address, .text = text};
    *text = '\0';
    if (dl_iterate_phdr(look, &search) && !search.found)
        build_of_file(search.path, text);
}

#else

void build_of_address(const void *address, char text[BUILD_HASH]) {
    (void)address;
    *text = '\0';
}

#endif
