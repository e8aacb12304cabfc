/* The tree of one length, and what its additions do: what is known before a model is made. */
#ifndef DETCHECK_REVEAL_FIND_H
#define DETCHECK_REVEAL_FIND_H

#include "reveal/reveal.h"

/* The tree, with terms that count otherwise than once; then its additions. Both count their calls in `revealed`. False
 * with an error where the environment fails. finding_close when done, in any case. */
bool find_tree(struct finding *finding, struct revealed *revealed, struct error *error);
/* Asks the pairs whose answers were foretold. `found` says that some say otherwise: there is another tree then, whose
 * additions are still to be found. */
bool find_tree_again(struct finding *finding, struct revealed *revealed, bool *found,
                     struct error *error);
bool find_nodes(struct finding *finding, struct revealed *revealed, struct error *error);
void finding_close(struct finding *finding);

#endif
