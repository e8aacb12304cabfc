/* What the rows of the axes of reveal/models.h stand for. */
#ifndef DETCHECK_REVEAL_AXES_H
#define DETCHECK_REVEAL_AXES_H

#include "reveal/models.h"

struct kind_row {
    const char *name;
    enum order_node_kind kind;
    bool chained; /* the terms one after the other, in place of the tree that was found */
    bool reversed, sorted;
};

/* The rows of AXIS_KIND for what was found. */
const struct kind_row *axis_kinds(const struct finding *finding, unsigned *count);

/* Whether some additions keep fewer bits than others, and than terms have. */
bool has_narrower(const struct finding *finding);

#endif
