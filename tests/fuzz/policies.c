/* Any bytes as a policy, or, where the first byte is odd, as glibc's libm-test-ulps. */
#include "fuzz.h"

#include "gate/policy.h"

#include <string.h>

static char name[] = "/tmp/detcheck-fuzz-XXXXXX";

static void remove_file(void) {
    unlink(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct policy policy;
    struct error error = {{0}};
    if (!count)
        return 0;
    static bool named; /* what mkstemp puts there may hold an X too */
    if (!named) {
        int made = mkstemp(name);
        named = true;
        fuzz_require(made >= 0);
        close(made);
        atexit(remove_file);
    }
    fuzz_write_file(name, bytes + 1, count - 1);
    bool good = (bytes[0] & 1 ? policy_read_glibc : policy_read)(&policy, name, &error);
    fuzz_require(good || (error.text[0] && !strchr(error.text, '\n')));
    if (good)
        policy_free(&policy);
    return 0;
}
