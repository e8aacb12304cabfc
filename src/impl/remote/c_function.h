/* Calls of a function by its address, with the signatures that C gives to the operations:
 *
 *     float f(float), float f(float, float), float f(float, float, float),
 *     void f(float, float *, float *) for two results, and the same in double;
 *
 * where the operation's row names no other (enum c_signature);
 *
 * or of an array function: void f(float *z, const float *x, size_t n), with a second array of
 * results before the operands and further operands after x, all of them numbers; or of a function of
 * vector registers (impl/vector_abi.h); or of a conversion (impl/remote/c_conversion.h).
 *
 * fp32 calls the function in float, fp64 in double; a narrower format is widened to fp32 (exactly),
 * computed, and rounded once more. */
#ifndef DETCHECK_IMPL_REMOTE_C_FUNCTION_H
#define DETCHECK_IMPL_REMOTE_C_FUNCTION_H

#include "impl/call_window.h"
#include "impl/implementation.h"
#include "impl/remote/c_conversion.h"
#include "impl/vector_abi.h"
#include "platform/rounding_guard.h"

union c_call {
    void *address;
    float (*fp32_1)(float);
    float (*fp32_2)(float, float);
    float (*fp32_3)(float, float, float);
    void (*fp32_pair)(float, float *, float *);
    double (*fp64_1)(double);
    double (*fp64_2)(double, double);
    double (*fp64_3)(double, double, double);
    void (*fp64_pair)(double, double *, double *);
    /* Arrays of float or double: the first letter counts results, the second operands. */
    void (*array_1_1)(void *, const void *, size_t);
    void (*array_1_2)(void *, const void *, const void *, size_t);
    void (*array_1_3)(void *, const void *, const void *, const void *, size_t);
    void (*array_2_1)(void *, void *, const void *, size_t);
    void (*array_2_2)(void *, void *, const void *, const void *, size_t);
};

struct c_function {
    union c_call call; /* without an address: the operator of the operation's row */
    bool array;
    struct vector_abi vector; /* without lanes: not a function of vectors */
    union c_call by_number;   /* of a function of many: the library's form for one number; or no
                                 address */
    struct binding_request request;
    const struct format *computed; /* fp32, or fp64 where the format is wider than fp32 */
    const struct format *returned; /* that of the results: the same, but of conversions */
    const struct format *wanted;   /* request_result_format(), which takes longer than a call */
    c_conversion_call *convert;    /* of an operation that converts; or NULL */
    struct cast cast;              /* then */
};

/* What is computed in for such a format: "f" is added to the names of functions where it is not
 * wide. */
bool c_function_is_wide(const struct format *format);

/* Says where the function is to be found by then: .call.address is the caller's to set. */
struct c_function c_function_for(const struct binding_request *request);

/* A conversion is handed float in place of codes of a narrower format from now on. */
void c_function_take_floats(struct c_function *function);

/* The rounding mode of C in which it is called: conversions to nearest-away and stochastic ones have
 * to round so by themselves. */
enum rounding c_function_mode(const struct binding_request *request);

/* What a function is called with, behind its name: ", arrays", ", vectors", nothing, or of a conversion its
 * signature. Returns `text`. */
enum { C_CALL_TEXT = C_SIGNATURE_TEXT + 2 };
const char *c_function_call_text(const struct c_function *function, char text[C_CALL_TEXT]);

/* False, with the reason, where another format than the request's is computed in and that is no way
 * to compute the function. */
bool c_function_is_of_format(const struct binding_request *request, struct error *why);

/* Where the calls have got to, and what is to be done when one returns that should not: in a copy
 * of the process that the function has made (fork), or a second time, when a later call jumps into
 * the frame of an earlier one (longjmp). */
struct call_watch {
    /* The input being computed: its index and 1, and the slice's count more each time that the slice
     * is gone through again; 0 where there is none, or it is not known which. It only rises. */
    volatile uint32_t *at;
    /* Names the call under way, in memory that reads as zero in a copy of the process. */
    volatile uint64_t *call;
    /* Of this process the index is that of the call under way. Does not return. */
    void (*astray)(void *context, bool is_copy, size_t index);
    void *context;
};

