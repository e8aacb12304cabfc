/* A tree of additions as a picture of a page. */
#ifndef DETCHECK_PAGE_ORDER_PICTURE_H
#define DETCHECK_PAGE_ORDER_PICTURE_H

#include "order/order.h"

enum { PICTURE_WORDS = 512 };

/* Writes it as SVG. Terms that are added one after the other are one row, and of parts that are added alike the first one
 * is drawn; a row has a title with its terms, an addition one with its arithmetic: words[node], free of markup. False, and
 * nothing is written: it has too many rows, or no memory. */
bool order_picture(FILE *stream, const struct order_tree *tree, const char (*words)[PICTURE_WORDS]);

#endif
