/* Whether a call writes the outputs that it should.
 *
 * Before a call they hold a pattern that no right output is mistaken for: in fp32, fp64 and bf16 it is a
 * signalling NaN. Where an output still holds it afterwards, the call is made once more on outputs that
 * hold another pattern. What the second call leaves there as well, or writes otherwise, the first one did
 * not write. So no output is accused because the pattern is what is right, which it may be where a format
 * has few codes. */
#ifndef DETCHECK_IMPL_UNWRITTEN_H
#define DETCHECK_IMPL_UNWRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The memory that a call is to fill: `count` codes of 1, 2, 4 or 8 bytes in each of so many arrays. NULL
 * stands for an array that is not looked at. */
struct outputs {
    void *const *arrays;
    int array_count;
    size_t bytes, count;
};

/* The pattern of a first call, or of the call that is made again. */
uint64_t unwritten_code(size_t bytes, bool again);

/* Puts it into all outputs. */
void unwritten_fill(const struct outputs *outputs, bool again);

/* After a call on outputs with the first pattern: makes it again where one still holds that. Returns
 * whether some output was not written, and sets marks[i] to 1, unless `marks` is NULL, where output i of an
 * array was not. The outputs are those of the first call. If there is no memory to keep them meanwhile, all
 * that hold the pattern count as not written. */
typedef void unwritten_call(void *context);
bool unwritten_find(const struct outputs *outputs, unwritten_call *call, void *context,
                    uint8_t *marks);

#endif
