/* Calls under conditions (detcheck-exec(7)), for adapters that define ADAPTER_CONDITIONS before they
 * include adapter.h: on arrays of a length, at an address, between other numbers, in place, by
 * several threads at once, and with a rounding, flushing, flags or traps that the caller has set. Those
 * that compute on a device define ADAPTER_ELSEWHERE: they are called by one thread, without traps. */
#ifndef ADAPTER_CONDITIONS_H
#define ADAPTER_CONDITIONS_H

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#if defined(__GNUC__) && defined(__x86_64__)
#define ADAPTER_X87
#include <x86intrin.h>
#elif defined(__SSE__)
#include <xmmintrin.h>
#endif

enum { ADAPTER_CONDITIONS_SIZE = 40, ADAPTER_BESIDE = 64, ADAPTER_THREADS = 64 };

struct adapter_conditions {
    unsigned length, offset, result_offset, stride, threads, rounding, bits;
    uint64_t around;
};
enum {
    ADAPTER_IN_PLACE = 1,
    ADAPTER_FLUSH_RESULTS = 2,
    ADAPTER_FLUSH_OPERANDS = 4,
    ADAPTER_FLAGS_SET = 8,
    ADAPTER_TRAPS = 16,
    ADAPTER_HAS_AROUND = 64,
    ADAPTER_X87_24_BITS = 128,
    ADAPTER_X87_53_BITS = 256,
    ADAPTER_LEFT = 512
};

/* What there is to tell of them in the reply. */
static const char adapter_conditions_known[] = "\nconditions=length offset in-place around left"
#if defined(__GNUC__) && !defined(ADAPTER_ELSEWHERE)
                                               " threads"
#endif
#if FE_ALL_EXCEPT
                                               " flags"
#endif
#if defined(FE_UPWARD) && defined(FE_DOWNWARD) && defined(FE_TOWARDZERO)
                                               " rounding"
#endif
#if defined(__SSE__) && !defined(ADAPTER_ELSEWHERE)
                                               " traps"
#endif
#if defined(ADAPTER_X87) && !defined(ADAPTER_ELSEWHERE)
                                               " precision"
#endif
#if defined(__SSE__)
                                               " flushing"
#endif
                                               "\nwhy=it takes only contiguous arrays"
#if defined(ADAPTER_ELSEWHERE)
                                               ", computes in one thread, and has no traps"
#elif !defined(__SSE__)
                                               ", and sets flushing, traps and precision only on "
                                               "x86-64"
#endif
    ;

/* How many bytes beside each array belong to the conditions too: what adapter_compute has to copy
 * along where it computes in a memory of its own. */
static size_t adapter_beside;

/* What loading the functions has changed, in words; an adapter that knows sets it. */
static char adapter_disturbed[64];

/* Those words, or what a look at the processor tells: "rounding", "flushing". */
static const char *adapter_find_disturbed(const struct adapter_request *request) {
    int rounding = 0, flushing = 0;
    if (adapter_disturbed[0])
        return adapter_disturbed;
    if (strcmp(request->rounding, "nearest-even") == 0)
        rounding = fegetround() != FE_TONEAREST;
#if defined(__SSE__)
    flushing = (_mm_getcsr() & 0x8040u) != 0;
#endif
    return rounding ? flushing ? "rounding flushing" : "rounding" : flushing ? "flushing" : "";
}

static void adapter_take_conditions(struct adapter_conditions *conditions) {
    unsigned char bytes[ADAPTER_CONDITIONS_SIZE];
    adapter_take(bytes, sizeof bytes);
    conditions->length = (unsigned)adapter_get(bytes, 4);
    conditions->offset = (unsigned)adapter_get(bytes + 4, 4);
    conditions->result_offset = (unsigned)adapter_get(bytes + 8, 4);
    conditions->stride = (unsigned)adapter_get(bytes + 12, 4);
    conditions->threads = (unsigned)adapter_get(bytes + 16, 4);
    conditions->rounding = (unsigned)adapter_get(bytes + 20, 4);
    conditions->bits = (unsigned)adapter_get(bytes + 24, 4);
    conditions->around = adapter_get(bytes + 32, 8);
    if (conditions->stride != 1 || conditions->threads > ADAPTER_THREADS)
        exit(1); /* it was told what can be asked for */
}

