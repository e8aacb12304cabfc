/* Exception flags and errno of inputs that are judged one by one, where the user asks for them. */
#include "sweep/search/look.h"

#include "sweep/judge/expect.h"
#include "sweep/judge/judged.h"

bool look_wants_flags(const struct look *look) {
    const struct prober *prober = look->prober;
    return prober->worker.flags && search_is_of_errors(prober->request->purpose) &&
           (look->probe->is_built || look->probe->listed);
}

void look_ask_for_flags(const struct look *look, size_t implementation, struct slice *slice) {
    worker_ask_for_flags(&look->prober->worker, implementation, slice);
    slice->flags_of_each = true;
    slice->inexact_is_open = false;
    worker_forget_exact(&look->prober->worker, look->count);
}

/* The first input with each fault. */
static void note(struct look *look, size_t at, enum effect_fault fault, uint8_t effects) {
    struct probe_result *result = look->result;
    for (int effect = 0; effect < EFFECTS; effect++) {
        const unsigned kind = (unsigned)fault * EFFECTS + (unsigned)effect;
        if (!(effects >> effect & 1) || result->faults >> kind & 1)
            continue;
        struct found_fault *found = &result->faulty[result->faulty_count++];
        result->faults |= UINT32_C(1) << kind;
        found->kind = kind;
        worker_load_inputs(&look->prober->worker, at, found->input);
    }
}

bool look_take_flags(struct look *look, struct error *error) {
    struct worker *worker = &look->prober->worker;
    const size_t which = look->prober->implementations[0];
    const struct binding *binding = &worker->bindings[which];
    const struct judged judged = {.worker = worker,
                                  .implementation = which,
                                  .binding = binding,
                                  .count = look->count,
                                  .mask = judged_mask(binding),
                                  .no_promise = binding->promises_no_flags};
    if (!judged.mask)
        return true;
    const struct reported_flags *reported = &worker->flags->reported[which];
    for (size_t at = 0; at < look->count; at++) {
        if (!look_is_answered(look, at))
            continue;
        if (!expect_exactly(worker, at, error))
            return false;
        const struct effect_rule rule = judged_rule(&judged, at);
        const uint8_t seen = judged_seen(&judged, reported, at);
        note(look, at, EFFECT_MISSING, (uint8_t)(rule.required & ~seen));
        note(look, at, EFFECT_SPURIOUS, (uint8_t)(seen & ~rule.permitted));
        note(look, at, EFFECT_CLEARED, reported->cleared[at]);
    }
    return true;
}
