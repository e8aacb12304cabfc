/* What the lines of a Kappas.yaml say is approximated, where, and by how much. */
#ifndef DETCHECK_GATE_KAPPA_READ_H
#define DETCHECK_GATE_KAPPA_READ_H

#include "base/error.h"
#include "format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KAPPA_NAME = 256 };

/* The kappa of an interval, or of all operands. NaN and infinity as kappa are above all numbers. */
struct declared_kappa {
    char operation[KAPPA_NAME]; /* without spaces, in small letters: "exp<binary8p4se,...>" */
    const struct format
        *format;    /* of the first operand; NULL: the operation names none that there is */
    bool whole;     /* of all operands, NaN among them, and of no interval */
    char *interval; /* as it is written; NULL for the whole */
    int64_t first,
        last; /* ordinals of the format's first and last number in it; none where first > last */
    double kappa;
};

struct declared_kappas {
    struct declared_kappa *items;
    size_t count;
    unsigned long long shard, of; /* 0: the whole */
    char *sweep;                  /* what was swept, as the file says; NULL: it does not */
};

/* Reads a file of the form of the report's Kappas.yaml. What it leaves in `kappas` is freed by kappas_free, after an
 * error too. */
bool kappas_read(const char *path, struct declared_kappas *kappas, struct error *error);
void kappas_free(struct declared_kappas *kappas);

#endif