/* One thread's part: all inputs, and results of its own. */
struct adapter_job {
    const struct adapter_request *request;
    const struct adapter_conditions *conditions;
    size_t count;
    unsigned char *x[ADAPTER_OPERANDS], *z[ADAPTER_RESULTS];
    unsigned char *trapped, *left, *gaps; /* gaps: NULL where nobody looks */
    int *waiting;                         /* threads that are ready; NULL: there is one */
};

/* An array of so many bytes in a room that has ADAPTER_BESIDE of them more on either side, at an
 * offset from a multiple of 64. */
struct adapter_place {
    void *room;
    unsigned char *at;
};
static struct adapter_place adapter_place(size_t bytes, unsigned offset) {
    struct adapter_place place;
    place.room = adapter_room(bytes + 2 * ADAPTER_BESIDE + 64 + offset);
    place.at = (unsigned char *)place.room + ADAPTER_BESIDE;
    place.at += (64 - (uintptr_t)place.at % 64) % 64 + offset;
    return place;
}

/* The elements that stand beside an array. */
static void adapter_surround(const struct adapter_conditions *conditions, unsigned char *at,
                             unsigned bytes, size_t count) {
    unsigned char around[8], *end = at + bytes * count;
    unsigned i;
    adapter_put(around, conditions->around, sizeof around);
    adapter_order(around, bytes, 1);
    for (i = bytes; i <= ADAPTER_BESIDE; i += bytes) {
        memcpy(at - i, conditions->bits & ADAPTER_HAS_AROUND ? around : at, bytes);
        memcpy(end + i - bytes, conditions->bits & ADAPTER_HAS_AROUND ? around : end - bytes,
               bytes);
    }
}

/* What a call has to leave as it was. A difference is a sum of 1 for rounding, 2 flushing, 4 the
 * precision of x87, 8 traps, 16 registers of x87 (which MMX takes), 32 the direction of string
 * instructions. */
struct adapter_state {
    int rounding, in_use, downward;
    unsigned x87, sse;
};

/* String instructions go upward from here on. */
static struct adapter_state adapter_state_now(void) {
    struct adapter_state state = {0, 0, 0, 0, 0};
#if defined(ADAPTER_X87)
    struct {
        uint16_t control, word_1, status, word_2, tags, words[9];
    } x87;
    state.downward = (__readeflags() & 0x400) != 0;
    if (state.downward)
        __asm__ volatile("cld" : : : "cc", "memory");
    __asm__ volatile("fnstenv %0\n\tfldenv %0"
                     : "=m"(x87)); /* which masks traps, and undoes that */
    state.x87 = x87.control;
    state.sse = _mm_getcsr();
    state.in_use = x87.tags != 0xffff;
#endif
    state.rounding = fegetround();
    return state;
}

static unsigned char adapter_state_changes(const struct adapter_state *was,
                                           const struct adapter_state *now) {
    unsigned x87 = was->x87 ^ now->x87, sse = was->sse ^ now->sse;
    int rounding = was->rounding != now->rounding || x87 & 0xc00 || sse & 0x6000;
    return (unsigned char)((rounding ? 1 : 0) | (sse & 0x8040 ? 2 : 0) | (x87 & 0x300 ? 4 : 0) |
                           (x87 & 0x3f || sse & 0x1f80 ? 8 : 0) |
                           (now->in_use && !was->in_use ? 16 : 0) | (now->downward ? 32 : 0));
}

/* What fesetenv does not set. */
static void adapter_state_restore(const struct adapter_state *state) {
    const struct adapter_state now = adapter_state_now();
#if defined(ADAPTER_X87)
    uint16_t control = (uint16_t)state->x87;
    if (adapter_state_changes(state, &now) & (4 | 16))
        __asm__ volatile("fninit\n\tfldcw %0" : : "m"(control));
#else
    (void)state;
    (void)now;
#endif
}

