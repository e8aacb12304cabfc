/* A sum from one end foretells what pairs of its terms say. Where those that are asked say just that, as many are left out
 * as other calls were made before. Replay proves the order then; where it refutes it, the others are asked, too. */
#ifndef DETCHECK_REVEAL_FORETELL_H
#define DETCHECK_REVEAL_FORETELL_H

#include "reveal/grow.h"

/* Makes the tree, and notes in `grown` how many pairs were left out; of another order there is no addition. */
bool foretell_tree(struct pairs *pairs, struct grown *grown, struct error *error);

/* Asks the pairs that were left out: `holds` says whether they say what was foretold. */
bool foretell_ask(struct pairs *pairs, const struct grown *grown, bool *holds, struct error *error);

#endif
