/* Reading words and signs from a line of a declaration of kappas. */
#ifndef DETCHECK_GATE_KAPPA_WORDS_H
#define DETCHECK_GATE_KAPPA_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum { KAPPA_WORD = 24 };

/* Passes over blanks, and then over `text` if it stands there. */
bool kappa_take(const char **at, const char *text);

/* Passes over blanks, and over letters, digits and underscores. Returns how many these are; `word` has as many of them as it has
 * room for. */
size_t kappa_take_word(const char **at, char word[KAPPA_WORD]);

#endif
