/* Blocks of outputs, digested. */
#include "explain/print.h"

#include "explain/side.h"
#include "impl/file.h"
#include "sweep/nans.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

struct print {
    const struct explain_request *request;
    int side;
    const struct domain *domain;
    enum side_question question;
    bool elsewhere; /* the outputs are a file's, of other inputs */
    bool failed, unanswered;
    struct block_digest *digests;
    uint64_t count, done;
    struct side_events events;
};

static bool digest_block(struct print *print, struct side *side, void *const *inputs, uint64_t at,
                         struct error *error) {
    const uint64_t first = at * FINGERPRINT_BLOCK, left = print->domain->count - first;
    const size_t count = left < FINGERPRINT_BLOCK ? (size_t)left : FINGERPRINT_BLOCK;
    const struct format *out = request_result_format(&print->request->computed);
    void *outputs = side->results[print->request->result];
    domain_fill(print->domain, first, count, inputs);
    if (!(print->elsewhere ? side_ask_elsewhere(side, inputs, count, error)
                           : side_ask(side, inputs, first, count, error)))
        return false;
    if (print->request->stop && *print->request->stop) /* what is there may not be answers */
        return error_set(error, "interrupted; nothing is explained");
    if (memchr(side->unanswered, 1, count)) {
#pragma omp atomic write
        print->unanswered = true;
        return true;
    }
    make_nans_canonical(out, outputs, count);
    print->digests[at] = fingerprint_block(out, outputs, count);
    return true;
}

/* One thread. */
static bool run_share(struct print *print, struct error *error) {
    const struct explain_request *request = print->request;
    const struct binding_request *computed = &request->computed;
    void *inputs[MAX_OPERANDS] = {0};
    struct side_events events = {.any = false};
    struct side side;
    bool good = side_open(&side, request->sides[print->side], computed, request->result,
                          request->domain, FINGERPRINT_BLOCK, error);
    side.events = &events;
    side.losses = request->losses[print->side];
    side.question = print->question;
    for (int i = 0; good && i < computed->operation->operands; i++) {
        inputs[i] = malloc(FINGERPRINT_BLOCK * format_bytes(computed->format));
        good = inputs[i] != NULL || error_set(error, "out of memory");
    }
#pragma omp for schedule(dynamic, 1)
    for (uint64_t at = 0; at < print->count; at++) {
        bool stop;
#pragma omp atomic read
        stop = print->failed;
        if (good && !stop)
            good = digest_block(print, &side, inputs, at, error);
        if (!good) {
#pragma omp atomic write
            print->failed = true;
        }
        uint64_t done;
#pragma omp atomic capture
        done = ++print->done;
        if (omp_get_thread_num() == 0)
            stage_tell(request->stage, "whose bits", done, print->count);
    }
    for (int i = 0; i < MAX_OPERANDS; i++)
        free(inputs[i]);
    side_close(&side);
#pragma omp critical(explain_print)
    side_events_merge(&print->events, &events);
    return good;
}

bool print_outputs(const struct explain_request *request, int side, const struct domain *domain,
                   char text[FINGERPRINT_TEXT], struct side_events *events, struct error *error) {
    struct print print = {.request = request,
                          .side = side,
                          .domain = domain,
                          .question = domain == request->domain ? QUESTION_DIFFERENCES
                                                                : QUESTION_LIBRARIES};
    struct fingerprint fingerprint;
    *text = '\0';
    print.elsewhere =
        domain != request->domain && request->sides[side]->kind == &implementation_file;
    print.count = domain->count / FINGERPRINT_BLOCK + (domain->count % FINGERPRINT_BLOCK != 0);
    print.digests = calloc(print.count + 1, sizeof *print.digests);
    if (!print.digests || !fingerprint_begin(&fingerprint, print.count)) {
        free(print.digests);
        return error_set(error, "out of memory");
    }
#pragma omp parallel num_threads(request->threads)
    {
        struct error why = {{0}};
        if (!run_share(&print, &why)) {
#pragma omp critical(explain_print)
            if (*why.text)
                *error = why;
        }
    }
    for (uint64_t at = 0; at < print.count; at++)
        fingerprint_add(&fingerprint, &print.digests[at]);
    fingerprint_end(&fingerprint, text);
    free(print.digests);
    if (events)
        *events = print.events;
    if (print.failed || print.unanswered)
        *text = '\0';
    return !print.failed;
}

/* All inputs of a format of so many bits take a moment. */
enum { FEW_BITS = 16 };

void print_libraries(const struct explain_request *request, int side, const char *operation,
                     char prints[LIBRARY_INPUTS][FINGERPRINT_TEXT]) {
    const struct binding_request *computed = &request->computed;
    static const enum library_inputs order[] = {LIBRARY_SPECIAL, LIBRARY_ALL, LIBRARY_SAMPLES};
    const unsigned bits = request_input_bits(computed);
    for (int i = 0; i < LIBRARY_INPUTS && !libraries_exclude(operation, computed->format, prints);
         i++) {
        struct domain domain = {0};
        struct error unused;
        const enum library_inputs inputs = order[i];
        bool few = inputs == LIBRARY_SPECIAL || (inputs == LIBRARY_ALL) == (bits <= FEW_BITS);
        if (few && !*prints[inputs] &&
            library_domain(&domain, inputs, computed->operation, computed->format, &unused))
            print_outputs(request, side, &domain, prints[inputs], NULL, &unused);
        domain_free(&domain);
    }
}
