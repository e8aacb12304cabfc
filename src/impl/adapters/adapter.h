/* The worker's side of the protocol of detcheck-exec(7), for adapters in C and C++: include this
 * file, write adapter_start and adapter_compute, and return adapter_serve() from main. One that
 * knows operations on arrays defines ADAPTER_ARRAYS before and writes adapter_call too. One whose
 * adapter_compute calls functions in this process, so that what they do to the exception flags and
 * to errno can be seen there, defines ADAPTER_FLAGS before, and has no more to do for it. One whose
 * adapter_compute may be called under conditions, such as by several threads at once, defines
 * ADAPTER_CONDITIONS too, and writes adapter_variants. */
#ifndef ADAPTER_H
#define ADAPTER_H

#if defined(ADAPTER_CONDITIONS) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(ADAPTER_FLAGS) || defined(ADAPTER_CONDITIONS)
#include <errno.h>
#include <fenv.h>
#endif

enum { ADAPTER_BLOCK = 1 << 15, ADAPTER_OPERANDS = 3, ADAPTER_RESULTS = 2, ADAPTER_TEXT = 512 };
enum { ADAPTER_LONG_TEXT = 4096 }; /* of a reply that tells of conditions */

/* What detcheck asks for. The parameters are lines "name=value". */
struct adapter_request {
    unsigned operands, results, operand_bytes, result_bytes;
    char operation[33], format[33], result_format[33], rounding[33], parameters[1 << 17];
};

/* Gets ready. `text` receives what the adapter is and 1 is returned; or why it does not provide the
 * operation, and 0. */
static int adapter_start(const struct adapter_request *request, char text[ADAPTER_TEXT]);

/* Computes z[k][i] of x[0][i], x[1][i], ... for every i < count; the arrays hold codes of the
 * request's sizes in the machine's own byte order. What it leaves as it was counts as not written. */
static void adapter_compute(size_t count, void *const *x, void *const *z);

#ifdef ADAPTER_ARRAYS
/* Of an operation on arrays the parameters begin with the line "arrays=1". */
struct adapter_array {
    unsigned dimensions, bytes;
    uint64_t extents[8], elements;
    void *codes; /* row-major, in the machine's own byte order */
};
enum { ADAPTER_ARRAYS_MOST = 8 };

/* Computes the codes of the results, whose shapes are there already. */
static void adapter_call(const struct adapter_array *operands, struct adapter_array *results);
#endif

#ifdef ADAPTER_CONDITIONS
/* Settings of the environment under which the functions may take other code: lines NAME=VALUE. */
static const char *adapter_variants(void);
#endif

#include "adapter_gaps.h"

static void adapter_take(void *bytes, size_t length) {
    if (length && fread(bytes, 1, length, stdin) != length)
        exit(0); /* detcheck has seen enough */
}

static void adapter_give(const void *bytes, size_t length) {
    if (length && fwrite(bytes, 1, length, stdout) != length)
        exit(1);
}

static uint64_t adapter_get(const unsigned char *at, unsigned bytes) {
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number |= (uint64_t)at[i] << 8 * i;
    return number;
}

static void adapter_put(unsigned char *at, uint64_t number, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(number >> 8 * i);
}

/* Between the machine's byte order and little-endian, either way. */
static void adapter_order(unsigned char *codes, unsigned bytes, size_t count) {
    const uint16_t probe = 1;
    if (*(const unsigned char *)&probe == 1)
        return;
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < bytes / 2; k++) {
            unsigned char low = codes[i * bytes + k];
            codes[i * bytes + k] = codes[i * bytes + bytes - 1 - k];
            codes[i * bytes + bytes - 1 - k] = low;
        }
}

/* Whether the parameters have a line. */
static int adapter_asks(const struct adapter_request *request, const char *line) {
    size_t length = strlen(line);
    for (const char *at = request->parameters; at && *at; at++) {
        if (strncmp(at, line, length) == 0 && at[length] == '\n')
            return 1;
        if (!(at = strchr(at, '\n')))
            break;
    }
    return 0;
}

