/* Names of libraries that files need, and the files of a process that have these names. */
#include "impl/remote/dependencies.h"

#include "impl/elf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dependencies_free(struct dependencies *dependencies) {
    for (size_t i = 0; i < dependencies->count; i++)
        free(dependencies->paths[i]);
    free(dependencies->paths);
    *dependencies = (struct dependencies){0};
}

#if defined(__linux__)

static const char *last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The C library's own: the platform's version says which they are. */
static bool is_of_c_library(const char *name) {
    static const char *const parts[] = {"libc.",       "libm.",    "libmvec.",   "libdl.", "librt.",
                                        "libpthread.", "libutil.", "libresolv.", "ld-",    "ld."};
    bool is_part = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        is_part = is_part || strncmp(name, parts[i], strlen(parts[i])) == 0;
    return is_part;
}

static bool add(struct dependencies *list, const char *path) {
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->paths[i], path) == 0)
            return true;
    char **paths = realloc(list->paths, (list->count + 1) * sizeof *paths);
    if (!paths)
        return false;
    list->paths = paths;
    list->paths[list->count] = strdup(path);
    return list->paths[list->count] && ++list->count;
}

/* The files of which the process has pieces in memory, as /proc/PID/maps lists them: six fields, of which the last
 * is the path. */
static void list_loaded(struct dependencies *loaded, pid_t process) {
    char name[64], line[8192];
    snprintf(name, sizeof name, "/proc/%ld/maps", (long)process);
    FILE *file = fopen(name, "r");
    while (file && fgets(line, sizeof line, file)) {
        char *path = strchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        if (path && !add(loaded, path))
            break;
    }
    if (file)
        fclose(file);
}

/* Whether a library is needed by that name: its own one, or its file's, to which versions are appended. */
static bool has_name(const char *path, const char *needed) {
    const char *file = last_name(path);
    size_t length = strlen(needed), size, number = 0;
    if (strncmp(file, needed, length) == 0 && (!file[length] || file[length] == '.'))
        return true;
    const void *bytes = elf_map(path, &size);
    const char *own = bytes ? elf_library_name(bytes, size, ELF_OWN, &number) : NULL;
    bool same = own && strcmp(own, needed) == 0;
    if (bytes)
        elf_unmap(bytes, size);
    return same;
}

static bool add_needed(struct dependencies *found, const struct dependencies *loaded,
                       const char *path) {
    size_t size, number = 0;
    const void *bytes = elf_map(path, &size);
    bool good = true;
    for (const char *needed;
         good && bytes && (needed = elf_library_name(bytes, size, ELF_NEEDED, &number));) {
        needed = last_name(needed);
        for (size_t i = 0; good && !is_of_c_library(needed) && i < loaded->count; i++)
            good = !has_name(loaded->paths[i], needed) || add(found, loaded->paths[i]);
    }
    if (bytes)
        elf_unmap(bytes, size);
    return good;
}

static int by_name(const void *a, const void *b) {
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    int order = strcmp(last_name(x), last_name(y));
    return order ? order : strcmp(x, y);
}

void dependencies_find(struct dependencies *found, pid_t process, const char *library) {
    struct dependencies loaded = {0};
    *found = (struct dependencies){.looked = true};
    list_loaded(&loaded, process);
    bool good = add_needed(found, &loaded, library);
    for (size_t i = 0; good && i < found->count; i++)
        good = add_needed(found, &loaded, found->paths[i]);
    if (found->count)
        qsort(found->paths, found->count, sizeof *found->paths, by_name);
    dependencies_free(&loaded);
}

#else

void dependencies_find(struct dependencies *found, pid_t process, const char *library) {
    (void)process;
    (void)library;
    *found = (struct dependencies){.looked = true};
}

#endif
