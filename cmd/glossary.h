/* What the words of the program mean: ARCHITECTURE.md, Words. */
#ifndef DETCHECK_CMD_GLOSSARY_H
#define DETCHECK_CMD_GLOSSARY_H

struct glossary_row {
    const char *word, *means;
};

/* Ends with a row without a word. */
extern const struct glossary_row glossary[];

#endif
