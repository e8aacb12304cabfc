/* Laying terms into the operands of a call, and taking results out. */
#include "reveal/subject.h"

#include "op/array/slices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool subject_provides_lines(const struct operation *operation) {
    static const char *const names[] = {"sum", "mean", "dot", "matmul", "cumsum"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(operation->name, names[i]) == 0)
            return true;
    return through_find(operation);
}

bool subject_provides(const struct operation *operation, struct error *why) {
    return subject_provides_lines(operation) || inner_row(operation, 0) ||
           error_set(why,
                     "reveal is for sum, mean, dot, matmul and cumsum, and for the sums inside of "
                     "softmax, log_softmax, logsumexp, rms_norm, l2_norm, layer_norm, group_norm, "
                     "attention and convolution, and for mx.matmul, scaled.matmul, dyadic.dot and "
                     "dyadic.matmul, not for %.80s",
                     operation->name);
}

bool subject_is_mean(const struct subject *subject) {
    const char *name = subject->through ? subject->through->sum : subject->request.operation->name;
    return strcmp(name, "mean") == 0;
}

/* The dimension along which terms lie. */
static int line_dimension(const struct operation *operation, const struct parameters *parameters,
                          const struct shape *shape) {
    if (operation->array->lines == LINES_PRODUCT)
        return 1;
    int64_t axis = parameter_integer(parameters, PARAMETER_AXIS, -1);
    return (int)(axis < 0 ? axis + shape->dimensions : axis);
}

static bool is_flat(const struct operation *operation, const struct parameters *parameters) {
    return !operation->array->last_axis && operation->array->lines != LINES_PRODUCT &&
           !parameters->values[PARAMETER_AXIS].present;
}

size_t subject_terms(const struct operation *operation, const struct inner_sum *inner,
                     const struct parameters *parameters, const struct shape *shape) {
    if (!shape->dimensions)
        return 0;
    if (inner)
        return inner->terms(shape, parameters);
    if (is_flat(operation, parameters))
        return (size_t)shape_elements(shape);
    int dimension = line_dimension(operation, parameters, shape);
    return dimension >= 0 && dimension < shape->dimensions ? (size_t)shape->extents[dimension] : 0;
}

/* The user's shape with another length, or the least that has lines of it. */
static bool shape_for(struct subject *subject, const struct shape *given, struct error *error) {
    const struct operation *operation = subject->request.operation;
    const struct parameters *parameters = &subject->request.parameters;
    bool product = operation->array->lines == LINES_PRODUCT;
    subject->shape = *given;
    if (!given->dimensions && product)
        subject->shape = (struct shape){3, {4, 1, 4}};
    else if (!given->dimensions)
        subject->shape = (struct shape){1, {1}};
    if (is_flat(operation, parameters)) {
        if (shape_elements(&subject->shape) != subject->length)
            subject->shape = (struct shape){1, {subject->length}};
        return true;
    }
    int dimension = line_dimension(operation, parameters, &subject->shape);
    if (dimension < 0 || dimension >= subject->shape.dimensions)
        return error_set(error, "--axis is not an axis of the shape");
    subject->shape.extents[dimension] = subject->length;
    return true;
}

/* One factor alone reaches from the large numbers of probes to the small ones. */
static bool is_wide(const struct format *format) {
    enum { WIDE = 100 };
    return format->emin < -WIDE;
}

bool subject_sets_both(const struct subject *subject) {
    return subject->products && (!subject->shared || subject->probed == 1);
}

/* How lines lie in the operands. */
static bool find_lines(struct subject *subject, struct error *error) {
    const struct operation *operation = subject->request.operation;
    subject->products = operation->operands > 1 && !subject->through;
    subject->columns = 1;
    subject->stride = 1;
    subject->pitch = subject->length;
    if (operation->array->lines == LINES_PRODUCT) {
        subject->shared = true;
        subject->lines = (size_t)subject->call.operands[0].shape.extents[0];
        subject->columns = (size_t)subject->call.operands[1].shape.extents[1];
        subject->probed = is_wide(subject->request.format) ? subject->lines : 1;
        return true;
    }
    const struct slices slices = slices_of(&subject->call);
    subject->probed = subject->lines = (size_t)slices.count;
    if (slices.stride > 1) {
        subject->stride = (size_t)slices.stride;
        subject->pitch = 1;
        if (slices.stride != slices.count)
            return error_set(error, "reveal needs lines along the first or the last axis");
    }
    if (subject->through && subject->through->shares)
        subject->columns = subject->terms;
    return true;
}

