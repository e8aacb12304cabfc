/* dlopen and dlsym, and what else the library has where a name is not there. */
#if defined(__linux__)
#define _GNU_SOURCE /* RTLD_DEEPBIND, dlinfo */
#endif
#include "impl/remote/library_file.h"

#include "base/sanitizer.h"
#include "impl/elf.h"
#include "platform/rounding_guard.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

/* The library's own symbols come before those of the process. AddressSanitizer refuses that, since
 * its replacements of malloc and the like would be passed by. */
#if defined(RTLD_DEEPBIND) && !defined(UNDER_ADDRESS_SANITIZER)
#define BINDING RTLD_DEEPBIND
#else
#define BINDING 0
#endif

/* What follows commas at the end, as far as these are ways to call: ",array", ",float", ",vector", ",vector=LANES". */
static bool parse_call(struct library_name *name, const char *text, size_t *length, bool *vector,
                       size_t *lanes, struct error *error) {
    static const char with_lanes[] = "vector=";
    char word[32];
    *lanes = 0;
    *vector = false;
    for (size_t comma = *length; comma-- > 0;) {
        if (text[comma] != ',')
            continue;
        snprintf(word, sizeof word, "%.*s", (int)(*length - comma - 1), text + comma + 1);
        const bool has_lanes = strncmp(word, with_lanes, strlen(with_lanes)) == 0;
        if (strcmp(word, "array") == 0)
            name->array = true;
        else if (strcmp(word, "float") == 0)
            name->floats = true;
        else if (has_lanes || strcmp(word, "vector") == 0)
            *vector = true;
        else
            break;
        *length = comma;
        if (!has_lanes)
            continue;
        const char *number = word + strlen(with_lanes);
        char *end;
        *lanes = strtoul(number, &end, 10);
        if (*end || (*lanes != 2 && *lanes != 4 && *lanes != 8 && *lanes != 16))
            return error_set(
                error, "',vector=' needs the numbers in a register, 2, 4, 8 or 16, not '%.80s'",
                number);
    }
    return !(name->array && *vector) ||
           error_set(error, "lib:%.120s: ',array' and ',vector' are two ways to call", text);
}

/* What stands in a symbol for a part of the operation's name in C. */
static const struct place {
    const char *mark;
    bool is_suffix;
} places[] = {{"{}", false}, {"{f}", true}};

static const struct place *place_at(const char *text) {
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strncmp(text, places[i].mark, strlen(places[i].mark)) == 0)
            return &places[i];
    return NULL;
}

static bool check_pattern(const char *symbol, struct error *error) {
    for (const char *at = strchr(symbol, '{'); at; at = strchr(at + 1, '{'))
        if (!place_at(at))
            return error_set(
                error,
                "lib: '%.120s': in a symbol, braces are {}, for the function's name in C, or {f}, "
                "for the f of its name in fp32",
                symbol);
    return true;
}

bool library_name_parse(struct library_name *name, const char *text, struct error *error) {
    size_t length = strlen(text), lanes;
    bool vector;
    *name = (struct library_name){0};
    if (!parse_call(name, text, &length, &vector, &lanes, error))
        return false;
    size_t path = length;
    while (path > 0 && text[path - 1] != ':' && text[path - 1] != '/')
        path--;
    bool has_symbol = path > 0 && text[path - 1] == ':';
    size_t symbol = has_symbol ? length - path : 0;
    path = has_symbol ? path - 1 : length;
    if (path == 0 || (has_symbol && symbol == 0) || (vector && !has_symbol))
        return error_set(error,
                         "lib: needs a path and a symbol, lib:PATH[:SYMBOL][,array] or "
                         "lib:PATH:SYMBOL,vector[=LANES], not 'lib:%.120s'",
                         text);
    if (path >= sizeof name->path || symbol >= sizeof name->symbol)
        return error_set(error, "lib:%.80s... is too long", text);
    memcpy(name->path, text, path);
    memcpy(name->symbol, text + length - symbol, symbol);
    if (!check_pattern(name->symbol, error))
        return false;
    return !vector || vector_abi_of_symbol(&name->vector, name->symbol, lanes, error);
}

const char *library_name_fixed(const struct library_name *name) {
    return strchr(name->symbol, '{') ? "" : name->symbol;
}

bool library_name_symbol(const struct library_name *name, const struct operation *operation,
                         bool wide, char symbol[128], struct error *why) {
    if (!name->symbol[0] && !operation->platform.symbol)
        return error_set(why, "C has no name for %s: name the function, lib:PATH:SYMBOL",
                         operation->name);
    const char *pattern = name->symbol[0] ? name->symbol : "{}{f}";
    const char *function =
        operation->platform.symbol ? operation->platform.symbol : operation->name;
    size_t used = 0;
    for (const char *at = pattern; *at && used < 128;) {
        const struct place *place = place_at(at);
        const char *text = place ? (place->is_suffix ? (wide ? "" : "f") : function) : at;
        int length = place ? (int)strlen(text) : 1;
        used += (size_t)snprintf(symbol + used, 128 - used, "%.*s", length, text);
        at += place ? strlen(place->mark) : 1;
    }
    return used < 128 ||
           error_set(why, "lib: '%.120s' is too long for %s", pattern, operation->name);
}

