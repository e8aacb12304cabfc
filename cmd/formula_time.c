/* A look at inputs that lie evenly in the domain. */
#include "formula_time.h"

#include "base/clock.h"
#include "messages.h"
#include "oracle/fast/filter.h"
#include "report/text.h"

/* Not one after the other: a look that takes too long is to have seen all parts of the domain. */
enum { LOOKS = 4096, STRIDE = 1597 };

/* Longer than a look may take, in seconds; shorter runs are not worth a word. */
#define LONGEST_LOOK   1.0
#define SHORTEST_NOTED 60.0

/* Whether the filter will leave the input to the exact oracle, as far as the block tells. */
static bool is_left(struct filter *filter, const struct format *format, const uint64_t *codes,
                    int operands) {
    const struct block *block = filter ? filter_block(filter, codes, codes[operands - 1]) : NULL;
    struct real low, high;
    if (!block || block->kind != BLOCK_FIT)
        return !block || block->kind == BLOCK_EXACT;
    return !block_enclosure(block, format, codes[operands - 1], &low, &high) ||
           format_ulp_exponent(format, &low) != format_ulp_exponent(format, &high) ||
           format_encode(format, &low, ROUND_NEAREST_EVEN, OVERFLOW_IEEE) !=
               format_encode(format, &high, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

/* The share of inputs that are left, and the seconds that one of these takes. */
static double look(const struct sweep_request *request, double *seconds) {
    const struct binding_request *computed = &request->computed;
    const struct domain *domain = request->domain;
    bool in_runs = domain->kind == DOMAIN_ALL || domain->kind == DOMAIN_RANGE ||
                   domain->run_length > 1; /* else the filter does nothing */
    struct filter *filter =
        in_runs && !(request->shows & SHOW_ERRORS)
            ? filter_open(computed->operation, computed->format, 0, computed->rounding)
            : NULL;
    struct oracle oracle;
    int looks = 0, left = 0;
    double begin = clock_seconds();
    *seconds = 0;
    oracle_open(&oracle, computed->operation, computed->format, oracle_precision(computed->format));
    for (; looks < LOOKS && clock_seconds() - begin < LONGEST_LOOK; looks++) {
        uint64_t codes[MAX_OPERANDS];
        struct real y;
        struct error unused;
        domain_codes_at(domain,
                        (uint64_t)((double)domain->count / LOOKS * (looks * STRIDE % LOOKS + 0.5)),
                        codes);
        if (!is_left(filter, computed->format, codes, domain->operands))
            continue;
        double before = clock_seconds();
        oracle_exact(&oracle, codes, 0, &y, &unused);
        *seconds += clock_seconds() - before;
        left++;
    }
    oracle_close(&oracle);
    filter_close(filter);
    *seconds /= left ? left : 1;
    return looks ? (double)left / looks : 0;
}

void formula_time_note(const struct sweep_request *request) {
    const struct operation *operation = request->computed.operation;
    bool slow = operation->made_of || request->shows & SHOW_ERRORS; /* by the exact oracle */
    if (!slow || operation->array || request->domain->count < LOOKS || request->domain->search)
        return;
    double each, share = look(request, &each);
    double total = share * (double)request->domain->count * each / request->threads;
    char duration[32];
    struct error line;
    if (total < SHORTEST_NOTED)
        return;
    error_set(&line,
              "the filter leaves %.3g %% of the inputs of %s to the exact oracle, which will take "
              "about %s; fewer inputs (--range, --samples) take less",
              100 * share, operation->name, text_duration(total, duration));
    remark("note", &line);
}
