/* Numbers and codes. */
#include "sweep/checkpoint/sound.h"

bool sound_number(double number) {
    return number >= 0;
}

bool sound_codes(const struct binding_request *computed, const uint64_t *codes) {
    for (int i = 0; i < computed->operation->operands; i++)
        if (codes[i] & ~format_mask(format_of_operand(computed->format, i)))
            return false;
    return true;
}
