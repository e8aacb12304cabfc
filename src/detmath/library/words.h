/* Lists of words, as the rows of profiles have them. */
#ifndef DETMATH_LIBRARY_WORDS_H
#define DETMATH_LIBRARY_WORDS_H

/* Whether it is one of the words, which are separated by spaces. */
int detmath_has_word(const char *words, const char *word);

#endif
