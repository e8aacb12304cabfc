/* How inputs and codes stand in documents that somebody else wrote: as wide as they are found there. */
#ifndef DETCHECK_REPORT_DOCUMENT_WIRE_H
#define DETCHECK_REPORT_DOCUMENT_WIRE_H

#include "report/inputs_record.h"

/* Inputs of arrays are numbered by the place of their shape, the draw and the element, which is their order in
 * the sweep. What is read is written over the document that it comes from. */
struct document_wire {
    struct record_wire wire;         /* first */
    const struct shape_list *shapes; /* in their order; NULL: of numbers */
    bool collects; /* or in none that matters: `found` are those that were read, to be closed */
    struct shape_list found;
    int operands; /* of the inputs that were read; 0: none was */
};

/* Makes it good for reading several documents of the same sweep, and then for writing. */
void document_wire_open(struct document_wire *wire, const struct shape_list *shapes);
void document_wire_close(struct document_wire *wire);

#endif
