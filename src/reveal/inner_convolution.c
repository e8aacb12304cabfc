/* The products of an element of a convolution: terms are channels times taps, as its weights lie. */
#include "reveal/inner_parts.h"

#include "op/array/slices.h"
#include "op/kernels/windows.h"

enum { IMAGE, WEIGHT };

static const struct shape *taps_given(const struct inner_call *inner) {
    return &inner->call.operands[WEIGHT].shape;
}

/* --second-shape has all but the number of channels. */
static bool fit_products(struct shape *shape, struct parameters *parameters, size_t terms,
                         size_t *lines, struct error *error) {
    struct parameter_value *weights = &parameters->values[PARAMETER_SECOND_SHAPE];
    const uint64_t groups = (uint64_t)parameter_integer(parameters, PARAMETER_GROUPS, 1);
    uint64_t taps = 1;
    *lines = 1;
    if (!shape->dimensions) { /* each channel has one tap */
        *shape = (struct shape){3, {1, groups * terms, 1}};
        *weights = (struct parameter_value){.present = true, .shape = {3, {groups, terms, 1}}};
        return true;
    }
    if (shape->dimensions < 3 || !weights->present ||
        weights->shape.dimensions != shape->dimensions)
        return error_set(error, "reveal needs the weights of a convolution, too: --shape "
                                "SAMPLESxCHANNELSx..., such as 1x4x9x9, and --second-shape "
                                "OUTPUTSxCHANNELSxTAPSx..., such as 1x4x3x3");
    for (int i = 2; i < shape->dimensions; i++)
        taps *= weights->shape.extents[i];
    if (terms % taps)
        return error_set(error, "a window of %llu taps cannot have %zu terms, which is no multiple",
                         (unsigned long long)taps, terms);
    weights->shape.extents[1] = terms / taps;
    shape->extents[1] = groups * (terms / taps);
    return true;
}

/* A window of which all taps lie inside, the middle one or the next. */
static bool find_window(struct inner_call *inner, struct window_walk *walk) {
    window_walk_open(walk, &inner->call, &inner->call.operands[0].shape,
                     &inner->call.results[0].shape, taps_given(inner)->extents + 2);
    for (uint64_t i = 0; i < walk->windows; i++) {
        bool inside = true;
        inner->window = (walk->windows / 2 + i) % walk->windows;
        window_walk_start(walk, inner->window);
        do
            inside = inside && walk->inside;
        while (window_walk_next(walk));
        if (inside)
            return true;
    }
    return false;
}

static bool constants_of_products(struct inner_call *inner, struct error *error) {
    struct window_walk walk;
    return find_window(inner, &walk) ||
           error_set(error,
                     "no element of the results has all taps of a window inside of the image");
}

/* All samples, groups and outputs are alike. */
static void lay_products(struct inner_call *inner) {
    const struct array *x = &inner->simple->operands[0], *w = &inner->simple->operands[1];
    const struct array *image = &inner->call.operands[IMAGE],
                       *weight = &inner->call.operands[WEIGHT];
    const size_t taps = inner->terms / (size_t)weight->shape.extents[1];
    const uint64_t channels = weight->shape.extents[1],
                   planes = image->shape.extents[0] * image->shape.extents[1];
    struct window_walk walk;
    window_walk_open(&walk, &inner->call, &inner->call.operands[0].shape,
                     &inner->call.results[0].shape, weight->shape.extents + 2);
    for (uint64_t plane = 0; plane < planes; plane++) {
        uint64_t at = plane % channels * taps;
        window_walk_start(&walk, inner->window);
        do
            array_set_code(image, plane * walk.spots + walk.spot, array_code(x, at++));
        while (window_walk_next(&walk));
    }
    for (uint64_t i = 0; i < shape_elements(&weight->shape); i++)
        array_set_code(weight, i, array_code(w, i % inner->terms));
}

static void take_products(struct inner_call *inner) {
    array_set_code(&inner->simple->results[0], 0,
                   array_code(&inner->call.results[0], inner->window));
}

static size_t terms_of_weight(const struct shape *shape, const struct parameters *parameters) {
    const struct parameter_value *weights = &parameters->values[PARAMETER_SECOND_SHAPE];
    (void)shape;
    return weights->present ? (size_t)(shape_elements(&weights->shape) / weights->shape.extents[0])
                            : 0;
}

const struct inner_sum inner_convolution[] = {{"convolution", "products", "dot", NULL, false,
                                               terms_of_weight, fit_products, constants_of_products,
                                               lay_products, take_products},
                                              {0}};
