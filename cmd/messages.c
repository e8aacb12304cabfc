/* Lines on stderr. */
#include "messages.h"

#include "signals.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int trouble(const struct error *error) {
    fflush(stdout);
    bool says_so = strncmp(error->text, "interrupted", strlen("interrupted")) == 0;
    fprintf(stderr, "detcheck: %s%s\n", interrupted && !says_so ? "interrupted: " : "",
            error->text);
    return interrupted ? EXIT_INTERRUPTED : EXIT_TROUBLE;
}

void remark(const char *kind, const struct error *line) {
    if (line->text[0])
        fprintf(stderr, "detcheck: %s: %s\n", kind, line->text);
}
