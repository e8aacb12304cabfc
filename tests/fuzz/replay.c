/* Instead of libFuzzer, where there is none: each file once, whole and cut off at every byte, or at a thousand
 * places where it is longer. */
#include "fuzz.h"

enum { CUTS = 1000 };

static int replay(const char *path) {
    static uint8_t bytes[1 << 16];
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        fprintf(stderr, "cannot read %s\n", path);
        return 1;
    }
    size_t count = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    const size_t step = count / CUTS + 1;
    for (size_t length = count % step; length <= count; length += step) {
        /* A copy of just that length, so that a sanitizer sees what is read beyond it. */
        uint8_t *copy = malloc(length + !length);
        for (size_t i = 0; i < length; i++)
            copy[i] = bytes[i];
        LLVMFuzzerTestOneInput(copy, length);
        free(copy);
    }
    return 0;
}

int main(int count, char **paths) {
    int failed = count < 2;
    for (int i = 1; i < count; i++)
        failed |= replay(paths[i]);
    return failed;
}