/* What is asked for besides codes and can be told: 1 for flags, 2 for errno, 3 for both; or 4 where
 * conditions may be asked for. */
static unsigned adapter_tells(const struct adapter_request *request) {
    unsigned tells = 0;
#ifdef ADAPTER_CONDITIONS
    if (adapter_asks(request, "conditions=1"))
        return 4;
#endif
#ifdef ADAPTER_FLAGS
#if FE_ALL_EXCEPT
    tells |= adapter_asks(request, "flags=1") ? 1 : 0;
#endif
    tells |= adapter_asks(request, "errno=1") ? 2 : 0;
#else
    (void)request;
    (void)adapter_asks;
#endif
    return tells;
}

#if defined(ADAPTER_FLAGS) ||                                                                      \
    (defined(ADAPTER_CONDITIONS) && defined(__SSE__)) /* which has traps */
/* Which flags are set: 1 for invalid, 2 divide-by-zero, 4 overflow, 8 underflow, 16 inexact. */
static unsigned char adapter_flags(void) {
    unsigned char flags = 0;
#ifdef FE_INVALID
    flags |= fetestexcept(FE_INVALID) ? 1 : 0;
#endif
#ifdef FE_DIVBYZERO
    flags |= fetestexcept(FE_DIVBYZERO) ? 2 : 0;
#endif
#ifdef FE_OVERFLOW
    flags |= fetestexcept(FE_OVERFLOW) ? 4 : 0;
#endif
#ifdef FE_UNDERFLOW
    flags |= fetestexcept(FE_UNDERFLOW) ? 8 : 0;
#endif
#ifdef FE_INEXACT
    flags |= fetestexcept(FE_INEXACT) ? 16 : 0;
#endif
    return flags;
}
#endif

#ifdef ADAPTER_FLAGS
/* Calls for one input at a time: with all flags set to see which are cleared, and with none to see
 * which are raised. What both calls leave as they found it, other in either, was not written. */
static void adapter_compute_each(const struct adapter_request *request, size_t count,
                                 void *const *x, void *const *z, unsigned char *raised,
                                 unsigned char *cleared, unsigned char *numbers,
                                 unsigned char *gaps) {
    void *a[ADAPTER_OPERANDS], *b[ADAPTER_RESULTS];
    struct adapter_outputs outputs[ADAPTER_RESULTS];
    struct adapter_computation one;
    one.count = 1;
    one.x = a;
    one.z = b;
    for (size_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < ADAPTER_OPERANDS; k++)
            a[k] = (unsigned char *)x[k] + request->operand_bytes * i;
        for (unsigned k = 0; k < ADAPTER_RESULTS; k++)
            b[k] = (unsigned char *)z[k] + request->result_bytes * i;
        unsigned char left[ADAPTER_RESULTS] = {0};
        adapter_describe(request, 1, a, b, outputs);
        for (unsigned k = 0; k < request->results; k++)
            adapter_fill(&outputs[k], 0);
        feraiseexcept(FE_ALL_EXCEPT);
        unsigned char all = adapter_flags();
        adapter_make_computation(&one);
        cleared[i] = (unsigned char)(all & ~adapter_flags());
        for (unsigned k = 0; k < request->results; k++) {
            left[k] = (unsigned char)adapter_holds(b[k], request->result_bytes, 0, 0);
            adapter_fill(&outputs[k], 1);
        }
        feclearexcept(FE_ALL_EXCEPT);
        errno = 0;
        adapter_make_computation(&one);
        raised[i] = adapter_flags();
        numbers[i] = (unsigned char)(errno == 0 ? 0 : errno == EDOM ? 1 : errno == ERANGE ? 2 : 3);
        for (unsigned k = 0; k < request->results; k++)
            if (left[k] && !adapter_holds(b[k], request->result_bytes, 0, 0))
                gaps[i] = 1;
    }
}
#endif

#ifdef ADAPTER_CONDITIONS
#include "adapter_conditions.h"

