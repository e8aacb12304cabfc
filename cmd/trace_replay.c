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
        printf("%s: %s outputs, beside which none were kept\n", replayed.operation, outputs);
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

static void print_share(const struct trace_shares *shares, enum trace_share share,
                        const char *says) {
    const struct trace_row *first = shares->first[share];
    char count[32];
    if (!shares->counts[share])
        return;
    printf("  %s %s", text_grouped(shares->counts[share], count), says);
    if (share >= TRACE_SHARE_SEEN)
        printf("; the first: operation %" PRIu64 ", %s%s%s: %s", first->here, FOREIGN(first->path),
               *first->path ? ", " : "", FOREIGN(first->name), FOREIGN(shares->why[share].text));
    putchar('\n');
}

/* Whether both agree to the end, as far as what was recorded tells. */
static bool print_shares(const struct trace_shares *shares, const char *name) {
    const bool agree = !shares->counts[TRACE_SHARE_OPEN] && !shares->counts[TRACE_SHARE_PARTED] &&
                       !shares->counts[TRACE_SHARE_OTHER] && !shares->broken;
    if (agree)
        printf("With %s both sides agree to the end, as far as these traces tell.\n",
               FOREIGN(name));
    else if (shares->counts[TRACE_SHARE_OTHER])
        printf("With %s both sides part still: they ask for other things.\n", FOREIGN(name));
    else if (shares->counts[TRACE_SHARE_PARTED])
        printf("With %s both sides part still: it has not all operations that part.\n",
               FOREIGN(name));
    else if (shares->broken)
        printf("%s does not repeat itself.\n", FOREIGN(name));
    else
        printf("With %s it is not known whether both sides agree to the end.\n", FOREIGN(name));
    print_share(
        shares, TRACE_SHARE_REPLAYED,
        "pairs of operations computed from both sides' recorded inputs, equal where these are");
    print_share(shares, TRACE_SHARE_EXACT, "that compute nothing, or exactly");
    print_share(shares, TRACE_SHARE_SEEN,
                "not computed, that had equal inputs and gave equal outputs");
    print_share(shares, TRACE_SHARE_OPEN,
                "not computed, that never had equal inputs on both sides");
    print_share(shares, TRACE_SHARE_PARTED, "not computed, that part by themselves");
    print_share(shares, TRACE_SHARE_OTHER,
                "computed, of which the sides ask for other things, by operation or attributes");
    return agree;
}

static bool replay_all(struct replaying *plan, bool *agree, struct error *error) {
    const struct trace_means means = {.stop = &interrupted};
    struct trace_comparison comparison;
    struct trace_shares shares;
    bool good = trace_compare(&plan->traces[0], &plan->traces[1], &means, &comparison, error);
    for (size_t i = 0; good && i < plan->selection.implementation_count; i++) {
        const struct implementation *implementation = &plan->selection.implementations[i];
        good = trace_replay_all(&plan->traces[0], &plan->traces[1], &comparison, implementation,
                                &interrupted, &shares, error);
        if (!good)
            break;
        *agree = print_shares(&shares, implementation->name) && *agree;
        plan->computed += shares.counts[TRACE_SHARE_REPLAYED] + shares.counts[TRACE_SHARE_OTHER];
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
                         "trace replay wants a trace and operations, or two traces: detcheck "
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
    return good && (plan->computed || error_set(error, "nothing was computed again"));
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
