/* Text that others wrote: names, inputs, notices, reasons. A file or a command line may hold any
 * bytes, and what reads our output gives a meaning to some of them: a terminal obeys escape
 * sequences, a browser runs markup, a CI system obeys lines of its own, a shell runs what is
 * pasted. Foreign text is printed by one of these functions, which know the place, and by nothing
 * else.
 *
 * In every place a byte that is no UTF-8 stands as \xff. Characters that have no glyph stand as
 * \x1b or \u202e: control characters (C0, DEL, C1), line and paragraph separators, direction marks
 * and overrides, U+FEFF, and the noncharacters, which XML and JSON readers refuse. */
#ifndef DETCHECK_BASE_FOREIGN_H
#define DETCHECK_BASE_FOREIGN_H

#include <stddef.h>
#include <stdio.h>

enum foreign_place {
    FOREIGN_PLAIN,       /* JSON strings and other data: nothing but the above */
    FOREIGN_TERMINAL,    /* a terminal, or a CI system's log: no line is a command (GitHub's "::" at
                            its start; "##[", "##vso[", "##teamcity[" anywhere) */
    FOREIGN_MARKUP,      /* text and attributes of HTML and XML */
    FOREIGN_MARKDOWN,    /* text of a table's cell */
    FOREIGN_CI_TEXT,     /* the text of a GitHub workflow command */
    FOREIGN_CI_PROPERTY, /* one of its properties */
    FOREIGN_JSON, /* a whole document of JSON, as cJSON prints it: what has no glyph as JSON's own
                            escapes, so that the strings stay what they are; other bytes as they are */
    FOREIGN_SHELL /* one word of a command line; bash, zsh and ksh read it as the same bytes. It
                            holds no backtick and no bar, so that a line of such words can stand between
                            backticks in Markdown and in the cell of a table */
};

/* Prints it. */
void foreign_print(FILE *stream, enum foreign_place place, const char *text);

/* The same as a string in `room` bytes, cut between characters where it is longer. Returns
 * `buffer`, for use in printf's arguments. */
const char *foreign_text(enum foreign_place place, const char *text, char *buffer, size_t room);

/* As foreign_text for a terminal: FOREIGN(name) lives until the end of the enclosing block. */
enum { FOREIGN_ROOM = 1024 };
#define FOREIGN(TEXT) foreign_text(FOREIGN_TERMINAL, TEXT, (char[FOREIGN_ROOM]){0}, FOREIGN_ROOM)

/* Takes off the end of `text` what is the beginning of a UTF-8 character only, as printf's
 * precision leaves it. Returns `text`. */
char *foreign_trim(char *text);

#endif
