/* Name comparison and the optimal string alignment distance behind "did you mean". */
#include "base/names.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 63 };

static int fold(char c) {
    return c == '-' ? '_' : tolower((unsigned char)c);
}

/* Whether a text is the word, which ends at that character or with the string. */
static bool is_word(const char *text, const char *word, char end) {
    for (; *text && *word && *word != end; text++, word++)
        if (*text != *word && fold(*text) != fold(*word))
            return false;
    return *text == '\0' && (*word == '\0' || *word == end);
}

bool name_matches(const char *text, const char *name, const char *aliases) {
    if (is_word(text, name, '\0'))
        return true;
    while (aliases && *aliases) {
        if (*text && is_word(text, aliases, ' '))
            return true;
        const char *space = strchr(aliases, ' ');
        aliases = space ? space + 1 : NULL;
    }
    return false;
}

/* Whether the word, which ends at a space, begins with the text. */
static bool begins(const char *text, const char *word) {
    for (; *text; text++, word++)
        if (!*word || *word == ' ' || fold(*text) != fold(*word))
            return false;
    return true;
}

bool name_begins(const char *text, const char *name, const char *aliases) {
    if (!*text)
        return false;
    bool found = begins(text, name);
    while (!found && aliases && *aliases) {
        found = begins(text, aliases);
        aliases += strcspn(aliases, " ");
        aliases += *aliases == ' ';
    }
    return found;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t distance(const char *a, const char *b) {
    size_t rows[3][LONGEST + 1];
    size_t length = strlen(b);
    size_t *before = rows[0], *above = rows[1], *here = rows[2];
    for (size_t j = 0; j <= length; j++)
        above[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        here[0] = i;
        for (size_t j = 1; j <= length; j++) {
            bool same = fold(a[i - 1]) == fold(b[j - 1]);
            here[j] = smaller(smaller(above[j], here[j - 1]) + 1, above[j - 1] + !same);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]))
                here[j] = smaller(here[j], before[j - 2] + 1);
        }
        size_t *free_row = before;
        before = above;
        above = here;
        here = free_row;
    }
    return above[length];
}

const char *name_nearest(const char *text, const char *const *names, size_t count) {
    size_t length = strlen(text);
    if (length > LONGEST)
        return NULL;
    const char *nearest = NULL;
    size_t least = (length + 2) / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        if (strlen(names[i]) > LONGEST)
            continue;
        size_t d = distance(text, names[i]);
        if (d < least) {
            least = d;
            nearest = names[i];
        }
    }
    return nearest;
}
