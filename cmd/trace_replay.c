/* `detcheck trace replay`: recorded operations by other implementations. */
#include "trace_replay.h"

#include "messages.h"
#include "selection.h"
#include "signals.h"

#include "base/foreign.h"
#include "report/text.h"
#include "trace/replay.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct replaying {
    struct trace traces[2];
    struct selection selection;
    uint64_t computed, differ; /* operations by an implementation; of these with other outputs */
};

/* ---- One trace ---- */

static void print_place(const struct trace *trace, size_t number) {
    const struct trace_operation *operation = &trace->operations[number];
    printf("operation %zu of %zu, %s%s%s\n", number, trace->count, FOREIGN(operation->path),
           *operation->path ? ", " : "", FOREIGN(operation->name));
}

static bool replay_by(struct replaying *plan, size_t number,
                      const struct implementation *implementation, struct error *error) {
    const struct trace *trace = &plan->traces[0];
    struct trace_replayed replayed;
    char differ[32], outputs[32];
    if (!trace_replay(trace, &trace->operations[number], implementation, &replayed, error))
        return false;
    printf("  %s  ", FOREIGN(implementation->name));
    if (!replayed.operation) {
        printf("not computed: %s\n", FOREIGN(replayed.why.text));
        return true;
    }
    plan->computed++;
    plan->differ += replayed.differ > 0;
    text_grouped(replayed.outputs, outputs);
    if (replayed.is_held)
        printf("%s: %s of %s outputs are not those recorded\n", replayed.operation,
               text_grouped(replayed.differ, differ), outputs);
    else
        printf("%s: %s outputs; the trace kept none to compare them with\n", replayed.operation,
               outputs);
    return true;
}

static bool replay_number(struct replaying *plan, size_t number, struct error *error) {
    print_place(&plan->traces[0], number);
    for (size_t i = 0; i < plan->selection.implementation_count; i++) {
        if (interrupted)
            return error_set(error, "interrupted");
        if (!replay_by(plan, number, &plan->selection.implementations[i], error))
            return false;
    }
    return true;
}

/* The operations of a word: a number, a path or a name. */
static bool replay_word(struct replaying *plan, const char *word, struct error *error) {
    const struct trace *trace = &plan->traces[0];
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(word, &end, 10);
    bool found = false, good = true;
    if (isdigit((unsigned char)*word) && !*end) {
        if (errno || number >= trace->count)
            return error_set(error, "%.200s has no operation %.40s; it has %zu, from 0",
                             trace->path, word, trace->count);
        return replay_number(plan, (size_t)number, error);
    }
    for (size_t i = 0; good && i < trace->count; i++)
        if (strcmp(trace->operations[i].path, word) == 0 ||
            strcmp(trace->operations[i].name, word) == 0) {
            found = true;
            good = replay_number(plan, i, error);
        }
    return good && (found || error_set(error, "%.200s has no operation of the name or path '%.80s'",
                                       trace->path, word));
}

/* ---- Two traces ---- */

/* What is said of pairs of each kind, behind their number. */
static const char *const share_words[TRACE_SHARES] = {
    [TRACE_SHARE_REPLAYED] = "pairs of operations computed from both sides' recorded inputs",
    [TRACE_SHARE_EXACT] = "that only move elements, or are exact",
    [TRACE_SHARE_SEEN] = "not computed, with equal inputs and equal outputs",
    [TRACE_SHARE_OUTSIDE] = "with different inputs from outside",
    [TRACE_SHARE_ORIGIN] = "with inputs that may differ between the sides",
    [TRACE_SHARE_ATTRIBUTES] = "that are not the same operation on both sides",
    [TRACE_SHARE_ALONE] = "without a partner, or with several",
    [TRACE_SHARE_BROKEN] = "that returned other bits when repeated",
    [TRACE_SHARE_RANDOM] = "not computed, since they drew random numbers",
    [TRACE_SHARE_PARTED] = "not computed, and parted by themselves",
    [TRACE_SHARE_OPEN] = "not computed, and not known to return equal outputs for equal inputs",
};

/* "operation 12, layers.0.mlp, aten.mm.default: why". */
static void print_first(const struct trace_shares *shares, enum trace_share share) {
    const struct trace_row *first = shares->first[share];
    printf("operation %" PRIu64 "%s, %s%s%s", first->here_count ? first->here : first->there,
           first->here_count ? "" : " there", FOREIGN(first->path), *first->path ? ", " : "",
           FOREIGN(first->name));
    if (*shares->why[share].text)
        printf(": %s", FOREIGN(shares->why[share].text));
    putchar('\n');
}

