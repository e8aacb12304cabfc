/* A look at inputs that lie evenly in the domain. */
#include "formula_time.h"

#include "base/clock.h"
#include "messages.h"
#include "oracle/fast/filter.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

/* Not one after the other: a look that takes too long is to have seen all parts of the domain. */
enum { LOOKS = 4096, STRIDE = 1597 };

/* Longer than a look may take, in seconds of this thread, which other work on the machine does not lengthen; shorter runs are not worth a word. */
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

/* What a look finds: the share of inputs that are left, the seconds that one of these takes, and those that the filter needs
 * for a block. */
struct found {
    double share, each, block;
    int log2_count; /* of the inputs of a block */
};

static struct found look(const struct sweep_request *request) {
    struct found found = {0};
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
    double begin = clock_thread_seconds(), exact = 0;
    oracle_open(&oracle, computed->operation, computed->format, oracle_precision(computed->format));
    for (; looks < LOOKS && clock_thread_seconds() - begin < LONGEST_LOOK; looks++) {
        uint64_t codes[MAX_OPERANDS];
        struct real y;
        struct error unused;
        domain_codes_at(domain,
                        (uint64_t)((double)domain->count / LOOKS * (looks * STRIDE % LOOKS + 0.5)),
                        codes);
        if (filter)
            found.log2_count = filter_block(filter, codes, codes[domain->operands - 1])->log2_count;
        if (!is_left(filter, computed->format, codes, domain->operands))
            continue;
        double before = clock_thread_seconds();
        oracle_exact(&oracle, codes, 0, &y, &unused);
        exact += clock_thread_seconds() - before;
        left++;
    }
    found.block = looks && filter ? (clock_thread_seconds() - begin - exact) / looks : 0;
    found.each = left ? exact / left : 0;
    found.share = looks ? (double)left / looks : 0;
    oracle_close(&oracle);
    filter_close(filter);
    return found;
}

/* How many blocks the filter needs. */
static double blocks_of(const struct domain *domain, int log2_count) {
    double run =
        domain->kind == DOMAIN_SAMPLES ? (double)domain->run_length : (double)domain->count;
    double runs = ceil((double)domain->count / run), in_run = ceil(ldexp(run, -log2_count));
    return runs * in_run;
}

void formula_time_note(const struct sweep_request *request) {
    const struct operation *operation = request->computed.operation;
    bool slow = operation->made_of || request->shows & SHOW_ERRORS; /* by the exact oracle */
    if (!slow || operation->array || request->domain->count < LOOKS || request->domain->search)
        return;
    const struct found found = look(request);
    double exact = found.share * (double)request->domain->count * found.each / request->threads;
    double total =
        exact + blocks_of(request->domain, found.log2_count) * found.block / request->threads;
    char duration[32];
    struct error line;
    if (total < SHORTEST_NOTED)
        return;
    text_duration(total, duration);
    if (exact > total / 2)
        error_set(&line,
                  "the filter leaves %.3g %% of the inputs of %s to the exact oracle, which will "
                  "take about %s; fewer inputs (--range, --samples) take less",
                  100 * found.share, operation->name, duration);
    else
        error_set(&line,
                  "what is right of %.100s%s will take about %s to find out, mostly by the filter; "
                  "fewer inputs (--range, --samples) take less",
                  operation->name, strlen(operation->name) > 100 ? "..." : "", duration);
    remark("note", &line);
}
