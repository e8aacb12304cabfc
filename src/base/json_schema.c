/* Which kind of document a text of JSON is, before it is parsed. */
#include "base/json_schema.h"

#include <string.h>

bool json_begins_with_schema(const char *text, const char *schema) {
    const char *const tokens[] = {"{", "\"schema\"", ":", "\"", schema, "\""};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        if (i < 4) /* what follows is one text, without spaces between */
            text += strspn(text, " \t\r\n");
        if (strncmp(text, tokens[i], strlen(tokens[i])) != 0)
            return false;
        text += strlen(tokens[i]);
    }
    return true;
}