static void print_share(const struct trace_shares *shares, enum trace_share share) {
    char count[32];
    if (!shares->counts[share] && share != TRACE_SHARE_REPLAYED)
        return;
    printf("  %s %s", text_grouped(shares->counts[share], count), share_words[share]);
    if (share == TRACE_SHARE_REPLAYED)
        printf(", with equal outputs for equal inputs; %s of them have equal inputs",
               text_grouped(shares->repeated, count));
    if (share < TRACE_SHARE_SEEN || share == shares->obstacle) {
        putchar('\n');
        return;
    }
    printf("; the first: ");
    print_first(shares, share);
}

/* Whether both agree to the end, as far as what was recorded tells. */
static bool print_shares(const struct trace_shares *shares, const struct replaying *plan,
                         const struct trace_comparison *comparison, const char *name) {
    const bool complete = plan->traces[0].complete && plan->traces[1].complete;
    const bool agree = complete && shares->obstacle == TRACE_SHARES;
    char count[32];
    if (agree)
        printf("With %s both sides agree to the end, as far as these traces tell.\n",
               FOREIGN(name));
    else
        printf("With %s it is not known whether both sides agree to the end.\n", FOREIGN(name));
    if (shares->obstacle != TRACE_SHARES) {
        printf("The first obstacle: ");
        print_first(shares, shares->obstacle);
    }
    if (!complete)
        printf("A trace is incomplete: its run went on after the last recorded operation.\n");
    for (int share = 0; share < TRACE_SHARES; share++)
        print_share(shares, (enum trace_share)share);
    printf("  %s of their inputs come from no recorded operation, and have the same bits on both "
           "sides\n",
           text_grouped(shares->outside, count));
    if (comparison->here.left_out || comparison->there.left_out)
        printf("  %s left out of the traces; trace show lists them\n",
               text_grouped(comparison->here.left_out + comparison->there.left_out, count));
    return agree;
}

static bool replay_all(struct replaying *plan, bool *agree, struct error *error) {
    const struct trace_means means = {.stop = &interrupted};
    struct trace_comparison comparison;
    struct trace_shares shares;
    bool good = trace_compare(&plan->traces[0], &plan->traces[1], &means, &comparison, error);
    if (good && !comparison.row_count)
        good = error_set(error, "neither trace has an operation");
    for (size_t i = 0; good && i < plan->selection.implementation_count; i++) {
        const struct implementation *implementation = &plan->selection.implementations[i];
        good = trace_replay_all(&plan->traces[0], &plan->traces[1], &comparison, implementation,
                                &interrupted, &shares, error);
        if (!good)
            break;
        *agree = print_shares(&shares, plan, &comparison, implementation->name) && *agree;
    }
    trace_comparison_free(&comparison);
    return good;
}

/* ---- Both ---- */

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool replay(struct replaying *plan, const struct arguments *arguments, bool *agree,
                   struct error *error) {
    const char *const *words = arguments->positional;
    const size_t count = arguments->positional_count;
    const bool both = count == 3 && is_folder(words[2]);
    if (count < 3)
        return error_set(error,
                         "trace replay needs a trace and operations, or two traces: detcheck "
                         "trace replay here.trace aten.mm.default --impl det");
    if (!select_options(&plan->selection, arguments, "det", error))
        return false;
    for (int i = 0; i < (both ? 2 : 1); i++)
        if (!trace_open(&plan->traces[i], words[i + 1], error))
            return false;
    signals_leave_to_command(true);
    bool good = !both || replay_all(plan, agree, error);
    for (size_t i = 2; good && !both && i < count; i++)
        good = replay_word(plan, words[i], error);
    *agree = *agree && !plan->differ;
    return good && (both || plan->computed || error_set(error, "nothing was computed again"));
}

int trace_run_replay(const struct arguments *arguments) {
    static struct replaying plan;
    struct error error;
    bool agree = true;
    const bool good = replay(&plan, arguments, &agree, &error);
    for (int i = 0; i < 2; i++)
        trace_close(&plan.traces[i]);
    return !good ? trouble(&error) : agree ? EXIT_OK : EXIT_JUDGED_BAD;
}