/* Adds to the text of the reply what there is to tell of conditions. */
static void adapter_add_conditions(const struct adapter_request *request,
                                   char text[ADAPTER_LONG_TEXT]) {
    const char *line = adapter_variants(), *disturbed = adapter_find_disturbed(request);
    strcat(text, adapter_conditions_known);
    if (*disturbed)
        strcat(strcat(text, "\ndisturbed="), disturbed);
    for (size_t used = strlen(text), length; *line; line += length + (line[length] == '\n')) {
        length = strcspn(line, "\n");
        if (used + length + 10 < ADAPTER_LONG_TEXT)
            used += (size_t)sprintf(text + used, "\nvariant=%.*s", (int)length, line);
    }
}
#endif

static void adapter_greet(struct adapter_request *request) {
    unsigned char header[160], reply[16] = "detreply";
    char text[ADAPTER_LONG_TEXT] = "";
    adapter_take(header, sizeof header);
    request->operands = (unsigned)adapter_get(header + 12, 4);
    request->results = (unsigned)adapter_get(header + 16, 4);
    request->operand_bytes = (unsigned)adapter_get(header + 20, 4);
    request->result_bytes = (unsigned)adapter_get(header + 24, 4);
    memcpy(request->operation, header + 32, 32);
    memcpy(request->format, header + 64, 32);
    memcpy(request->result_format, header + 96, 32);
    memcpy(request->rounding, header + 128, 32);
    size_t length = (size_t)adapter_get(header + 28, 4);
    if (memcmp(header, "detcheck\1", 9) != 0 || length >= sizeof request->parameters) {
        fprintf(stderr, "this program is for 'detcheck sweep ... --impl exec:COMMAND'\n");
        exit(1);
    }
    adapter_take(request->parameters, length);
    int arrays = strncmp(request->parameters, "arrays=", 7) == 0, ready = 0;
#ifdef ADAPTER_ARRAYS
    if (!arrays || strncmp(request->parameters, "arrays=1\n", 9) == 0)
#else
    if (!arrays)
#endif
        ready = adapter_start(request, text);
    else
        snprintf(text, ADAPTER_TEXT, "this adapter has no operations on arrays");
    unsigned tells = arrays ? 0 : adapter_tells(request);
#ifdef ADAPTER_CONDITIONS
    if (ready && tells == 4)
        adapter_add_conditions(request, text);
#endif
    adapter_put(reply + 8, ready ? (arrays ? 3 : tells ? 3 + tells : 0) : 1, 4);
    adapter_put(reply + 12, strlen(text), 4);
    adapter_give(reply, sizeof reply);
    adapter_give(text, strlen(text));
    fflush(stdout);
    if (!ready)
        exit(0);
}

/* The end of an answer, and the marks of what was not written, if there are any. */
static void adapter_end(const unsigned char *gaps, size_t count) {
    adapter_give("done", 4);
    adapter_give(gaps, count);
    if (count)
        adapter_give("done", 4);
    fflush(stdout);
}

#ifdef ADAPTER_ARRAYS
/* One call: the shapes, the operands' codes; then the results' codes. */
static void adapter_serve_call(const struct adapter_request *request) {
    struct adapter_array arrays[ADAPTER_ARRAYS_MOST], *a;
    unsigned count = request->operands + request->results, i, k;
    unsigned char shape[72], gap = 0;
    for (i = 0; i < count && i < ADAPTER_ARRAYS_MOST; i++) {
        a = &arrays[i];
        adapter_take(shape, sizeof shape);
        a->dimensions = (unsigned)adapter_get(shape, 4);
        a->bytes = (unsigned)adapter_get(shape + 4, 4);
        a->elements = 1;
        for (k = 0; k < 8; k++) {
            a->extents[k] = adapter_get(shape + 8 + 8 * k, 8);
            a->elements *= k < a->dimensions ? a->extents[k] : 1;
        }
        a->codes = adapter_room((size_t)a->elements * a->bytes);
    }
    for (a = arrays; a < arrays + request->operands; a++) {
        adapter_take(a->codes, a->bytes * (size_t)a->elements);
        adapter_order((unsigned char *)a->codes, a->bytes, (size_t)a->elements);
    }
    adapter_call_arrays(request, arrays, &gap);
    gap = (unsigned char)(gap && adapter_asks(request, "gaps=1"));
    adapter_give(gap ? "gaps\1\0\0\0" : "answ\1\0\0\0", 8);
    for (; a < arrays + count; a++) {
        adapter_order((unsigned char *)a->codes, a->bytes, (size_t)a->elements);
        adapter_give(a->codes, a->bytes * (size_t)a->elements);
    }
    adapter_end(&gap, gap ? 1 : 0);
    for (i = 0; i < count; i++)
        free(arrays[i].codes);
}
#endif

