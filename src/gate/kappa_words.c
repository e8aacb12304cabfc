/* Words and signs. */
#include "gate/kappa_words.h"

#include <ctype.h>
#include <string.h>

bool kappa_take(const char **at, const char *text) {
    *at += strspn(*at, " ");
    const size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0)
        return false;
    *at += length;
    return true;
}

size_t kappa_take_word(const char **at, char word[KAPPA_WORD]) {
    *at += strspn(*at, " ");
    size_t length = 0;
    while (isalnum((unsigned char)(*at)[length]) || (*at)[length] == '_')
        length++;
    const size_t copied = length < KAPPA_WORD ? length : KAPPA_WORD - 1;
    memcpy(word, *at, copied);
    word[copied] = '\0';
    *at += length;
    return length;
}
