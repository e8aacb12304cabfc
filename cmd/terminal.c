/* Asking the environment and the terminal. */
#if defined(__APPLE__)
#define _DARWIN_C_SOURCE /* struct winsize */
#endif
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS = 80 };

bool terminal_obeys(int descriptor) {
    const char *terminal = getenv("TERM");
    return isatty(descriptor) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

bool terminal_has_colours(int descriptor) {
    const char *none = getenv("NO_COLOR");
    return terminal_obeys(descriptor) && !(none && *none);
}

int terminal_columns(int descriptor) {
    struct winsize size = {0};
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : COLUMNS;
}
