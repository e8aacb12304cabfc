/* Monotony and symmetry. */
#include "sweep/judge/pairs.h"

#include "sweep/judge/output.h"
#include "sweep/nans.h"

#include <stdlib.h>
#include <string.h>

/* Outputs beside those of the slice: of the input behind it, or of all its inputs with the other sign. */
struct pair_room {
    size_t count;
    void *inputs[MAX_OPERANDS];
    void *results[MAX_RESULTS];
    uint8_t *unanswered;
    struct known_value {
        bool there;
        uint64_t codes[MAX_OPERANDS];
        struct real y;
    } last; /* what the exact oracle said of the input before */
};

bool worker_open_pairs(struct worker *worker) {
    const struct sweep_request *request = worker->request;
    const struct binding_request *computed = &request->computed;
    if (!(request->shows & (SHOW_MONOTONY | SHOW_SYMMETRY)))
        return true;
    struct pair_room *room = calloc(1, sizeof *room);
    worker->pair_room = room;
    bool good = room && (room->unanswered = calloc(worker->slice, 1));
    for (int i = 0; good && i < computed->operation->operands; i++)
        good = (room->inputs[i] = calloc(worker->slice, sizeof(uint64_t))) != NULL;
    for (int i = 0; good && i < computed->operation->results; i++)
        good = (room->results[i] = calloc(worker->slice, sizeof(uint64_t))) != NULL;
    return good;
}

void worker_close_pairs(struct worker *worker) {
    struct pair_room *room = worker->pair_room;
    for (int i = 0; room && i < MAX_OPERANDS; i++)
        free(room->inputs[i]);
    for (int i = 0; room && i < MAX_RESULTS; i++)
        free(room->results[i]);
    if (room)
        free(room->unanswered);
    free(room);
}

/* What happens in these calls is no news: calls of inputs of the run are counted where they belong. */
static void ignore_event(void *context, enum event_kind kind, size_t at) {
    (void)context;
    (void)kind;
    (void)at;
}

/* Asks an implementation for the inputs in the room. */
static bool ask(struct worker *worker, size_t implementation, uint64_t first, struct error *error) {
    struct pair_room *room = worker->pair_room;
    const struct domain *domain = worker->request->domain;
    struct slice slice = {.count = room->count,
                          .first = first,
                          .total = domain->count,
                          .unanswered = room->unanswered};
    for (int i = 0; i < MAX_OPERANDS; i++)
        slice.operands[i] = room->inputs[i];
    memcpy(slice.results, room->results, sizeof slice.results);
    memset(room->unanswered, 0, room->count);
    if (!binding_fill(&worker->bindings[implementation], &slice, ignore_event, NULL, error))
        return false;
    for (int i = 0; i < worker->request->computed.operation->results; i++)
        make_nans_canonical(worker->judge.format, room->results[i], room->count);
    return true;
}

/* Whether a number is less than another (-1), the same (0) or more (1); both are there, and cut toward 0. What the
 * cut leaves open is -2. */
enum { OPEN = -2 };

static int compare(const struct real *a, const struct real *b) {
    bool a_zero = a->kind == REAL_ZERO, b_zero = b->kind == REAL_ZERO;
    int sign = (b_zero ? a : b)->negative ? -1 : 1; /* of b, or of a where b has none */
    if (a_zero || b_zero)
        return a_zero && b_zero ? 0 : a_zero ? -sign : sign;
    if (a->negative != b->negative)
        return -sign;
    struct real x = *a, y = *b;
    x.inexact = y.inexact = false;
    if (real_is_smaller(&x, &y) || real_is_smaller(&y, &x))
        return real_is_smaller(&x, &y) ? -sign : sign;
    if (a->inexact && b->inexact)
        return OPEN;
    return a->inexact == b->inexact ? 0 : a->inexact ? sign : -sign;
}

static bool exact_at(struct worker *worker, int result, const uint64_t *codes, struct real *y,
                     struct error *error) {
    struct known_value *last = &worker->pair_room->last;
    if (last->there && memcmp(last->codes, codes, sizeof last->codes) == 0) {
        *y = last->y;
        return true;
    }
    return oracle_exact(&worker->oracle, codes, result, y, error);
}

