/* What a row of a rule would make of samples: their parts. */
#ifndef DETCHECK_ORDER_PARTS_H
#define DETCHECK_ORDER_PARTS_H

#include "order/sample.h"

struct parts {
    struct samples inner, outer, rest;
};
void parts_close(struct parts *parts);

/* Whether each sample can be taken apart as the row would put it together; the parts are what `inner`, `outer` and
 * `rest` have to give. Of ORDER_HALVES the size is set. */
bool parts_of(const struct samples *samples, struct order_rule *row, struct parts *parts);

#endif