/* The simpler operation of a sum inside of another, and its shape, by that of the other. */
static bool make_simpler(struct subject *subject, const struct binding_request *request,
                         struct error *error) {
    struct parameter_value *values = subject->request.parameters.values;
    const struct parameter_value *axis = &values[PARAMETER_AXIS],
                                 one = {.present = true, .integer = 1};
    struct shape *own = &subject->own_shape;
    size_t lines;
    if (axis->present && axis->integer != -1 && axis->integer != own->dimensions - 1)
        return error_set(error, "reveal needs the lines of %s along the last axis",
                         request->operation->name);
    subject->own_request = *request;
    if (!subject->inner->fit(own, &subject->own_request.parameters, subject->terms, &lines, error))
        return false;
    subject->request.operation = operation_find(subject->inner->simpler, error);
    if (!subject->request.operation)
        return false;
    subject->own_request.parameters.values[PARAMETER_SHAPE_OF] =
        (struct parameter_value){.present = true, .shape = *own};
    if (subject->inner->one_group)
        subject->own_request.parameters.values[PARAMETER_GROUPS] = one;
    values[PARAMETER_AXIS] = one;
    values[PARAMETER_AFFINE].present = false;
    subject->shape = (struct shape){2, {lines, subject->terms}};
    return true;
}