/* How often a slice is gone through at most: for its results, for what has changed, for flags
 * that are raised, for flags that are cleared, and for both call by call. */
enum { CALL_PASSES = 5 };

/* Around each call or, in place of several, all of them. `call` differs from call to call, and is
 * not 0. */
static inline void call_watch_begin(const struct call_watch *watch, uint32_t at, uint64_t call) {
    *watch->at = at;
    *watch->call = call;
}
static inline void call_watch_end(const struct call_watch *watch, uint64_t call, size_t count,
                                  size_t index) {
    if (*watch->call == call)
        return;
    bool is_copy = *watch->call == 0;
    uint32_t at = *watch->at;
    watch->astray(watch->context, is_copy, is_copy ? index : at ? (at - 1) % count : 0);
}

/* A watch for those who have none: `watch`, unless it is NULL. */
struct unwatched {
    volatile uint32_t at;
    volatile uint64_t call;
};
struct call_watch call_watch_or(const struct call_watch *watch, struct unwatched *otherwise);

/* Whether a call computes many inputs. */
static inline bool c_function_is_of_many(const struct c_function *function) {
    return function->array || function->vector.lanes > 0;
}

/* Fills all results. `watch` may be NULL. */
void c_function_fill(const struct c_function *function, const struct slice *slice,
                     const struct call_watch *watch);

/* What slices may ask it for. */
struct condition_support c_function_conditions(const struct c_function *function);

/* Fills all results of a slice that has conditions. `watch` may be NULL. False when memory is out. */
bool c_function_fill_arranged(const struct c_function *function, const struct slice *slice,
                              const struct call_watch *watch, struct error *error);

/* Whether it is handed the memory that its results go to, so that it can leave that as it is. Where
 * slice.unanswered is not NULL, it is looked at whether it does (impl/unwritten.h), and each input of
 * which a result was not written is marked there. */
bool c_function_may_leave(const struct c_function *function);

/* Whether it is a plain function of one number, by its address, in the format that is asked for. */
bool c_function_is_hot(const struct c_function *function);

/* One call for input `index` of the slice; the results are codes of the slice's format. The window,
 * which may be NULL, is around the call alone, and is told of the flags of a rounding to that
 * format. */
void c_function_call_one(const struct c_function *function, const struct slice *slice, size_t index,
                         uint32_t at, const struct call_watch *watch, struct call_window *window,
                         uint64_t results[MAX_RESULTS]);

/* `count` inputs from `first` on by a function of many, into the slice. The window as before. */
void c_function_call_many(const struct c_function *function, const struct slice *slice,
                          size_t first, size_t count, uint32_t at, const struct call_watch *watch,
                          struct call_window *window);

/* Tells of each change, as rounding_guard_changes names them, at that index. */
void c_function_tell_changes(unsigned changes, size_t index, event_function *event, void *context);

/* The slice again, one input at a time, to find where the environment changed as it did. The
 * outputs that followed were computed in another environment, and are what the library gives when
 * it is called as a program would call it; here each is computed anew in the right one. Those become
 * the slice's; slice.earlier has the others, and the event is told where they differ first. Where no
 * single input changes the environment, the event is told of the first of the slice. */
void c_function_find_changes(const struct c_function *function, const struct slice *slice,
                             const struct rounding_guard *guard, unsigned changes,
                             const struct call_watch *watch, event_function *event, void *context);

/* Between the files of this folder: the call of a function of many; an operand in the format that is computed in; and a result in the
 * slice's format, of which the window, unless NULL, is told the flags that the conversion raises. */
void c_function_call_array(const struct c_function *function, void *const *z, const void *const *x,
                           size_t count);
uint64_t c_function_widen(const struct c_function *function, const void *operand, size_t index);
uint64_t c_function_narrow(const struct c_function *function, uint64_t code,
                           struct call_window *window);

#endif
