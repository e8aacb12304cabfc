/* Reading sizes, and putting them in order. */
#include "batch_option.h"

#include <stdlib.h>

bool batch_sizes_given(const struct arguments *arguments, struct batch_sizes *sizes,
                       struct error *error) {
    const char *text = argument_value(arguments, "sizes", "");
    while (*text) {
        char *end;
        unsigned long long size = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
        size_t at = sizes->count;
        if (size < 2 || size > LARGEST_BATCH || (*end && (*end != ',' || !end[1])))
            return error_set(error,
                             "--sizes needs numbers from 2 to %d with commas between, not '%.80s'",
                             LARGEST_BATCH, argument_value(arguments, "sizes", ""));
        if (at == BATCH_SIZES)
            return error_set(error, "--sizes has more than %d numbers", BATCH_SIZES);
        for (; at > 0 && sizes->sizes[at - 1] >= size; at--) {
            if (sizes->sizes[at - 1] == size)
                return error_set(error, "--sizes has %llu twice", size);
            sizes->sizes[at] = sizes->sizes[at - 1];
        }
        sizes->sizes[at] = size;
        sizes->count++;
        text = end + (*end == ',');
    }
    return sizes->count || !argument_given(arguments, "sizes") ||
           error_set(error, "--sizes needs numbers, such as 2,256,4096");
}