void *library_open(const char *path, unsigned *disturbed, struct error *error) {
    struct rounding_guard guard;
    rounding_guard_enter(&guard, ROUND_NEAREST_EVEN);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | BINDING);
    *disturbed = rounding_guard_changes(&guard);
    rounding_guard_leave(&guard);
    if (library)
        return library;
    const char *why = dlerror();
    /* What is said of another file is of one that it is linked to. */
    bool is_other =
        why && strstr(why, "cannot open shared object") && strncmp(why, path, strlen(path)) != 0;
    error_set(error, "cannot open the library: %s%s", why ? why : path,
              is_other ? "; the library needs it, and LD_LIBRARY_PATH can name its folder"
              : strstr(path, ",lib:")
                  ? "; each of several has an option of its own: --impl A --impl B"
                  : "");
    return NULL;
}

/* A message lists the names of a library's functions where they are at most so many. */
enum { SUGGESTION = 480, FEW_FUNCTIONS = 30 };

#if defined(__linux__)

static void suggest(void *library, const char *symbol, char suggestion[SUGGESTION]) {
    char list[SUGGESTION - 32];
    struct link_map *map;
    size_t size;
    const void *bytes =
        dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? elf_map(map->l_name, &size) : NULL;
    if (!bytes)
        return;
    size_t count;
    const char *name = elf_nearest_function(bytes, size, symbol, &count);
    if (name)
        snprintf(suggestion, SUGGESTION, "; it has %.100s, among %zu function%s", name, count,
                 count == 1 ? "" : "s");
    else if (count && count <= FEW_FUNCTIONS && elf_list_functions(bytes, size, list, sizeof list))
        snprintf(suggestion, SUGGESTION, "; it has %s", list);
    else
        snprintf(suggestion, SUGGESTION, "; it has %zu function%s, none of such a name", count,
                 count == 1 ? "" : "s");
    elf_unmap(bytes, size);
}

#else

static void suggest(void *library, const char *symbol, char suggestion[SUGGESTION]) {
    (void)library;
    (void)symbol;
    suggestion[0] = '\0';
}

#endif

void *library_symbol(void *library, const char *path, const char *symbol, struct error *why) {
    char suggestion[SUGGESTION] = "";
    void *address = dlsym(library, symbol);
    if (address)
        return address;
    suggest(library, symbol, suggestion);
    error_set(why, "%.160s has no %.100s%s", path, symbol, suggestion);
    return NULL;
}

const char *library_origin(void *library, const void *address, char origin[LIBRARY_ORIGIN]) {
    *origin = '\0';
#if defined(__linux__)
    struct link_map *map;
    Dl_info info;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && dladdr(address, &info) && info.dli_fname &&
        strcmp(info.dli_fname, map->l_name) != 0) {
        const char *slash = strrchr(info.dli_fname, '/');
        snprintf(origin, LIBRARY_ORIGIN, " (that of %.100s)", slash ? slash + 1 : info.dli_fname);
    }
#else
    (void)library;
    (void)address;
#endif
    return origin;
}

void *library_by_number(void *library, const void *address, const struct operation *operation,
                        bool wide) {
    const struct library_name unnamed = {.symbol = ""};
    struct error unused;
    char symbol[128];
    if (!library_name_symbol(&unnamed, operation, wide, symbol, &unused))
        return NULL;
    void *found = dlsym(library, symbol);
#if defined(__linux__)
    Dl_info of_found, of_many;
    bool same = found && found != address && dladdr(found, &of_found) &&
                dladdr(address, &of_many) && of_found.dli_fbase == of_many.dli_fbase;
    return same ? found : NULL;
#else
    return found != address ? found : NULL;
#endif
}

static bool is_in_folders(const char *folders, const char *name, char path[LIBRARY_PATH]) {
    for (const char *at = folders; at; at = strchr(at, ':')) {
        at += *at == ':';
        int length = (int)strcspn(at, ":");
        if (length && snprintf(path, LIBRARY_PATH, "%.*s/%s", length, at, name) < LIBRARY_PATH &&
            access(path, R_OK) == 0)
            return true;
    }
    return false;
}

bool library_find(const char *name, char path[LIBRARY_PATH]) {
    if (strchr(name, '/'))
        return snprintf(path, LIBRARY_PATH, "%s", name) < LIBRARY_PATH;
    /* Where the C library is, others of the system are. */
    Dl_info own;
    char system[LIBRARY_PATH] = "";
    if (dladdr((void *)(uintptr_t)strlen, &own) && own.dli_fname && strchr(own.dli_fname, '/'))
        snprintf(system, sizeof system, "%.*s", (int)(strrchr(own.dli_fname, '/') - own.dli_fname),
                 own.dli_fname);
    return is_in_folders(getenv("LD_LIBRARY_PATH"), name, path) ||
           is_in_folders(system, name, path) ||
           is_in_folders("/usr/local/lib:/usr/lib:/lib:/usr/lib64:/lib64", name, path);
}
