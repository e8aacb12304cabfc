/* Any bytes as a shared library: what stands before the first NUL is the name of a function that is looked for, and
 * the rest is the file; and the rest as a segment of notes. */
#include "fuzz.h"

#if defined(__linux__)

#include "impl/elf.h"

/* A copy of just that length, at a place where a header of any type may lie. */
static void look(const char *symbol, const uint8_t *bytes, size_t count) {
    char text[BUILD_HASH];
    size_t functions;
    uint8_t *copy = malloc(count + !count);
    fuzz_require(copy);
    if (count)
        memcpy(copy, bytes, count);
    const char *name = elf_nearest_function(copy, count, symbol, &functions);
    if (name) {
        const size_t at = (size_t)(name - (const char *)copy);
        fuzz_require(functions > 0 && at < count && strlen(name) < count - at);
    }
    size_t number = 0;
    for (const char *needed; (needed = elf_library_name(copy, count, ELF_NEEDED, &number));) {
        const size_t at = (size_t)(needed - (const char *)copy);
        fuzz_require(at < count && strlen(needed) < count - at);
    }
    for (size_t alignment = 4; alignment <= 8; alignment += 4)
        if (elf_build_id(copy, count, alignment, text))
            fuzz_require(strncmp(text, "build-id:", 9) == 0 && strlen(text) < BUILD_HASH);
        else
            fuzz_require(!*text);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    char symbol[128];
    size_t length = 0;
    while (length < count && length + 1 < sizeof symbol && bytes[length]) {
        symbol[length] = (char)bytes[length];
        length++;
    }
    symbol[length] = '\0';
    length += length < count;
    look(symbol, bytes + length, count - length);
    return 0;
}

#else

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    (void)bytes;
    (void)count;
    return 0;
}

#endif