/* A norm multiplies by its weight: by 1. */
static void leave_weight(struct subject *subject) {
    const struct array *weight = &subject->call.operands[1];
    const struct real one = real_from_double(1);
    if (!subject->through || !weight->codes)
        return;
    for (size_t i = 0; i < (size_t)shape_elements(&weight->shape); i++)
        array_set_code(weight, i,
                       format_encode(weight->format, &one, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
}

bool subject_open(struct subject *subject, const struct implementation *implementation,
                  const struct binding_request *request, const struct inner_sum *inner,
                  const struct shape *shape, size_t terms, size_t length, struct error *error) {
    *subject = (struct subject){.implementation = implementation,
                                .request = *request,
                                .inner = inner,
                                .shape = *shape,
                                .own_shape = *shape,
                                .terms = terms,
                                .length = length ? length : terms};
    subject->through = inner_through(inner, request->operation);
    if (!inner && !subject_provides_lines(request->operation))
        return error_set(error, "give --sum, which names a sum inside of %.80s",
                         request->operation->name);
    if (inner ? !make_simpler(subject, request, error) : !shape_for(subject, shape, error))
        return false;
    subject->request.parameters.values[PARAMETER_SHAPE_OF] =
        (struct parameter_value){.present = subject->shape.dimensions > 1, .shape = subject->shape};
    subject->call = (struct array_call){.parameters = &subject->request.parameters,
                                        .rounding = request->rounding,
                                        .overflow = request->overflow};
    if (!array_call_plan(&subject->call, subject->request.operation->array, request->format,
                         &subject->shape, error) ||
        !find_lines(subject, error))
        return false;
    if (!array_call_allocate(
            &subject->call,
            operation_operands(subject->request.operation, &subject->request.parameters), 1))
        return error_set(error, "out of memory for an array");
    subject_leave_c(subject);
    leave_weight(subject);
    const struct binding_request *own = inner ? &subject->own_request : &subject->request;
    bool good = !inner || inner_open(&subject->own, subject->inner, own, &subject->call,
                                     &subject->own_shape, error);
    if (good && implementation_bind(&subject->binding, implementation, own, error))
        return true;
    inner_close(&subject->own);
    array_call_free(&subject->call);
    return false;
}

void subject_close(struct subject *subject) {
    free(subject->replayed);
    crew_close(&subject->crew);
    binding_close(&subject->binding);
    inner_close(&subject->own);
    array_call_free(&subject->call);
}

bool subject_is_stopped(const struct subject *subject) {
    const struct foreign_settings *foreign = subject->implementation->foreign;
    return (subject->stop && *subject->stop) || (foreign && foreign_is_stopped(foreign));
}

bool subject_may_go_on(const struct subject *subject, struct error *error) {
    return !subject_is_stopped(subject) || error_set(error, "interrupted");
}

bool subject_call_at_once(struct subject *subject, unsigned threads, struct error *error) {
    const bool inner = subject->inner;
    return crew_open(&subject->crew, subject->implementation,
                     inner ? &subject->own_request : &subject->request, threads,
                     inner ? &subject->own.call : &subject->call, error);
}

void subject_leave_c(struct subject *subject) {
    const struct array *c = array_addend(&subject->call);
    const struct real nothing = real_zero(true);
    for (size_t i = 0; c && i < (size_t)shape_elements(&c->shape); i++)
        array_set_code(c, i, format_encode(c->format, &nothing, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
}

static size_t place_of(const struct subject *subject, size_t line, size_t term) {
    return line * subject->pitch + term * subject->stride;
}

/* Probes have few numbers in many places. */
static uint64_t code_of(struct subject *subject, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const size_t at = (size_t)((bits * UINT64_C(0x9e3779b97f4a7c15)) >> 60);
    if (subject->coded[at].bits != bits || !subject->coded[at].is_there) {
        const struct real real = real_from_double(value);
        subject->coded[at].bits = bits;
        subject->coded[at].is_there = true;
        subject->coded[at].code =
            format_encode(subject->request.format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    }
    return subject->coded[at].code;
}

void subject_set_factors(struct subject *subject, size_t line, size_t term, double x, double y) {
    array_set_code(&subject->call.operands[0], place_of(subject, line, term), code_of(subject, x));
    if (!subject->products)
        return;
    struct array *second = &subject->call.operands[1];
    if (!subject->shared)
        array_set_code(second, place_of(subject, line, term), code_of(subject, y));
    for (size_t column = 0; subject->shared && column < subject->columns; column++)
        array_set_code(second, term * subject->columns + column, code_of(subject, y));
}

void subject_set(struct subject *subject, size_t line, size_t term, double value) {
    const struct format *format = subject->request.format;
    if (subject->through)
        value = through_operand(subject->through, format, value);
    double y = 1;
    if (subject_sets_both(subject) && value != 0) {
        int exponent = ilogb(value);
        if (exponent < format->emin || exponent >= format->emax)
            y = ldexp(1, exponent / 2);
    }
    subject_set_factors(subject, line, term, value / y, y);
}

static bool is_reversed(const struct subject *subject) {
    return parameter_flag(&subject->request.parameters, PARAMETER_REVERSE);
}

bool subject_has_behind(const struct subject *subject) {
    return subject->length > subject->terms && !is_reversed(subject);
}

void subject_clear_behind(struct subject *subject) {
    for (size_t line = 0; subject_has_behind(subject) && line < subject->lines; line++)
        for (size_t term = subject->terms; term < subject->length; term++)
            subject_set(subject, line, term, 0);
}

void subject_set_all(struct subject *subject, double value) {
    for (size_t line = 0; line < subject->lines; line++)
        for (size_t term = 0; term < subject->terms; term++)
            subject_set(subject, line, term, value);
    subject_clear_behind(subject);
}

static void note_event(void *context, enum event_kind kind, size_t index) {
    struct subject *subject = context;
    (void)index;
    subject->event = event_names[kind];
    subject->event_call = subject->calls;
}

bool subject_call(struct subject *subject, struct error *error) {
    uint8_t unanswered = 0;
    const struct slice slice = {.count = 1,
                                .unanswered = &unanswered,
                                .array = subject->inner ? &subject->own.call : &subject->call};
    if (subject->stop && *subject->stop)
        return error_set(error, "interrupted");
    subject->calls++;
    if (subject->inner)
        subject->inner->lay(&subject->own);
    if (!crew_fill(&subject->crew, &subject->binding, &slice, note_event, subject, error))
        return false;
    if (subject->inner)
        subject->inner->take(&subject->own);
    return !unanswered || error_set(error, "%s returned nothing for a call on %zu terms (%s)",
                                    subject->implementation->name, subject->terms,
                                    subject->event ? subject->event : "no event");
}

uint64_t subject_code(const struct subject *subject, size_t line, size_t column) {
    const struct array *result = &subject->call.results[0];
    if (subject->request.operation->array->lines == LINES_MAPPED)
        return array_code(result,
                          place_of(subject, line, subject->columns > 1 ? column : subject->reader));
    if (subject->request.operation->array->lines == LINES_SCANNED)
        return array_code(result,
                          place_of(subject, line, is_reversed(subject) ? 0 : subject->terms - 1));
    return array_code(result, line * subject->columns + column);
}

double subject_result(const struct subject *subject, size_t line) {
    const struct format *format = subject->call.results[0].format;
    uint64_t code = subject_code(subject, line, 0);
    if (format_is_nan(format, code))
        return NAN;
    if (format_is_infinite(format, code))
        return format_is_negative(format, code) ? -INFINITY : INFINITY;
    const struct real real = format_decode(format, code);
    return real_to_double(&real);
}

const struct format *subject_term_format(const struct subject *subject) {
    return subject->through && through_has_exponentials(subject->through)
               ? accumulation_format(&subject->call)
               : subject->request.format;
}

const struct format *subject_sum_format(const struct subject *subject) {
    return subject->through ? accumulation_format(&subject->call) : subject->call.results[0].format;
}

void subject_terms_of(const struct subject *subject, size_t column, struct order_terms *x,
                      struct order_terms *w) {
    *x = (struct order_terms){subject->call.operands[0].codes, subject->pitch, subject->stride};
    if (!subject->products)
        return;
    *w = (struct order_terms){subject->call.operands[1].codes, subject->pitch, subject->stride};
    if (subject->shared)
        *w = (struct order_terms){(const char *)subject->call.operands[1].codes +
                                      column * format_bytes(subject->request.format),
                                  0, subject->columns};
}

bool subject_shows_less(const struct subject *subject) {
    return subject->call.results[0].format->precision < subject_sum_format(subject)->precision;
}
