/* What the rows of the axes of reveal/models.h stand for. */
#ifndef DETCHECK_REVEAL_AXES_H
#define DETCHECK_REVEAL_AXES_H

#include "reveal/models.h"

struct kind_row {
    const char *name;
    enum order_node_kind kind;
    bool chained; /* the terms one after the other, in place of the tree that was found */
    bool reversed;
    struct sorting sorting;
};

/* The rows of AXIS_KIND for what was found. */
const struct kind_row *axis_kinds(const struct finding *finding, unsigned *count);

/* The addition whose total is added to 0, by the row of AXIS_ZERO: along the first children from the last addition on, those
 * that meet another total, the first of these first, and the last addition itself. -1: none. */
int32_t axis_zero(const struct finding *finding, unsigned row);

/* Whether its rows are values of a parameter of reveal/node_parameters.h. */
bool axis_is_parameter(const struct finding *finding, enum axis axis);

/* Whether products of narrow numbers have so few bits that a wider format holds all of them but in its least numbers: no
 * probe tells whether they are rounded to that before they are added. */
bool has_least_products(const struct finding *finding);
const struct format *axis_least_product(void);

/* What the last measured addition below one keeps; of what no probe has seen what most operations do. */
struct aimed finding_known_below(const struct finding *finding, size_t v);
/* Whether all additions that were measured keep the same. */
bool finding_is_uniform(const struct finding *finding);

/* Whether some additions keep fewer bits than others, and than terms have. */
bool has_narrower(const struct finding *finding);

#endif
