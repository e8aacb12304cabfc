/* Printing and committing, for all that write JSON. */
#include "base/json_output.h"

#include "base/foreign.h"

#include <stdbool.h>
#include <string.h>

/* Whether all of it is ASCII with a glyph, as nearly all documents are. */
static bool is_plain(const char *text) {
    unsigned char all = 0;
    bool deleted = strchr(text, 0x7f) != NULL;
    for (; *text; text++)
        all |= (unsigned char)*text;
    return all < 0x80 && !deleted;
}

bool json_print(cJSON *document, FILE *stream) {
    char *text = cJSON_Print(document);
    cJSON_Delete(document);
    if (text && is_plain(text))
        fputs(text, stream); /* whoever closes it looks at the stream's state */
    else if (text)
        foreign_print(stream, FOREIGN_JSON, text);
    fputs("\n", stream);
    cJSON_free(text);
    return text;
}

bool json_commit(cJSON *document, struct output *output, struct error *error) {
    if (json_print(document, output->stream))
        return output_commit(output, error);
    output_discard(output);
    return error_set(error, "out of memory for the JSON");
}
