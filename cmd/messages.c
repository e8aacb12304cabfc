/* Lines on stderr. */
#include "messages.h"

#include <stdio.h>

int trouble(const struct error *error) {
    fflush(stdout);
    fprintf(stderr, "detcheck: %s\n", error->text);
    return EXIT_TROUBLE;
}

void remark(const char *kind, const struct error *line) {
    if (line->text[0])
        fprintf(stderr, "detcheck: %s: %s\n", kind, line->text);
}
