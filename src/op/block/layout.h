/* Block formats as bytes: how a block of numbers lies in memory, a row each.
 *
 * A block holds fields: elements, and numbers that elements share. An element stands for
 *     tensor scale * scale * sub-scale * (element - zero) + minimum * sub-minimum
 * where a field that a layout lacks is 1, or 0 if it is added or subtracted. Layouts whose minimum is
 * subtracted say so. A field is a list of integers of a few bits; pieces say where the bits lie. */
#ifndef DETCHECK_OP_BLOCK_LAYOUT_H
#define DETCHECK_OP_BLOCK_LAYOUT_H

#include "format/format.h"

#include <stdbool.h>
#include <stdint.h>

enum block_role {
    BLOCK_ELEMENT,
    BLOCK_SCALE,
    BLOCK_SUBSCALE,
    BLOCK_MINIMUM,
    BLOCK_SUBMINIMUM,
    BLOCK_ZERO,
    BLOCK_SUM, /* of elements; no part of a number */
    BLOCK_ROLES
};

enum { BLOCK_PIECES = 3 };

/* Bits of `count` integers from number `first` on: `bits` of each, from bit `to` of it on. The block has
 * them in units (bytes, or words of 32 bits, little-endian) from byte `offset` on. `run` integers lie in
 * as many units next to each other, the next `run` integers above them in the same units, and so on
 * `per` times; the rest lies in the units that follow. With run 0 the bits of all integers follow each
 * other. */
struct block_piece {
    uint16_t first, count, offset;
    uint8_t bits, to, shift; /* the lowest bit of a unit that is used */
    uint8_t run, per, unit;
};

struct block_field {
    uint16_t count;              /* integers; 0: the layout has no such field */
    uint16_t share;              /* element i has number (i / share) % count */
    uint8_t width;               /* bits of an integer */
    int16_t bias;                /* subtracted from the integer */
    bool is_signed;              /* in two's complement */
    const struct format *format; /* integers are codes of it; NULL: they are numbers themselves */
    const float *table;          /* or places in this table */
    const uint8_t *order;        /* of eight integers that follow each other, or NULL */
    struct block_piece pieces[BLOCK_PIECES];
};

struct block_layout {
    const char *name;
    const char *summary;
    uint16_t elements, bytes;
    uint16_t columns; /* a block is a tile of so many columns, row by row; 0: it is a line */
    bool subtracts_minimum;
    bool has_tensor_scale;
    struct block_field fields[BLOCK_ROLES];
};

extern const struct block_layout block_layouts[]; /* ends with a row without a name */
extern const char *const block_layout_names[];    /* the same names for --layout; ends with NULL */

/* An integer of a field, without sign. */
uint32_t block_get(const struct block_layout *layout, enum block_role role, const uint8_t *bytes,
                   unsigned index);
/* Sets the bits of an integer, which are 0. */
void block_set(const struct block_layout *layout, enum block_role role, uint8_t *bytes,
               unsigned index, uint32_t integer);

/* The number that the integer of a field is. Exact: fields have fp32 or less. */
double block_number(const struct block_field *field, uint32_t integer);

/* What an element stands for beside its number: scale * (number - zero) + minimum. */
struct block_affine {
    double scale, zero, minimum;
    bool exact; /* whether double holds the scale and the minimum */
};

struct block_affine block_affine_of(const struct block_layout *layout, const uint8_t *bytes,
                                    double tensor_scale, unsigned element);

/* The number that an element stands for. *exact says whether double holds it exactly, as it does in every
 * layout unless products underflow. */
double block_element_number(const struct block_layout *layout, const uint8_t *bytes,
                            double tensor_scale, unsigned element, bool *exact);

/* The same as kernels in fp32 compute it: (tensor scale * scale) * sub-scale, times the element, plus the
 * product of the minima; each rounded. */
float block_element_in_fp32(const struct block_layout *layout, const uint8_t *bytes,
                            float tensor_scale, unsigned element);

#endif
