/* Whether the order of a sum depends on its terms, or is not the same for all elements. */
#ifndef DETCHECK_REVEAL_DEPENDENCE_H
#define DETCHECK_REVEAL_DEPENDENCE_H

#include "reveal/pairs.h"

/* Whether a pair of terms meets with other terms when those that are not counted are 0: `text` says so with the pair, or is "".
 * That is for what has no tree of rounded additions; such trees are the same for all data. */
bool find_dependence(struct pairs *pairs, char *text, size_t room, struct error *error);

/* Whether a product of matrices is transposed, or elements of the same terms differ: `text` says so, or is "". */
bool find_elements(struct subject *subject, char *text, size_t room, struct error *error);

/* Whether the result of a prefix of a scan depends on elements behind it: likewise. */
bool find_behind(struct subject *subject, char *text, size_t room, struct error *error);

#endif
