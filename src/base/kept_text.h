/* Texts that stay until the program ends, each once: names that many copies of a struct share. */
#ifndef DETCHECK_BASE_KEPT_TEXT_H
#define DETCHECK_BASE_KEPT_TEXT_H

/* The same text; NULL when memory is out. From any thread. */
const char *kept_text(const char *text);

#endif
