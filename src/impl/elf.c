/* The table of dynamic symbols, the dynamic section, and notes. */
#include "impl/elf.h"

#if defined(__linux__)

#include "base/names.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    const unsigned char *bytes;
    size_t size;
};

static bool holds(const struct image *image, uint64_t place, uint64_t length) {
    return place <= image->size && length <= image->size - place;
}

/* A header of a section; false where the file ends before it. */
static bool read_section(const struct image *image, const ElfW(Ehdr) * header, uint64_t number,
                         ElfW(Shdr) * section) {
    if (header->e_shoff > image->size)
        return false;
    const uint64_t place = header->e_shoff + number * sizeof *section;
    if (!holds(image, place, sizeof *section))
        return false;
    memcpy(section, image->bytes + place, sizeof *section);
    return true;
}

/* The table of that type, of which a file has one, and its names, which end within the file. */
static bool find_table(const struct image *image, ElfW(Word) type, ElfW(Shdr) * table,
                       ElfW(Shdr) * strings) {
    ElfW(Ehdr) header;
    if (!holds(image, 0, sizeof header))
        return false;
    memcpy(&header, image->bytes, sizeof header);
    unsigned number = 0;
    while (number < header.e_shnum && read_section(image, &header, number, table) &&
           table->sh_type != type)
        number++;
    return number < header.e_shnum && read_section(image, &header, number, table) &&
           read_section(image, &header, table->sh_link, strings) &&
           holds(image, table->sh_offset, table->sh_size) && strings->sh_size > 0 &&
           holds(image, strings->sh_offset, strings->sh_size) &&
           image->bytes[strings->sh_offset + strings->sh_size - 1] == '\0';
}

/* The names of functions that others can call, of which there are no more than symbols; how many. */
static size_t function_names(const struct image *image, const ElfW(Shdr) * table,
                             const ElfW(Shdr) * strings, const char **names) {
    size_t count = 0;
    for (uint64_t at = 0; table->sh_size - at >= sizeof(ElfW(Sym)); at += sizeof(ElfW(Sym))) {
        ElfW(Sym) symbol;
        memcpy(&symbol, image->bytes + table->sh_offset + at, sizeof symbol);
        unsigned type = symbol.st_info & 15;
        if (symbol.st_shndx != SHN_UNDEF && symbol.st_name < strings->sh_size &&
            (type == STT_FUNC || type == STT_GNU_IFUNC))
            names[count++] = (const char *)image->bytes + strings->sh_offset + symbol.st_name;
    }
    return count;
}

static const char *choose_name(const char *symbol, const char *const *names, size_t count) {
    const char *chosen = name_nearest(symbol, names, count);
    char stem[128];
    snprintf(stem, sizeof stem, "%s", symbol);
    for (int round = 0; !chosen && round < 2; round++) {
        for (size_t i = 0; i < count; i++)
            if (strstr(names[i], stem) && (!chosen || strlen(names[i]) < strlen(chosen)))
                chosen = names[i];
        size_t length = strlen(stem);
        if (length > 3 && stem[length - 1] == 'f')
            stem[length - 1] = '\0';
    }
    return chosen;
}

/* malloc'd; NULL where the file has no table of them, or memory is out. */
static const char **all_names(const void *bytes, size_t size, size_t *count) {
    const struct image image = {bytes, size};
    ElfW(Shdr) table, strings;
    *count = 0;
    if (!find_table(&image, SHT_DYNSYM, &table, &strings))
        return NULL;
    const char **names = malloc(((size_t)table.sh_size / sizeof(ElfW(Sym)) + 1) * sizeof *names);
    if (names)
        *count = function_names(&image, &table, &strings, names);
    return names;
}

bool elf_list_functions(const void *bytes, size_t size, char *list, size_t room) {
    size_t count, used = 0;
    const char **names = all_names(bytes, size, &count);
    for (size_t i = 0; i < count && used < room; i++)
        used += (size_t)snprintf(list + used, room - used, "%s%s", i ? ", " : "", names[i]);
    free(names);
    return names && used < room;
}

const char *elf_nearest_function(const void *bytes, size_t size, const char *symbol,
                                 size_t *count) {
    const char **names = all_names(bytes, size, count);
    if (!names)
        return NULL;
    const char *name = choose_name(symbol, names, *count);
    free(names);
    return name;
}

const char *elf_library_name(const void *bytes, size_t size, enum elf_name kind, size_t *number) {
    const struct image image = {bytes, size};
    ElfW(Shdr) table, strings;
    if (!find_table(&image, SHT_DYNAMIC, &table, &strings))
        return NULL;
    for (; table.sh_size / sizeof(ElfW(Dyn)) > *number; ++*number) {
        ElfW(Dyn) entry;
        memcpy(&entry, image.bytes + table.sh_offset + *number * sizeof entry, sizeof entry);
        if (entry.d_tag == DT_NULL)
            return NULL;
        if (entry.d_tag == (kind == ELF_NEEDED ? DT_NEEDED : DT_SONAME) &&
            entry.d_un.d_val < strings.sh_size) {
            ++*number;
            return (const char *)image.bytes + strings.sh_offset + entry.d_un.d_val;
        }
    }
    return NULL;
}

const void *elf_map(const char *path, size_t *size) {
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return NULL;
    void *bytes = MAP_FAILED;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    *size = (size_t)status.st_size;
    return bytes == MAP_FAILED ? NULL : bytes;
}

void elf_unmap(const void *bytes, size_t size) {
    munmap((void *)(uintptr_t)bytes, size);
}

bool elf_build_id(const void *notes, size_t size, size_t alignment, char text[BUILD_HASH]) {
    const unsigned char *bytes = notes;
    const size_t mask = alignment == 8 ? 7 : 3;
    *text = '\0';
    for (size_t at = 0; size - at >= sizeof(ElfW(Nhdr));) {
        ElfW(Nhdr) header;
        memcpy(&header, bytes + at, sizeof header);
        size_t name = at + sizeof header, id = (name + header.n_namesz + mask) & ~mask;
        size_t next = (id + header.n_descsz + mask) & ~mask;
        if (next > size || next <= at)
            return false;
        if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == sizeof ELF_NOTE_GNU &&
            memcmp(bytes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0) {
            size_t length = (size_t)snprintf(text, BUILD_HASH, "build-id:");
            for (size_t i = 0; i < header.n_descsz && length + 2 < BUILD_HASH; i++)
                length +=
                    (size_t)snprintf(text + length, BUILD_HASH - length, "%02x", bytes[id + i]);
            return true;
        }
        at = next;
    }
    return false;
}

#endif
