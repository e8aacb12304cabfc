/* Words for the length, errno and flags. */
#include "impl/remote/text_effects.h"

#include "format/flags.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[TELLINGS] = {"length", "errno", "flags"};

static bool is_asked(const struct binding_request *request, int telling) {
    return telling == TELLS_LENGTH || (telling == TELLS_ERRNO ? request->errnos : request->flags);
}

const char *text_tellings_asked(const struct binding_request *request) {
    static const char *const lists[2][2] = {{"length", "length,flags"},
                                            {"length,errno", "length,errno,flags"}};
    return lists[request->errnos][request->flags];
}

const char *text_tellings_read(struct text_tellings *tellings, const char *text,
                               const struct binding_request *request) {
    unsigned seen = 0;
    tellings->count = 0;
    while (*text == '+') {
        const size_t length = strcspn(++text, "+ ");
        int telling = 0;
        while (telling < TELLINGS &&
               (strlen(names[telling]) != length || strncmp(names[telling], text, length) != 0))
            telling++;
        if (telling == TELLINGS || seen >> telling & 1 || !request->operation->array ||
            !is_asked(request, telling))
            return NULL;
        seen |= 1u << telling;
        tellings->order[tellings->count++] = (enum text_telling)telling;
        text += length;
    }
    return text;
}

void text_tellings_note(const struct text_tellings *tellings, struct binding *binding) {
    bool *const notes[TELLINGS] = {&binding->tells_lengths, &binding->tells_errno,
                                   &binding->tells_flags};
    for (int i = 0; i < tellings->count; i++)
        *notes[tellings->order[i]] = true;
}

/* The next word of a line; the line goes on behind the space that follows it. */
static char *take_word(char **line) {
    char *word = *line, *end = word + strcspn(word, " ");
    *line = end + (*end == ' ');
    if (*end)
        *end = '\0';
    return word;
}

static bool read_length(const char *word, uint64_t *length, struct error *error) {
    char *end;
    errno = 0;
    if (strcmp(word, "-") == 0) {
        *length = UINT64_MAX; /* none */
        return true;
    }
    *length = strtoull(word, &end, 10); /* which takes -1 for the largest number */
    return (word[0] >= '0' && word[0] <= '9' && !*end && !errno && *length != UINT64_MAX) ||
           error_set(error, "it wrote '%s' where a length is expected, a number of bytes or -",
                     word);
}

static bool read_errno(const char *word, int32_t *number, struct error *error) {
    static const struct {
        const char *name;
        int number;
    } rows[] = {{"0", 0}, {"ERANGE", ERANGE}, {"EDOM", EDOM}, {"other", EINVAL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, word) == 0) {
            *number = rows[i].number;
            return true;
        }
    return error_set(error, "it wrote '%s' where errno is expected: 0, ERANGE, EDOM or other",
                     word);
}

bool text_effects_read(const struct text_tellings *tellings, char **line,
                       struct line_effects *effects, uint64_t index, struct error *error) {
    struct line_effects none = {0};
    const struct line_effects *to = effects ? effects : &none;
    for (int i = 0; i < tellings->count; i++) {
        uint64_t length;
        int32_t number = 0;
        uint8_t raised, cleared;
        char *word = take_word(line);
        switch (tellings->order[i]) {
        case TELLS_LENGTH:
            if (!read_length(word, &length, error))
                return false;
            if (to->lengths)
                to->lengths[index] = length;
            break;
        case TELLS_ERRNO:
            if (!read_errno(word, &number, error))
                return false;
            if (to->errnos)
                to->errnos[index] = number;
            break;
        default:
            if (!flags_parse(word, &raised, error) ||
                !flags_parse(take_word(line), &cleared, error))
                return false;
            if (to->raised)
                to->raised[index] = raised;
            if (to->cleared)
                to->cleared[index] = cleared;
        }
    }
    return true;
}
