/* Printing and committing, for all that write JSON. */
#include "base/json_output.h"

bool json_print(cJSON *document, FILE *stream) {
    char *text = cJSON_Print(document);
    cJSON_Delete(document);
    if (text)
        fprintf(stream, "%s\n", text); /* whoever closes it looks at the stream's state */
    cJSON_free(text);
    return text;
}

bool json_commit(cJSON *document, struct output *output, struct error *error) {
    if (json_print(document, output->stream))
        return output_commit(output, error);
    output_discard(output);
    return error_set(error, "out of memory for the JSON");
}
