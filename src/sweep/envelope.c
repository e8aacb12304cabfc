/* Steps, and what they keep. */
#include "sweep/envelope.h"

#include "base/bits.h"

#include <math.h>
#include <stdlib.h>

/* Errors up to this count as 0: of smaller ones a fast judge does not know the sign. */
#define NO_ERROR 0x1p-20
/* From here on 13 bits are coarser than the unit. */
#define COARSE_FROM 8.0
/* Larger errors count as this, so that documents can have them in units. */
#define MOST_SIZE 0x1p1013

double envelope_rounded(double error) {
    const uint64_t dropped = ((uint64_t)1 << (52 - 12)) - 1;
    double size = fmin(fabs(error), MOST_SIZE);
    if (size <= NO_ERROR)
        return 0;
    size = size < COARSE_FROM ? ceil(size / ENVELOPE_UNIT) * ENVELOPE_UNIT
                              : from_bits((bits_of(size) + dropped) & ~dropped);
    return copysign(size, error);
}

double envelope_least_alike(double size) {
    return size < COARSE_FROM ? size - ENVELOPE_UNIT : size * (1 - 0x1p-12);
}

bool envelope_tells_apart(const struct envelope *envelope, double a, double b) {
    double x = envelope_rounded(a), y = envelope_rounded(b);
    return envelope->steps && (x < y || x > y);
}

int envelope_log2_codes(uint64_t codes) {
    const int most = 64 - ENVELOPE_STEPS_LOG2;
    int log2 = codes ? 0 : most;
    while (log2 + 1 < most && codes >> (log2 + 1 + ENVELOPE_STEPS_LOG2))
        log2++;
    return log2;
}

static void add_run(struct envelope *envelope, uint64_t first, uint64_t last) {
    uint64_t from = first >> envelope->log2_codes, to = last >> envelope->log2_codes;
    struct envelope_run *before =
        envelope->run_count ? &envelope->runs[envelope->run_count - 1] : NULL;
    if (before) {
        uint64_t next = before->first_step + (envelope->step_count - before->before);
        if (from + 1 == next) /* the step that both lie in */
            from++;
        if (from == next) {
            envelope->step_count += (size_t)(to + 1 - from);
            return;
        }
    }
    envelope->runs[envelope->run_count++] = (struct envelope_run){from, envelope->step_count};
    envelope->step_count += (size_t)(to + 1 - from);
}

static bool make_steps(struct envelope *envelope) {
    envelope->steps = calloc(envelope->step_count, sizeof *envelope->steps);
    return envelope->steps != NULL;
}

static uint64_t code_at(const struct domain *domain, uint64_t index) {
    uint64_t codes[MAX_OPERANDS];
    domain_codes_at(domain, index, codes);
    return codes[0];
}

/* Of inputs that are no ranges: from the first to the last of either sign. */
static void add_ends(struct envelope *envelope, const struct domain *domain) {
    uint64_t low = 0, high = domain->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (format_is_negative(domain->format, code_at(domain, middle)))
            high = middle;
        else
            low = middle + 1;
    }
    uint64_t ends[2][2] = {{0}}, codes = 0;
    for (int negative = 0; negative < 2; negative++) {
        uint64_t from = negative ? low : 0, to = negative ? domain->count : low;
        if (from == to)
            continue;
        ends[negative][0] = code_at(domain, from);
        ends[negative][1] = code_at(domain, to - 1);
        codes += ends[negative][1] - ends[negative][0] + 1;
    }
    envelope->log2_codes = envelope_log2_codes(codes);
    if (low > 0)
        add_run(envelope, ends[0][0], ends[0][1]);
    if (low < domain->count)
        add_run(envelope, ends[1][0], ends[1][1]);
}

static void add_ranges(struct envelope *envelope, const struct code_set *set) {
    envelope->log2_codes = envelope_log2_codes(set->count);
    for (size_t i = 0; i < set->run_count; i++) {
        const struct code_run *run = &set->runs[i];
        uint64_t last =
            i + 1 < set->run_count ? run->first + (run[1].before - run->before) - 1 : set->last_end;
        add_run(envelope, run->first, last);
    }
}

bool envelope_open(struct envelope *envelope, const struct domain *domain) {
    bool ranges = domain->kind == DOMAIN_ALL || domain->kind == DOMAIN_RANGE;
    *envelope = (struct envelope){.partly = !ranges};
    if (ranges && domain->sets[0].run_count <= ENVELOPE_RUNS)
        add_ranges(envelope, &domain->sets[0]);
    else
        add_ends(envelope, domain);
    return make_steps(envelope);
}

void envelope_close(struct envelope *envelope) {
    free(envelope->steps);
    envelope->steps = NULL;
}

uint64_t envelope_run_steps(const struct envelope *envelope, unsigned run) {
    const struct envelope_run *one = &envelope->runs[run];
    return (run + 1 < envelope->run_count ? one[1].before : envelope->step_count) - one->before;
}

struct envelope_step *envelope_step_of(const struct envelope *envelope, uint64_t code) {
    uint64_t number = code >> envelope->log2_codes;
    unsigned run = envelope->run_count - 1;
    while (run > 0 && number < envelope->runs[run].first_step)
        run--;
    return &envelope->steps[envelope->runs[run].before + (number - envelope->runs[run].first_step)];
}

static double worst_of(const struct envelope_step *step) {
    return fmax(-step->least, step->largest);
}

void envelope_step_add(struct envelope_step *step, uint64_t code, double error) {
    double rounded = envelope_rounded(error), size = fabs(rounded);
    if (!step->has_error || size > worst_of(step) ||
        (!(size < worst_of(step)) && code < step->worst))
        step->worst = code;
    step->least = step->has_error ? fmin(step->least, rounded) : rounded;
    step->largest = step->has_error ? fmax(step->largest, rounded) : rounded;
    step->has_error = true;
}

bool envelope_step_could_change(const struct envelope_step *step, uint64_t code, double low,
                                double high) {
    /* What is no farther than the step's ends, which are rounded, is so once it is rounded too. */
    if (step->has_error && code >= step->worst && low >= step->least && high <= step->largest)
        return false;
    double least = envelope_rounded(low), largest = envelope_rounded(high);
    double size = fmax(-least, largest);
    return !step->has_error || least < step->least || largest > step->largest ||
           (!(size < worst_of(step)) && code < step->worst);
}

void envelope_step_merge(struct envelope_step *mine, const struct envelope_step *theirs) {
    mine->tested += theirs->tested;
    mine->incorrect += theirs->incorrect;
    if (!theirs->has_error)
        return;
    double size = worst_of(theirs);
    if (!mine->has_error || size > worst_of(mine) ||
        (!(size < worst_of(mine)) && theirs->worst < mine->worst))
        mine->worst = theirs->worst;
    mine->least = mine->has_error ? fmin(mine->least, theirs->least) : theirs->least;
    mine->largest = mine->has_error ? fmax(mine->largest, theirs->largest) : theirs->largest;
    mine->has_error = true;
}

void envelope_merge(struct envelope *envelope, const struct envelope *other) {
    for (size_t i = 0; envelope->steps && i < envelope->step_count; i++)
        envelope_step_merge(&envelope->steps[i], &other->steps[i]);
}
