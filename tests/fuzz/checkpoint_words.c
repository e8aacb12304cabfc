/* Every word of what a checkpoint keeps, replaced by others: each is refused with one line, or the run goes
 * on. By default one word of many is; WORDS=1 takes all, which is hours in a build with sanitizers. */
#include "fuzz.h"

size_t checkpoint_state_size(size_t which); /* checkpoints.c; 0 beyond the last */

enum { DEFAULT_STEP = 499 };

static void put(uint8_t *at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

int main(void) {
    /* All bits; a negative integer, and a NaN; a count that is just too large, or the next; none. */
    static const uint64_t words[] = {UINT64_MAX, UINT64_C(0xfff8000000000001), UINT64_C(1) << 40,
                                     257, 0};
    const char *text = getenv("WORDS");
    size_t step = text ? strtoul(text, NULL, 10) : DEFAULT_STEP, tried = 0, all = 0;
    fuzz_require(step > 0);
    for (size_t which = 0, size; (size = checkpoint_state_size(which)) > 0; which++) {
        all += size / 8;
        for (size_t word = 0; word < size / 8; word += step)
            for (size_t i = 0; i < sizeof words / sizeof *words; i++, tried++) {
                uint8_t input[13] = {(uint8_t)which, 0, 0, 0, 8};
                put(input + 1, 8 * word, 3);
                put(input + 5, words[i], 8);
                LLVMFuzzerTestOneInput(input, sizeof input);
            }
    }
    printf("%zu changes of one word, of %zu words in all\n", tried, all);
    return 0;
}