/* Answers one request after the other, until there are no more. */
static int adapter_serve(void) {
    static struct adapter_request request;
    static uint64_t operands[ADAPTER_OPERANDS][ADAPTER_BLOCK];
    static uint64_t results[ADAPTER_RESULTS][ADAPTER_BLOCK];
    void *x[ADAPTER_OPERANDS] = {operands[0], operands[1], operands[2]};
    void *z[ADAPTER_RESULTS] = {results[0], results[1]};
    static unsigned char told[3][ADAPTER_BLOCK]; /* flags raised, flags cleared, errno */
    static unsigned char gaps[ADAPTER_BLOCK];
    unsigned char head[16], answer[8];
    adapter_greet(&request);
    unsigned tells = adapter_tells(&request);
    int tells_gaps = adapter_asks(&request, "gaps=1");
    for (;;) {
        adapter_take(head, sizeof head);
        uint64_t kind = adapter_get(head, 4), first = adapter_get(head + 8, 8);
        size_t count = (size_t)adapter_get(head + 4, 4);
#ifdef ADAPTER_ARRAYS
        if (kind == 4) {
            adapter_serve_call(&request);
            continue;
        }
#endif
        if (count > ADAPTER_BLOCK) /* never more, says detcheck-exec(7) */
            return 1;
        unsigned bytes = request.operand_bytes;
        for (size_t i = 0; kind == 1 && i < count; i++) /* a range: first, first + 1, ... */
            adapter_put((unsigned char *)x[0] + bytes * i, first + i, bytes);
#ifdef ADAPTER_CONDITIONS
        struct adapter_conditions conditions = {0};
        if (kind == 5)
            adapter_take_conditions(&conditions);
#endif
        for (unsigned k = 0; kind != 1 && k < request.operands; k++) /* a block: the codes */
            adapter_take(x[k], bytes * count);
        for (unsigned k = 0; k < request.operands; k++)
            adapter_order((unsigned char *)x[k], bytes, count);
        memset(gaps, 0, sizeof gaps);
#ifdef ADAPTER_CONDITIONS
        if (kind == 5)
            adapter_compute_conditioned(&request, &conditions, count, x, z, told, gaps);
        else
#endif
#ifdef ADAPTER_FLAGS
            if (tells & 3)
            adapter_compute_each(&request, count, x, z, told[0], told[1], told[2], gaps);
        else
#endif
            adapter_compute_looking(&request, count, x, z, gaps);
        int has_gaps = tells_gaps && memchr(gaps, 1, count) != NULL;
        memcpy(answer, has_gaps ? "gaps" : "answ", 4);
        memcpy(answer + 4, head + (kind == 5 ? 8 : 4), 4); /* conditions come with a number */
        adapter_give(answer, sizeof answer);
        for (unsigned k = 0; k < request.results; k++) {
            adapter_order((unsigned char *)z[k], request.result_bytes, count);
            adapter_give(z[k], request.result_bytes * count);
        }
        for (unsigned k = 0; k < 3; k++)
            if (tells & (k < 2 ? 1 : 2))
                adapter_give(told[k], count);
#ifdef ADAPTER_CONDITIONS
        if (conditions.bits & ADAPTER_TRAPS)
            adapter_give(told[0], count);
        if (conditions.bits & ADAPTER_LEFT)
            adapter_give(told[1], count);
#endif
        adapter_end(gaps, has_gaps ? count : 0);
    }
}

#endif
