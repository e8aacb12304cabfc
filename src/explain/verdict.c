/* Runs of inputs, looked at from both ends. */
#include "explain/verdict.h"

#include <string.h>

enum said verdict_of_row(const struct work *work, size_t row, int side,
                         const struct difference *found, uint64_t *predicted) {
    const struct hypothesis *one = &work->rows[row];
    const uint64_t own = found->sides[side], other = found->sides[1 - side];
    *predicted = 0;
    if (!conversion_predict(one, &work->converted, own, predicted))
        return SAYS_NOTHING;
    if (!conversion_is_same(one, work->out, *predicted, own))
        return SAYS_WRONG;
    return !conversion_is_same(one, work->out, *predicted, work->converted.asked) &&
                   !conversion_is_same(one, work->out, *predicted, other)
               ? SAYS_WHY
               : SAYS_RIGHT;
}

bool verdict_has_runs(const struct work *work) {
    const struct domain *domain = work->request->domain;
    bool runs = work->request->computed.operation->converts && !work->request->limits &&
                request_is_uniform(work->request) && !work->pass->visit &&
                !work->pass->visit_wrong && !work->pass->predicted &&
                !work->sides[0].takes_integer && !work->sides[0].open.any &&
                !work->in->is_integer && !work->out->is_integer && work->in->sign_bit &&
                (domain->kind == DOMAIN_ALL || domain->kind == DOMAIN_RANGE);
    for (size_t i = 0; i < work->active_count; i++)
        runs = runs && (work->rows[work->active[i]].source == FROM_CONVERSION ||
                        work->rows[work->active[i]].source == FROM_BOTH);
    return runs;
}

/* What an input is converted to: by what is asked for, and by each row for each side. */
struct all_said {
    uint64_t asked;
    enum said said[HYPOTHESIS_MOST][2];
    uint64_t predicted[HYPOTHESIS_MOST][2];
};

static void find_all_said(struct work *work, const struct difference *found, struct all_said *all) {
    const struct cast *cast = &work->truth.cast;
    memset(all, 0, sizeof *all);
    all->asked = cast_code(cast, found->in[0], work->truth.random);
    work->converted = (struct converted){.cast = cast,
                                         .code = found->in[0],
                                         .random = work->truth.random,
                                         .value = format_decode(work->in, found->in[0]),
                                         .asked = all->asked};
    for (size_t i = 0; i < work->active_count; i++)
        for (int side = 0; side < 2; side++) {
            const size_t row = work->active[i];
            if (work->rows[row].source == FROM_CONVERSION &&
                verdict_is_asked(work, row, side, found))
                all->said[row][side] =
                    verdict_of_row(work, row, side, found, &all->predicted[row][side]);
        }
}

/* Numbers with the sign and the exponent of this one, from it on: in the sequence of codes. */
static uint64_t count_alike(const struct format *format, uint64_t code) {
    const uint64_t magnitude = format_magnitude(format, code);
    const uint64_t mask = ((uint64_t)1 << (format->precision - 1)) - 1;
    if (!magnitude || magnitude > format->max_finite)
        return 1;
    uint64_t last = mask;
    if (magnitude > mask)
        last = magnitude | mask;
    else /* subnormal */
        while (last / 2 >= magnitude)
            last /= 2;
    return (last < format->max_finite ? last : format->max_finite) - magnitude + 1;
}

static size_t count_same_outputs(const struct work *work, size_t at, size_t limit) {
    const uint64_t sides[2] = {work_output(work, 0, at), work_output(work, 1, at)};
    size_t count = 1;
    while (count < limit && work->answered[at + count] &&
           work_output(work, 0, at + count) == sides[0] &&
           work_output(work, 1, at + count) == sides[1])
        count++;
    return count;
}

size_t verdict_run(struct work *work, size_t at, size_t limit, uint64_t place) {
    const size_t bytes = format_bytes(work->in);
    struct difference found = {.index = place,
                               .in = {code_load(work->inputs[0], bytes, at)},
                               .sides = {work_output(work, 0, at), work_output(work, 1, at)}};
    const uint64_t first = found.in[0], alike = count_alike(work->in, first);
    struct all_said ends[2];
    limit = alike < limit ? (size_t)alike : limit;
    size_t count = count_same_outputs(work, at, limit);
    if (count == 1)
        return 1;
    find_all_said(work, &found, &ends[0]);
    for (; count > 1; count /= 2) {
        found.in[0] = code_load(work->inputs[0], bytes, at + count - 1);
        if (found.in[0] != first + count - 1)
            continue;
        find_all_said(work, &found, &ends[1]);
        if (memcmp(&ends[0], &ends[1], sizeof ends[0]) == 0)
            break;
    }
    return count;
}
