/* The manual's pages and the environment variables that they describe, as the build finds them in man/
 * (src/package/pages.cmake). */
#ifndef DETCHECK_CMD_PAGES_H
#define DETCHECK_CMD_PAGES_H

struct manual_page_row {
    const char *name;
    int section;
    const char *about;     /* one line, without a full stop */
    const char *variables; /* that the page speaks of, between blanks */
};

struct manual_variable_row {
    const char *names; /* between blanks */
    const char *means; /* the first sentence about them, without its full stop */
};

/* Each ends with a row without names. A variable that several pages describe has several rows. */
extern const struct manual_page_row manual_pages[];
extern const struct manual_variable_row manual_variables[];

#endif
