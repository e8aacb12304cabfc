/* The first look, and all inputs. */
#include "explain/inquiry.h"

#include "sweep/generator.h"

#include <stdlib.h>

/* A first look is worth it where there are more inputs than so many. */
enum { LOOK_BLOCKS = 256, LOOK_BLOCK = 1 << 12, LOOK_FROM = 1 << 22 };

static struct input_block look_block(const struct pass *pass, uint64_t at) {
    uint64_t share = pass->request->domain->count / LOOK_BLOCKS;
    uint64_t within = generator_below(pass->request->seed, at, 0, share - LOOK_BLOCK + 1);
    return (struct input_block){at * share + within, LOOK_BLOCK};
}

static struct input_block whole_block(const struct pass *pass, uint64_t at) {
    uint64_t first = at * FINGERPRINT_BLOCK, left = pass->request->domain->count - first;
    return (struct input_block){first, left < FINGERPRINT_BLOCK ? (size_t)left : FINGERPRINT_BLOCK};
}

void inquiry_passes(const struct explain_request *request, struct pass *look, struct pass *whole) {
    const uint64_t count = request->domain->count;
    *look = (struct pass){.doing = "a first look",
                          .keeps = true,
                          .block = look_block,
                          .block_count = count > LOOK_FROM ? LOOK_BLOCKS : 0,
                          .request = request};
    *whole =
        (struct pass){.doing = "all inputs",
                      .keeps = true,
                      .block = whole_block,
                      .block_count = count / FINGERPRINT_BLOCK + (count % FINGERPRINT_BLOCK != 0),
                      .request = request};
}

/* Those that a first look does not show to be wrong: four times as wrong as what is credible. */
static hypothesis_set that_may_be(const struct counts *look, hypothesis_set asked) {
    hypothesis_set set = 0;
    for (int bit = 0; bit < HYPOTHESIS_BITS; bit++) {
        hypothesis_set one = (hypothesis_set)1 << bit;
        if ((asked & one) &&
            (look->wrong[bit] < 64 || look->wrong[bit] <= counts_explained(look, one)))
            set |= one;
    }
    return set;
}

/* Those that cost time at every input, and of which a first look found nothing: what they say of inputs
 * that do not differ is of interest only if they are right where some do. */
static hypothesis_set that_can_wait(const struct explain_request *request,
                                    const struct counts *look, hypothesis_set alive) {
    hypothesis_set set = 0;
    for (int bit = 0; bit < HYPOTHESIS_BITS; bit++) {
        hypothesis_set one = (hypothesis_set)1 << bit;
        if (!(alive & one) || counts_explained(look, one))
            continue;
        struct hypothesis row = hypothesis_of(request, (size_t)bit / 2);
        if (row.source == FROM_TRUTH || row.source == FROM_CONVERSION ||
            row.input == CHANGE_TO_NARROW || row.result == CHANGE_TO_NARROW)
            set |= one;
    }
    return set;
}

/* Those that are right where inputs differ. */
static hypothesis_set that_stand(const struct counts *counts, hypothesis_set asked) {
    hypothesis_set set = 0;
    for (int bit = 0; bit < HYPOTHESIS_BITS; bit++) {
        hypothesis_set one = (hypothesis_set)1 << bit;
        if ((asked & one) && explain_is_credible(counts_explained(counts, one), counts->wrong[bit]))
            set |= one;
    }
    return set;
}

/* The fingerprint of each side's outputs, made of the digests of the blocks. */
static void take_fingerprints(struct inquiry *inquiry, const struct pass *pass) {
    for (int side = 0; side < 2; side++) {
        struct fingerprint fingerprint;
        if (inquiry->all.unanswered || !fingerprint_begin(&fingerprint, pass->block_count))
            continue;
        for (uint64_t at = 0; at < pass->block_count; at++)
            fingerprint_add(&fingerprint, &pass->digests[side][at]);
        fingerprint_end(&fingerprint, inquiry->fingerprints[side]);
    }
}

/* Asks once more, with the hypotheses that `whole` has. A side that was asked again after an event and answered
 * otherwise may have done so once: what the pass before saw counts where this one sees less, though nothing is held
 * against it. */
static bool ask_again(struct inquiry *inquiry, struct pass *whole, struct error *error) {
    struct counts before = inquiry->all;
    const uint64_t differed = before.events[0].counts[EVENT_ANSWERS_DIFFER] +
                              before.events[1].counts[EVENT_ANSWERS_DIFFER];
    whole->doing = "all inputs again";
    if (!pass_run(whole, &inquiry->all, error)) {
        counts_free(&inquiry->all);
        inquiry->all = before;
        return false;
    }
    if (differed && inquiry->all.differ < before.differ) {
        counts_free(&inquiry->all);
        inquiry->all = before;
        inquiry->alive = 0;
    } else {
        counts_free(&before);
    }
    return true;
}

/* Where there are more inputs than a first look takes: one pass, and another one where a hypothesis that could wait
 * is right where inputs differ. */
static bool ask_many(struct inquiry *inquiry, const struct pass *look, struct pass *whole,
                     struct error *error) {
    if (!pass_run(look, &inquiry->look, error))
        return false;
    whole->alive = inquiry->alive = that_may_be(&inquiry->look, inquiry->asked);
    whole->where_different = inquiry->where_different =
        that_can_wait(inquiry->request, &inquiry->look, inquiry->alive);
    if (!pass_run(whole, &inquiry->all, error))
        return false;
    hypothesis_set stand = that_stand(&inquiry->all, inquiry->where_different);
    if (!stand)
        return true;
    whole->where_different = inquiry->where_different &= ~stand;
    return ask_again(inquiry, whole, error);
}

/* Where there is no difference, nobody is asked why. */
static bool ask_few(struct inquiry *inquiry, struct pass *whole, struct error *error) {
    if (!pass_run(whole, &inquiry->all, error))
        return false;
    if (!inquiry->all.differ)
        return true;
    whole->alive = inquiry->alive = inquiry->asked;
    return ask_again(inquiry, whole, error);
}

bool inquiry_ask(struct inquiry *inquiry, struct error *error) {
    const struct explain_request *request = inquiry->request;
    struct pass look, whole;
    bool good = true;
    inquiry_passes(request, &look, &whole);
    look.alive = inquiry->asked;
    for (int side = 0; good && side < 2; side++) {
        whole.digests[side] = calloc(whole.block_count + 1, sizeof **whole.digests);
        good = whole.digests[side] != NULL || error_set(error, "out of memory");
    }
    good = good && (look.block_count ? ask_many(inquiry, &look, &whole, error)
                                     : ask_few(inquiry, &whole, error));
    if (good)
        take_fingerprints(inquiry, &whole);
    for (int side = 0; side < 2; side++)
        free(whole.digests[side]);
    return good;
}
