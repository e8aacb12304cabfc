/* The two answers, by the exact oracle. */
#include "sweep/judge/again.h"

#include "impl/earlier.h"
#include "sweep/judge/output.h"
#include "sweep/judge/slice.h"

/* What a conversion converts is its exact result. */
static bool find_exact(struct worker *worker, int result, size_t at, const uint64_t *input,
                       struct real *y, struct error *error) {
    const struct binding_request *computed = &worker->request->computed;
    if (computed->operation->converts) {
        *y = format_decode(computed->format, input[0]);
        return true;
    }
    return worker_find_exact(worker, result, at, input, y, error);
}

static bool choose(struct worker *worker, const struct slice *slice, size_t at, int result,
                   struct error *error) {
    size_t bytes = format_bytes(worker->judge.format);
    uint64_t input[MAX_OPERANDS] = {0};
    uint64_t was = code_load(slice->earlier->results[result], bytes, at);
    uint64_t is = code_load(slice->results[result], bytes, at);
    struct real y;
    worker_load_inputs(worker, at, input);
    if (was == is)
        return true;
    if (!find_exact(worker, result, at, input, &y, error))
        return false;
    uint64_t want = worker_want(worker, &y, input, slice->first + at);
    struct judgement first = judge_output(&worker->judge, &y, want, was);
    struct judgement second = judge_output(&worker->judge, &y, want, is);
    if (judgement_is_worse(&first, &second))
        code_store(slice->results[result], bytes, at, was);
    return true;
}

bool worker_choose_worse(struct worker *worker, const struct slice *slice, struct error *error) {
    bool good = true;
    for (size_t at = earlier_next(slice->earlier, slice, 0); good && at < slice->count;
         at = earlier_next(slice->earlier, slice, at + 1))
        for (int k = 0; good && k < worker->request->computed.operation->results; k++)
            good = choose(worker, slice, at, k, error);
    earlier_forget(slice->earlier, slice->count);
    return good;
}
