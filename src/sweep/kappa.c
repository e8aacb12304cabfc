/* Every input once, each output beside the right one. */
#include "sweep/kappa.h"

#include "op/conversion.h"
#include "oracle/exact.h"

#include <stdlib.h>
#include <string.h>

enum { SLICE = 4096 };

uint64_t kappa_of(const struct format *format, uint64_t got, uint64_t want) {
    if (format_is_nan(format, got) || format_is_nan(format, want))
        return format_is_nan(format, got) && format_is_nan(format, want) ? 0 : KAPPA_NAN;
    const int64_t a = format_ordinal(format, got), b = format_ordinal(format, want);
    if (a != b && (format_is_infinite(format, got) || format_is_infinite(format, want)))
        return KAPPA_INFINITE;
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

struct measuring {
    const struct binding_request *computed;
    struct binding binding;
    struct oracle oracle;
    struct cast cast;
    uint64_t operands[MAX_OPERANDS][SLICE], results[MAX_RESULTS][SLICE];
    uint8_t unanswered[SLICE];
    uint64_t *most; /* by the code of the first operand */
    struct kappa_result *result;
};

static void no_event(void *context, enum event_kind kind, size_t index) {
    (void)kind;
    uint8_t *unanswered = context;
    unanswered[index] = 1;
}

/* The codes of input `index`, the first operand major. */
static void input_at(const struct binding_request *computed, uint64_t index, uint64_t *codes) {
    for (int i = computed->operation->operands - 1; i >= 0; i--) {
        codes[i] = index & format_mask(computed->format);
        index >>= computed->format->width;
    }
}

static bool right_code(struct measuring *m, const uint64_t *codes, int result, uint64_t index,
                       uint64_t *want, struct error *error) {
    const struct binding_request *computed = m->computed;
    struct real y;
    if (computed->operation->converts) {
        *want = cast_code(&m->cast, codes[0],
                          conversion_random(&m->cast, &computed->parameters, index));
        return true;
    }
    if (!oracle_exact(&m->oracle, codes, result, &y, error))
        return false;
    *want = projected_code(request_result_format(computed), &y, computed->rounding,
                           computed->overflow, &computed->parameters, index);
    return true;
}

static bool measure_output(struct measuring *m, uint64_t first, size_t at, int result,
                           struct error *error) {
    const struct format *out = request_result_format(m->computed);
    uint64_t codes[MAX_OPERANDS], want;
    input_at(m->computed, first + at, codes);
    if (!right_code(m, codes, result, first + at, &want, error))
        return false;
    const uint64_t got = code_load(m->results[result], format_bytes(out), at);
    const uint64_t kappa = kappa_of(out, got, want);
    if (kappa > m->most[codes[0]])
        m->most[codes[0]] = kappa;
    if (kappa > m->result->kappa) {
        m->result->kappa = kappa;
        m->result->got = got;
        m->result->want = want;
        memcpy(m->result->input, codes, sizeof codes);
    }
    return true;
}

static bool measure_slice(struct measuring *m, uint64_t first, size_t count, struct error *error) {
    const struct binding_request *computed = m->computed;
    struct slice slice = {.count = count, .first = first, .unanswered = m->unanswered};
    for (size_t at = 0; at < count; at++) {
        uint64_t codes[MAX_OPERANDS];
        input_at(computed, first + at, codes);
        for (int i = 0; i < computed->operation->operands; i++)
            code_store(m->operands[i], format_bytes(computed->format), at, codes[i]);
    }
    for (int i = 0; i < computed->operation->operands; i++)
        slice.operands[i] = m->operands[i];
    for (int i = 0; i < computed->operation->results; i++)
        slice.results[i] = m->results[i];
    memset(m->unanswered, 0, sizeof m->unanswered);
    if (!binding_fill(&m->binding, &slice, no_event, m->unanswered, error))
        return false;
    for (size_t at = 0; at < count; at++) {
        if (m->unanswered[at])
            return error_set(error, "%.200s gave no output for input %llu of %s: no kappa is known",
                             m->binding.implementation->name, (unsigned long long)(first + at),
                             computed->operation->name);
        for (int i = 0; i < computed->operation->results; i++)
            if (!measure_output(m, first, at, i, error))
                return false;
    }
    return true;
}

/* The largest kappa of the first operand with that ordinal. */
static uint64_t most_at(const struct measuring *m, int64_t ordinal) {
    const struct format *format = m->computed->format;
    const uint64_t code = format_from_ordinal(format, ordinal);
    uint64_t most = m->most[code];
    if (ordinal == 0 && format->has_negative_zero && m->most[format->sign_bit] > most)
        most = m->most[format->sign_bit];
    return most;
}

/* Ordinals low..high. */
struct stretch {
    int64_t low, high;
    uint64_t kappa;
};

static uint64_t most_between(const struct measuring *m, int64_t low, int64_t high) {
    uint64_t most = 0;
    for (int64_t at = low; at <= high; at++)
        most = most_at(m, at) > most ? most_at(m, at) : most;
    return most;
}

/* Cuts off the first part of a stretch that has another kappa than what follows it: at the first number where it
 * changes. False where it does not. */
static bool cut(const struct measuring *m, struct stretch *whole, struct stretch *first) {
    const uint64_t kappa = most_at(m, whole->low);
    int64_t at = whole->low;
    while (at <= whole->high && most_at(m, at) == kappa)
        at++;
    if (at > whole->high)
        return false;
    *first = (struct stretch){whole->low, at - 1, kappa};
    whole->low = at;
    return true;
}

/* The last interval has all that is left. */
static void find_intervals(const struct measuring *m) {
    const struct format *format = m->computed->format;
    const int64_t end = (int64_t)format_greatest(format) + !format->has_zero;
    struct stretch rest = {format->sign_bit ? -end : !format->has_zero, end, 0}, first;
    struct kappa_result *result = m->result;
    while (rest.low <= rest.high) {
        const bool last = result->count == KAPPA_INTERVALS - 1 || !cut(m, &rest, &first);
        if (last)
            first = (struct stretch){rest.low, rest.high, most_between(m, rest.low, rest.high)};
        result->intervals[result->count++] =
            (struct kappa_interval){format_from_ordinal(format, first.low),
                                    format_from_ordinal(format, first.high), first.kappa};
        if (last)
            return;
    }
}

static bool measure_all(struct measuring *m, struct error *error) {
    const uint64_t inputs = UINT64_C(1) << request_input_bits(m->computed);
    for (uint64_t at = 0; at < inputs; at += SLICE)
        if (!measure_slice(m, at, inputs - at < SLICE ? (size_t)(inputs - at) : SLICE, error))
            return false;
    m->result->inputs = inputs;
    find_intervals(m);
    return true;
}

static bool check_request(const struct binding_request *computed, struct error *error) {
    if (computed->operation->array)
        return error_set(error, "kappa is of operations on numbers, and %s is on arrays",
                         computed->operation->name);
    return request_input_bits(computed) <= KAPPA_MOST_BITS ||
           error_set(error, "kappa is of all inputs, and %s in %s has more than 2^%d",
                     computed->operation->name, computed->format->name, KAPPA_MOST_BITS);
}

bool kappa_measure(const struct binding_request *computed,
                   const struct implementation *implementation, struct kappa_result *result,
                   struct error *error) {
    if (!check_request(computed, error))
        return false;
    struct measuring *m = calloc(1, sizeof *m);
    uint64_t *most = calloc((size_t)1 << computed->format->width, sizeof *most);
    *result = (struct kappa_result){0};
    bool good = m && most ? implementation_bind(&m->binding, implementation, computed, error)
                          : error_set(error, "out of memory");
    if (good) {
        m->computed = computed;
        m->most = most;
        m->result = result;
        oracle_open(&m->oracle, computed->operation, computed->format,
                    oracle_precision(request_result_format(computed)));
        m->oracle.rounding = computed->rounding;
        good = (!computed->operation->converts ||
                conversion_make(&m->cast, computed->format, computed->rounding,
                                &computed->parameters, error)) &&
               measure_all(m, error);
        oracle_close(&m->oracle);
        binding_close(&m->binding);
    }
    free(most);
    free(m);
    return good;
}
