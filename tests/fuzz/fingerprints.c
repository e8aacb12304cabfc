/* Any bytes as a file of fingerprints. */
#include "fuzz.h"

#include "report/fingerprints.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct fingerprint_file file;
    struct error error = {{0}};
    char *text = malloc(count + 1);
    if (!text)
        return 0;
    if (count)
        memcpy(text, bytes, count);
    text[count] = '\0';
    bool good = fingerprints_parse(&file, "input", text, &error);
    fuzz_require(good ? file.count > 0 : error.text[0] != '\0');
    if (good)
        fingerprints_free(&file);
    free(text);
    return 0;
}
