/* The largest kappa for each first operand, as a sweep judges outputs, and the intervals that they make. */
#include "sweep/kappa.h"

#include <stdlib.h>

uint64_t kappa_of(const struct format *format, uint64_t got, uint64_t want) {
    if (format_is_nan(format, got) || format_is_nan(format, want))
        return format_is_nan(format, got) && format_is_nan(format, want) ? 0 : KAPPA_NAN;
    const int64_t a = format_ordinal(format, got), b = format_ordinal(format, want);
    if (a != b && (format_is_infinite(format, got) || format_is_infinite(format, want)))
        return KAPPA_INFINITE;
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

bool kappa_open(struct kappa_table *table, const struct format *operands) {
    *table = (struct kappa_table){.most = calloc((size_t)1 << operands->width, sizeof(uint64_t))};
    return table->most;
}

void kappa_close(struct kappa_table *table) {
    free(table->most);
    *table = (struct kappa_table){0};
}

bool kappa_open_all(struct kappa_table **tables, size_t count, const struct format *operands) {
    *tables = count ? calloc(count, sizeof **tables) : NULL;
    bool room = *tables || !count;
    for (size_t i = 0; room && i < count; i++)
        room = kappa_open(&(*tables)[i], operands);
    return room;
}

void kappa_close_all(struct kappa_table *tables, size_t count) {
    for (size_t i = 0; tables && i < count; i++)
        kappa_close(&tables[i]);
    free(tables);
}

static void rank(struct kappa_table *table, uint64_t kappa, const struct witness *witness) {
    if (kappa > table->kappa ||
        (kappa && kappa == table->kappa && witness->index < table->worst.index)) {
        table->kappa = kappa;
        table->worst = *witness;
    }
}

void kappa_note(struct kappa_table *table, const struct format *format, int result,
                const struct witness *witness) {
    const uint64_t kappa = kappa_of(format, witness->got, witness->want);
    uint64_t *most = &table->most[witness->input[0]];
    *most = kappa + 1 > *most ? kappa + 1 : *most;
    table->inputs += result == 0;
    rank(table, kappa, witness);
}

void kappa_merge(struct kappa_table *table, const struct kappa_table *other,
                 const struct format *operands) {
    for (size_t i = 0; i <= format_mask(operands); i++)
        if (other->most[i] > table->most[i])
            table->most[i] = other->most[i];
    table->inputs += other->inputs;
    rank(table, other->kappa, &other->worst);
}

/* What a table has of the first operand with that ordinal. */
static uint64_t most_at(const struct kappa_table *table, const struct format *format,
                        int64_t ordinal) {
    const uint64_t most = table->most[format_from_ordinal(format, ordinal)];
    const uint64_t other =
        ordinal == 0 && format->has_negative_zero ? table->most[format->sign_bit] : 0;
    return other > most ? other : most;
}

size_t kappa_intervals(const struct kappa_table *table, const struct format *operands,
                       struct kappa_interval intervals[KAPPA_INTERVALS]) {
    const int64_t end = (int64_t)format_greatest(operands) + !operands->has_zero;
    size_t count = 0;
    uint64_t before = 0; /* of the number before */
    for (int64_t at = operands->sign_bit ? -end : !operands->has_zero; at <= end; at++) {
        const uint64_t most = most_at(table, operands, at),
                       code = format_from_ordinal(operands, at);
        if (most && (most == before || count == KAPPA_INTERVALS)) {
            struct kappa_interval *last = &intervals[count - 1];
            last->high = code;
            last->kappa = most - 1 > last->kappa ? most - 1 : last->kappa;
        } else if (most)
            intervals[count++] = (struct kappa_interval){code, code, most - 1};
        before = most;
    }
    return count;
}
