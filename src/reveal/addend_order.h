/* The document of an order into which c comes (--addend). */
#ifndef DETCHECK_REVEAL_ADDEND_ORDER_H
#define DETCHECK_REVEAL_ADDEND_ORDER_H

#include "reveal/lengths.h"

#include <cjson/cJSON.h>

/* Lengths that were revealed, with --addend. NULL with the reason where a document has no place for their c. */
cJSON *addend_order(const struct lengths *lengths, struct error *error);

#endif