/* Sets what the conditions ask for; fesetenv and adapter_state_restore undo all of it. */
static void adapter_set(const struct adapter_conditions *conditions) {
#if defined(FE_UPWARD) && defined(FE_DOWNWARD) && defined(FE_TOWARDZERO)
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    if (conditions->rounding)
        fesetround(modes[conditions->rounding % 4]);
#endif
#if FE_ALL_EXCEPT
    if (conditions->bits & ADAPTER_FLAGS_SET)
        feraiseexcept(FE_ALL_EXCEPT);
#endif
#if defined(__SSE__)
    _mm_setcsr(_mm_getcsr() | (conditions->bits & ADAPTER_FLUSH_RESULTS ? 0x8000u : 0) |
               (conditions->bits & ADAPTER_FLUSH_OPERANDS ? 0x40u : 0));
#endif
#if defined(ADAPTER_X87)
    if (conditions->bits & (ADAPTER_X87_24_BITS | ADAPTER_X87_53_BITS)) {
        uint16_t control;
        __asm__ volatile("fnstcw %0" : "=m"(control));
        control =
            (uint16_t)((control & ~0x300) | (conditions->bits & ADAPTER_X87_53_BITS ? 0x200 : 0));
        __asm__ volatile("fldcw %0" : : "m"(control));
    }
#endif
}

#if defined(__SSE__)
static sigjmp_buf adapter_trap;
static volatile sig_atomic_t adapter_trapped;

static void adapter_on_trap(int signal, siginfo_t *information, void *context) {
    (void)signal;
    (void)context;
    adapter_trapped = information->si_code == FPE_FLTDIV   ? 2
                      : information->si_code == FPE_FLTOVF ? 4
                                                           : 1;
    siglongjmp(adapter_trap, 1);
}

/* The call again, with traps. Returns the flag that ended it, or 0. */
static unsigned char adapter_compute_trapping(void (*compute)(size_t, void *const *, void *const *),
                                              size_t count, void *const *x, void *const *z) {
    struct sigaction action, before;
    fenv_t environment;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = adapter_on_trap;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGFPE, &action, &before);
    fegetenv(&environment);
    adapter_trapped = 0;
    if (sigsetjmp(adapter_trap, 1) == 0) {
        _mm_setcsr(_mm_getcsr() & ~0x6bfu); /* the flags, and the masks of three */
        compute(count, x, z);
    }
    fesetenv(&environment);
    sigaction(SIGFPE, &before, NULL);
    return (unsigned char)adapter_trapped;
}
#endif

/* One array: its operands are in `x`. Tells what it leaves behind, and returns what trapped it though
 * no flag tells of it. */
static unsigned char adapter_compute_array(const struct adapter_job *job, size_t count,
                                           void *const *x, void *const *z, void *const *kept,
                                           unsigned char *left, unsigned char *gaps) {
    const struct adapter_state before = adapter_state_now();
    struct adapter_state set, now;
    unsigned char told = 0;
    fenv_t environment;
    fegetenv(&environment);
    adapter_beside = ADAPTER_BESIDE;
    adapter_set(job->conditions);
    if (job->conditions->bits & ADAPTER_TRAPS)
        feclearexcept(FE_ALL_EXCEPT);
    set = adapter_state_now();
    adapter_compute_looking(job->request, count, x, z, gaps);
    now = adapter_state_now();
    *left = adapter_state_changes(&set, &now);
#if defined(__SSE__)
    if (job->conditions->bits & ADAPTER_TRAPS) {
        unsigned k;
        told = adapter_flags();
        adapter_state_restore(&set);
        for (k = 0; k < job->request->results; k++) /* what it does not write stays */
            memcpy(kept[k], z[k], job->request->result_bytes * count);
        told = (unsigned char)(adapter_compute_trapping(adapter_compute, count, x, kept) & ~told);
        for (k = 0; !adapter_trapped && k < job->request->results; k++)
            memcpy(z[k], kept[k], job->request->result_bytes * count);
    }
#endif
    adapter_state_restore(&before);
    fesetenv(&environment);
    adapter_beside = 0;
    (void)kept;
    return told;
}

