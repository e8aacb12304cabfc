/* Any bytes as a file of vectors: refused with one line, or verified. */
#include "fuzz.h"

#include "vector/read/read.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct vector_file file;
    struct error error = {{0}};
    FILE *stream = count ? fmemopen((void *)bytes, count, "rb") : NULL;
    if (!stream)
        return 0;
    bool good = vector_read_stream(&file, "input", stream, &error);
    fclose(stream);
    fuzz_require(good ? file.test_count > 0 && file.group_count > 0 : error.text[0] != '\0');
    if (good)
        vector_file_free(&file);
    return 0;
}
