/* Printing and committing, for all that write JSON. */
#include "base/json_output.h"

#include <stdio.h>

bool json_commit(cJSON *document, struct output *output, struct error *error) {
    char *text = cJSON_Print(document);
    cJSON_Delete(document);
    if (!text)
        return error_set(error, "out of memory for the JSON");
    fprintf(output->stream, "%s\n", text); /* the commit looks at the stream's state */
    cJSON_free(text);
    return output_commit(output, error);
}