/* All arrays of a job, one after the other. */
static void *adapter_run(void *context) {
    struct adapter_job *job = (struct adapter_job *)context;
    const struct adapter_request *request = job->request;
    const struct adapter_conditions *conditions = job->conditions;
    size_t length = conditions->length ? conditions->length : job->count, at, many, i;
    unsigned bytes = request->operand_bytes, wide = request->result_bytes, k;
    struct adapter_place x[ADAPTER_OPERANDS], z[ADAPTER_RESULTS], kept[ADAPTER_RESULTS];
    void *operands[ADAPTER_OPERANDS], *results[ADAPTER_RESULTS], *others[ADAPTER_RESULTS];
    for (k = 0; k < ADAPTER_OPERANDS; k++)
        operands[k] = (x[k] = adapter_place(bytes * length, conditions->offset)).at;
    for (k = 0; k < ADAPTER_RESULTS; k++) {
        results[k] = (z[k] = adapter_place(wide * length, conditions->result_offset)).at;
        others[k] = (kept[k] = adapter_place(wide * length, conditions->result_offset)).at;
    }
    if (conditions->bits & ADAPTER_IN_PLACE && bytes == wide)
        results[0] = operands[0];
#if defined(__GNUC__)
    if (job->waiting) { /* all begin at once */
        __atomic_add_fetch(job->waiting, 1, __ATOMIC_ACQ_REL);
        while (__atomic_load_n(job->waiting, __ATOMIC_ACQUIRE) < (int)conditions->threads)
            sched_yield();
    }
#endif
    for (at = 0; at < job->count; at += many) {
        many = job->count - at < length ? job->count - at : length;
        for (k = 0; k < request->operands; k++) {
            memcpy(operands[k], job->x[k] + bytes * at, bytes * many);
            adapter_surround(conditions, x[k].at, bytes, many);
        }
        unsigned char left;
        unsigned char told = adapter_compute_array(job, many, operands, results, others, &left,
                                                   job->gaps ? job->gaps + at : NULL);
        if (job->left) /* of the array, not of each input */
            job->left[at] |= left;
        for (i = 0; job->trapped && i < many; i++)
            job->trapped[at + i] = told;
        for (k = 0; k < request->results; k++)
            memcpy(job->z[k] + wide * at, results[k], wide * many);
    }
    for (k = 0; k < ADAPTER_OPERANDS; k++)
        free(x[k].room);
    for (k = 0; k < ADAPTER_RESULTS; k++) {
        free(z[k].room);
        free(kept[k].room);
    }
    return NULL;
}

/* Several threads compute all of it, and then one does once more. A result of theirs that differs
 * from that takes its place. */
static void adapter_run_threads(struct adapter_job *job) {
    struct adapter_job jobs[ADAPTER_THREADS];
    pthread_t threads[ADAPTER_THREADS];
    unsigned wide = job->request->result_bytes, k, t;
    int waiting = 0;
    for (t = 0; t < job->conditions->threads; t++) {
        jobs[t] = *job;
        jobs[t].waiting = &waiting;
        jobs[t].left = jobs[t].gaps = NULL; /* the one call that is made once more tells */
        for (k = 0; k < job->request->results; k++)
            jobs[t].z[k] = (unsigned char *)adapter_room(wide * job->count);
        if (pthread_create(&threads[t], NULL, adapter_run, &jobs[t]) != 0) {
            fprintf(stderr, "there is no room for %u threads\n", job->conditions->threads);
            exit(1);
        }
    }
    for (t = 0; t < job->conditions->threads; t++)
        pthread_join(threads[t], NULL);
    adapter_run(job);
    for (k = 0; k < job->request->results; k++)
        for (size_t i = 0; i < wide * job->count; i += wide)
            for (t = 0; t < job->conditions->threads; t++)
                if (memcmp(jobs[t].z[k] + i, job->z[k] + i, wide) != 0) {
                    memcpy(job->z[k] + i, jobs[t].z[k] + i, wide);
                    break;
                }
    for (t = 0; t < job->conditions->threads; t++)
        for (k = 0; k < job->request->results; k++)
            free(jobs[t].z[k]);
}

static void adapter_compute_conditioned(const struct adapter_request *request,
                                        const struct adapter_conditions *conditions, size_t count,
                                        void *const *x, void *const *z,
                                        unsigned char (*told)[ADAPTER_BLOCK], unsigned char *gaps) {
    struct adapter_job job;
    unsigned k;
    memset(&job, 0, sizeof job);
    job.request = request;
    job.conditions = conditions;
    job.count = count;
    for (k = 0; k < ADAPTER_OPERANDS; k++)
        job.x[k] = (unsigned char *)x[k];
    for (k = 0; k < ADAPTER_RESULTS; k++)
        job.z[k] = (unsigned char *)z[k];
    job.trapped = conditions->bits & ADAPTER_TRAPS ? told[0] : NULL;
    job.left = conditions->bits & ADAPTER_LEFT ? told[1] : NULL;
    job.gaps = gaps;
    memset(told[1], 0, count);
    if (conditions->threads > 1)
        adapter_run_threads(&job);
    else
        adapter_run(&job);
}

#endif