/* Which way the exact results go from one input to another; 0 where they are the same or none. */
static bool exact_direction(struct worker *worker, int result, const uint64_t *from,
                            const uint64_t *to, int *direction, struct error *error) {
    struct known_value *last = &worker->pair_room->last;
    struct real a, b;
    if (!exact_at(worker, result, from, &a, error) || !exact_at(worker, result, to, &b, error))
        return false;
    *last = (struct known_value){.there = true, .y = b};
    memcpy(last->codes, to, sizeof last->codes);
    *direction = 0;
    if (a.kind == REAL_NAN || b.kind == REAL_NAN)
        return true;
    *direction = compare(&b, &a);
    if (*direction != OPEN)
        return true;
    if (!oracle_exact(&worker->refined, from, result, &a, error) ||
        !oracle_exact(&worker->refined, to, result, &b, error))
        return false;
    *direction = compare(&b, &a);
    return true;
}

/* Codes of the last operand from one to the next of which the filter knows the direction. */
struct known_stretch {
    uint64_t first, last;
    int direction; /* 0: nothing is known */
};

/* Of a block without a slope that is sure: whether the rounded results tell. */
static int rounded_direction(const struct worker *worker, const struct block *block, uint64_t from,
                             uint64_t to) {
    const struct format *format = worker->judge.format;
    if (block->kind != BLOCK_ASYMPTOTE)
        return 0;
    struct real a = block_asymptote_value(block, format, from),
                b = block_asymptote_value(block, format, to);
    if (a.kind == REAL_NAN || b.kind == REAL_NAN)
        return 0;
    struct real x = format_decode(format,
                                  format_encode(format, &a, ROUND_NEAREST_EVEN, OVERFLOW_IEEE)),
                y = format_decode(format,
                                  format_encode(format, &b, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    return compare(&y, &x);
}

static bool find_direction(struct worker *worker, int result, const uint64_t *from,
                           const uint64_t *to, struct known_stretch *known, int *direction,
                           struct error *error) {
    int last = worker->request->computed.operation->operands - 1;
    uint64_t code = from[last];
    *direction = 0;
    if (worker->filters[result] && to[last] == code + 1) {
        if (!(code >= known->first && code < known->last)) {
            const struct block *block = filter_block(worker->filters[result], from, code);
            double least, most;
            *known = (struct known_stretch){
                block->first, block->first + (((uint64_t)1 << block->log2_count) - 1), 0};
            if (block_slopes(block, &least, &most))
                known->direction = least > 0 ? 1 : most < 0 ? -1 : 0;
        }
        *direction = code < known->last ? known->direction : 0;
        if (!*direction && code < known->last)
            *direction = rounded_direction(
                worker, filter_block(worker->filters[result], from, code), code, to[last]);
    }
    return *direction || exact_direction(worker, result, from, to, direction, error);
}

/* Whether two inputs are neighbours: numbers of one sign, and the same but for the last operand. */
static bool are_neighbours(const struct worker *worker, const uint64_t *from, const uint64_t *to) {
    const struct format *format = worker->request->computed.format;
    int last = worker->request->computed.operation->operands - 1;
    for (int i = 0; i < last; i++)
        if (from[i] != to[i])
            return false;
    return from[last] != to[last] && !format_is_nan(format, from[last]) &&
           !format_is_nan(format, to[last]) &&
           format_is_negative(format, from[last]) == format_is_negative(format, to[last]);
}

/* A pair of an implementation's outputs of neighbours. */
static bool measure_neighbours(struct worker *worker, size_t implementation, int result,
                               const struct pair_witness *pair, struct known_stretch *known,
                               struct error *error) {
    const struct format *format = worker->judge.format;
    struct pair_tally *tally = &worker_tally(worker, implementation, result)->monotony;
    int direction;
    if (format_is_nan(format, pair->got) || format_is_nan(format, pair->other_got))
        return true;
    tally->pairs++;
    if (pair->got == pair->other_got)
        return true;
    struct real a = format_decode(format, pair->got), b = format_decode(format, pair->other_got);
    int way = compare(&b, &a);
    if (!way) /* zeros of either sign */
        return true;
    if (!find_direction(worker, result, pair->input, pair->other, known, &direction, error))
        return false;
    tally->undecided += direction == OPEN;
    if (direction != OPEN && direction == -way)
        pair_tally_add_wrong(tally, pair);
    return true;
}

static bool measure_monotony(struct worker *worker, size_t implementation, int result, size_t count,
                             bool follows, struct error *error) {
    const struct pair_room *room = worker->pair_room;
    size_t bytes = format_bytes(worker->judge.format),
           input_bytes = format_bytes(worker->request->computed.format);
    const void *outputs = worker->outputs[implementation * MAX_RESULTS + (size_t)result];
    struct known_stretch known = {1, 0, 0};
    struct pair_witness pair = {0};
    worker->pair_room->last.there = false;
    worker_load_inputs(worker, 0, pair.input);
    for (size_t at = 0; at < count; at++) {
        bool inside = at + 1 < count;
        pair.index = worker->first + at;
        pair.got = code_load(outputs, bytes, at);
        if (inside)
            worker_load_inputs(worker, at + 1, pair.other);
        for (int i = 0; follows && !inside && i < MAX_OPERANDS; i++)
            pair.other[i] = room->inputs[i] ? code_load(room->inputs[i], input_bytes, 0) : 0;
        bool missing = worker_is_unanswered(worker, implementation, at) ||
                       (inside ? worker_is_unanswered(worker, implementation, at + 1)
                               : !follows || room->unanswered[0]);
        if (!missing)
            pair.other_got = inside ? code_load(outputs, bytes, at + 1)
                                    : code_load(room->results[result], bytes, 0);
        if (!are_neighbours(worker, pair.input, pair.other))
            known = (struct known_stretch){1, 0, 0};
        else if (!missing &&
                 !measure_neighbours(worker, implementation, result, &pair, &known, error))
            return false;
        memcpy(pair.input, pair.other, sizeof pair.input);
    }
    return true;
}

static void measure_symmetry(struct worker *worker, size_t implementation, int result,
                             size_t count) {
    const struct sweep_request *request = worker->request;
    const struct pair_room *room = worker->pair_room;
    const struct format *format = worker->judge.format, *input_format = request->computed.format;
    size_t output = implementation * MAX_RESULTS + (size_t)result, bytes = format_bytes(format);
    bool odd = request_symmetry(request, output) == PARITY_ODD;
    struct pair_tally *tally = &worker->tallies[output].symmetry;
    for (size_t at = 0; at < count; at++) {
        struct pair_witness pair = {.index = worker->first + at,
                                    .got = code_load(worker->outputs[output], bytes, at),
                                    .other_got = code_load(room->results[result], bytes, at)};
        pair.input[0] = code_load(worker->inputs[0], format_bytes(input_format), at);
        pair.other[0] = code_load(room->inputs[0], format_bytes(input_format), at);
        if (format_is_nan(input_format, pair.input[0]) || pair.input[0] == pair.other[0] ||
            worker_is_unanswered(worker, implementation, at) || room->unanswered[at])
            continue;
        uint64_t want = pair.got;
        if (odd && !format_is_nan(format, want))
            want = format_with_sign(format, format_magnitude(format, want),
                                    !format_is_negative(format, want));
        tally->pairs++;
        if (pair.other_got != want)
            pair_tally_add_wrong(tally, &pair);
    }
}

/* The inputs of the slice with the other sign. */
static void turn_inputs(struct worker *worker, size_t count) {
    const struct format *format = worker->request->computed.format;
    struct pair_room *room = worker->pair_room;
    size_t bytes = format_bytes(format);
    room->count = count;
    for (size_t at = 0; at < count; at++) {
        uint64_t code = code_load(worker->inputs[0], bytes, at);
        if (!format_is_nan(format, code))
            code = format_with_sign(format, format_magnitude(format, code),
                                    !format_is_negative(format, code));
        code_store(room->inputs[0], bytes, at, code);
    }
}

bool worker_measure_pairs(struct worker *worker, size_t count, struct error *error) {
    const struct sweep_request *request = worker->request;
    const struct domain *domain = request->domain;
    struct pair_room *room = worker->pair_room;
    int results = request->computed.operation->results;
    uint64_t next = worker->first + count;
    for (size_t i = 0; room && count && i < request->implementation_count; i++) {
        bool follows = request->shows & SHOW_MONOTONY && next < domain->count, symmetric = false;
        if (!worker->provided[i])
            continue;
        room->count = 1;
        if (follows) {
            domain_fill(domain, next, 1, room->inputs);
            if (!ask(worker, i, next, error))
                return false;
        }
        for (int j = 0; request->shows & SHOW_MONOTONY && j < results; j++)
            if (!measure_monotony(worker, i, j, count, follows, error))
                return false;
        for (int j = 0; j < results; j++)
            symmetric = symmetric || request_symmetry(request, i * MAX_RESULTS + (size_t)j);
        if (!symmetric)
            continue;
        turn_inputs(worker, count);
        if (!ask(worker, i, worker->first, error))
            return false;
        for (int j = 0; j < results; j++)
            if (request_symmetry(request, i * MAX_RESULTS + (size_t)j))
                measure_symmetry(worker, i, j, count);
    }
    return true;
}
