/* Codes as bits, and sets as names. */
#include "json_codes.h"

#include "format/text.h"

void json_add_codes(cJSON *object, const char *name, const struct format *format,
                    const uint64_t *codes, int count) {
    char text[NUMBER_TEXT];
    cJSON *array = cJSON_AddArrayToObject(object, name);
    for (int i = 0; i < count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(format_bits_text(
                                        format_of_operand(format, i), codes[i], text)));
}

void json_add_names(cJSON *object, const char *name, const char *const *names, int count,
                    unsigned set) {
    cJSON *array = cJSON_AddArrayToObject(object, name);
    for (int i = 0; i < count; i++)
        if (set >> i & 1)
            cJSON_AddItemToArray(array, cJSON_CreateString(names[i]));
}
