/* The table of rewritings, and the look at some inputs. */
#include "explain/identity.h"

#include "oracle/exact.h"
#include "sweep/domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct identity {
    const char *operation, *formula; /* with a name where it is long */
} rows[] = {
    {"exp", "exp2(x*1.4426950408889634)"},
    {"exp2", "exp(x*0.6931471805599453)"},
    {"exp2", "pow(2, x)"},
    {"exp10", "exp(x*2.302585092994046)"},
    {"exp10", "pow(10, x)"},
    {"expm1", "exp(x) - 1"},
    {"log2", "log(x)/log(2)"},
    {"log2", "log(x)*1.4426950408889634"},
    {"log10", "log(x)/log(10)"},
    {"log10", "log(x)*0.4342944819032518"},
    {"log1p", "log(1 + x)"},
    {"sin", "cos(x - pi/2)"},
    {"cos", "sin(x + pi/2)"},
    {"tan", "sin(x)/cos(x)"},
    {"sinh", "(exp(x) - exp(-x))/2"},
    {"cosh", "(exp(x) + exp(-x))/2"},
    {"tanh", "(exp(2*x) - 1)/(exp(2*x) + 1)"},
    {"tanh", "1 - 2/(exp(2*x) + 1)"},
    {"tanh", "2*sigmoid(2*x) - 1"},
    {"tanh", "sinh(x)/cosh(x)"},
    {"tanh", "2/(1 + exp(-2*x)) - 1"},
    {"tanh", "(1 - exp(-2*x))/(1 + exp(-2*x))"},
    {"tanh", "(exp(x) - exp(-x))/(exp(x) + exp(-x))"},
    {"tanh", "expm1(2*x)/(expm1(2*x) + 2)"},
    {"asinh", "log(x + sqrt(x*x + 1))"},
    {"acosh", "log(x + sqrt(x*x - 1))"},
    {"atanh", "0.5*log((1 + x)/(1 - x))"},
    {"sqrt", "x*rsqrt(x)"},
    {"sqrt", "1/rsqrt(x)"},
    {"sqrt", "x*(1/sqrt(x))"},
    {"sqrt", "1/(1/sqrt(x))"},
    {"cbrt", "x^(1/3)"},
    {"rsqrt", "1/sqrt(x)"},
    {"rsqrt", "sqrt(1/x)"},
    {"erf", "1 - erfc(x)"},
    {"erfc", "1 - erf(x)"},
    {"sigmoid", "1/(1 + exp(-x))"},
    {"sigmoid", "exp(x)/(1 + exp(x))"},
    {"sigmoid", "0.5*tanh(0.5*x) + 0.5"},
    {"silu", "x*sigmoid(x)"},
    {"silu", "x/(1 + exp(-x))"},
    {"silu", "x*(1/(1 + exp(-x)))"},
    {"silu", "x*(0.5*tanh(0.5*x) + 0.5)"},
    {"quick_gelu", "x*sigmoid(1.702*x)"},
    {"quick_gelu", "x/(1 + exp(-1.702*x))"},
    {"quick_gelu", "x*(1/(1 + exp(-1.702*x)))"},
    {"gelu", "0.5*x*(1 + erf(x*0.7071067811865476))"},
    {"gelu", "0.5*x*(1 + tanh(0.7978845608028654*(x + 0.044715*x*x*x)))"},
    {"gelu", "x*sigmoid(1.702*x)"},
    {"gelu", "x/(1 + exp(-1.702*x))"},
    {"gelu", "x*(1/(1 + exp(-1.702*x)))"},
    {"gelu", "0.5*x*erfc(-0.7071067811865476*x)"},
    {"gelu_tanh", "0.5*x*(1 + tanh(0.7978845608028654*(x + 0.044715*x*x*x)))"},
    {"gelu_tanh", "x*sigmoid(1.5957691216057308*(x + 0.044715*x*x*x))"},
    {"gelu_tanh", "x/(1 + exp(-1.5957691216057308*(x + 0.044715*x*x*x)))"},
    {"softplus", "log(1 + exp(x))"},
    {"softplus", "log1p(exp(x))"},
    {"softplus", "max(x, 0) + log1p(exp(-|x|))"},
    {"softplus", "max(x, 0) + log(1 + exp(-|x|))"},
    {"logsigmoid", "-(log(1 + exp(-x)))"},
    {"logsigmoid", "-(softplus(-x))"},
    {"logsigmoid", "log(sigmoid(x))"},
    {"logsigmoid", "log(1/(1 + exp(-x)))"},
    {"logsigmoid", "min(x, 0) - log1p(exp(-|x|))"},
    {"mish", "x*tanh(softplus(x))"},
    {"mish", "x*tanh(log1p(exp(x)))"},
    {"mish", "x*tanh(log(1 + exp(x)))"},
    {"round", "floor(x + 0.5)"},
    {"roundeven", "floor(x + 0.5)"},
    {"rint", "floor(x + 0.5)"},
    {"div", "x*recip(y)"},
    {"div", "x*(recip(y)*(2 - y*recip(y)))"},
    {"div", "let r = recip(y) in x*fma(r, fma(-(y), r, 1), r)"},
    {"div", "let r = round(bf16, recip(y)) in x*(r*(2 - y*r))"},
    {"div", "let r = round(bf16, recip(y)) in let s = r*(2 - y*r) in x*(s*(2 - y*s))"},
    {"div", "let r = recip(y) in let q = x*r in fma(fma(-(q), y, x), r, q)"},
    {"pow", "exp2(y*log2(x))"},
    {"pow", "exp(y*log(x))"},
    {"pow",
     "by_squaring(x, y) = let n = |y| in let b = x*x in let c = b*b in let d = c*c in let f = "
     "d*d in let g = f*f in let p = select(n - 2*floor(n/2) >= 1, x, 1)*select(n - "
     "4*floor(n/4) >= 2, b, 1)*select(n - 8*floor(n/8) >= 4, c, 1)*select(n - 16*floor(n/16) "
     ">= 8, d, 1)*select(n - 32*floor(n/32) >= 16, f, 1)*select(n - 64*floor(n/64) >= 32, g, "
     "1) in select(n >= 64, pow(x, y), select(n != floor(n), pow(x, y), select(y < 0, 1/p, "
     "p)))"},
    {"pown",
     "by_squaring(x, y) = let n = |y| in let b = x*x in let c = b*b in let d = c*c in let f = "
     "d*d in let g = f*f in let p = select(n - 2*floor(n/2) >= 1, x, 1)*select(n - "
     "4*floor(n/4) >= 2, b, 1)*select(n - 8*floor(n/8) >= 4, c, 1)*select(n - 16*floor(n/16) "
     ">= 8, d, 1)*select(n - 32*floor(n/32) >= 16, f, 1)*select(n - 64*floor(n/64) >= 32, g, "
     "1) in select(n >= 64, pown(x, y), select(y < 0, 1/p, p))"},
    {"hypot", "sqrt(x*x + y*y)"},
    {"fmod", "x - y*trunc(x/y)"},
    {"fmod", "fma(-(trunc(x*recip(y))), y, x)"},
    {"remainder", "x - y*roundeven(x/y)"},
    {"remainder", "fmod(x, y)"},
    {"remainder", "ties_away(x, y) = let r = remainder(x, y) in select(2*|r| == |y|, select(x < 0, "
                  "|r|, -(|r|)), r)"},
    {"logaddexp", "log(exp(x) + exp(y))"},
    {"fma", "x*y + z"},
    {"fma", "with_rounded_rests(x, y, z) = let p = x*y in let s = p + z in let b = s - p in s + "
            "(fma(x, y, -(p)) + ((p - (s - b)) + (z - b)))"},
    {"fma",
     "without_the_products_rest(x, y, z) = let p = x*y in let s = p + z in let b = s - p in s + "
     "((p - (s - b)) + (z - b))"},
};
enum { ROWS = sizeof rows / sizeof *rows };

const char *identity_row(size_t index, const char **operation) {
    *operation = index < ROWS ? rows[index].operation : NULL;
    return index < ROWS ? rows[index].formula : NULL;
}

int identity_name_length(const char *formula) {
    const char *end = strstr(formula, ") = ");
    return end ? (int)(end - formula) + 1 : (int)strlen(formula);
}

/* How many inputs are looked at, and how many of those at which the sides differ a rewriting must have right, in a
 * hundred. A rewriting is tried at so many inputs at a time, since most have too much wrong among the first. */
enum { LOOK = 1 << 16, LEAST_SHARE = 90, RIGHT_LOOKS = 64, AT_A_TIME = 1 << 11 };

struct look {
    const struct explain_request *request;
    const struct format *format; /* of outputs */
    size_t count, differ;        /* inputs, and those at which the sides differ */
    void *inputs[MAX_OPERANDS];
    struct side sides[2];
    struct side candidate;
    struct side_losses losses;  /* those of the answer are of its own */
    size_t best[IDENTITY_MOST]; /* how much the best rewriting of a side has right */
    bool makes_nan;             /* the latest candidate gave NaN where both sides give numbers */
};

static uint64_t output_of(const struct look *look, const struct side *side, size_t at) {
    return code_load(side->results[look->request->result], format_bytes(look->format), at);
}

static bool open_side(struct look *look, struct side *side, const struct implementation *one) {
    struct error why;
    if (!side_open(side, one, &look->request->computed, look->request->result,
                   look->request->domain, look->count, &why))
        return false;
    side->losses = &look->losses;
    side->question = QUESTION_REWRITINGS;
    return true;
}

/* So many outputs of a side, from the input with that number on. */
static bool answer(struct look *look, struct side *side, size_t first, size_t count) {
    const struct binding_request *computed = &look->request->computed;
    void *inputs[MAX_OPERANDS] = {0};
    struct error why;
    for (int i = 0; i < computed->operation->operands; i++)
        inputs[i] = (char *)look->inputs[i] + first * format_bytes(computed->format);
    return side_ask_elsewhere(side, inputs, count, &why);
}

/* Inputs that lie evenly in the domain. */
static bool draw(struct look *look) {
    const struct binding_request *computed = &look->request->computed;
    const struct domain *domain = look->request->domain;
    size_t bytes = format_bytes(computed->format);
    look->count = domain->count < LOOK ? (size_t)domain->count : LOOK;
    for (int i = 0; i < computed->operation->operands; i++)
        if (!(look->inputs[i] = malloc(LOOK * bytes)))
            return false;
    for (size_t at = 0; at < look->count; at++) {
        uint64_t codes[MAX_OPERANDS];
        domain_codes_at(
            domain, (uint64_t)((double)domain->count / (double)look->count * ((double)at + 0.5)),
            codes);
        for (int i = 0; i < computed->operation->operands; i++)
            code_store(look->inputs[i], bytes, at, codes[i]);
    }
    return look->count > 0;
}

/* The outputs of both sides; false where one of them did not answer. */
static bool load_both(const struct look *look, size_t at, uint64_t outputs[2]) {
    for (int side = 0; side < 2; side++)
        outputs[side] = output_of(look, &look->sides[side], at);
    return !look->sides[0].unanswered[at] && !look->sides[1].unanswered[at];
}

static void count_differences(struct look *look) {
    uint64_t outputs[2];
    for (size_t at = 0; at < look->count; at++)
        look->differ +=
            load_both(look, at, outputs) && !hypothesis_same(look->format, outputs[0], outputs[1]);
}

/* Whether a candidate has too much of a side wrong where the sides differ. */
static bool is_out(const struct look *look, size_t wrong) {
    return (look->differ - wrong) * 100 < look->differ * LEAST_SHARE;
}

/* What the candidate has right of each side: most of where the sides differ, and of those that have that the one that is
 * right most often. */
static void compare(struct look *look, const struct implementation *candidate,
                    struct identities *identities) {
    size_t wrong[2] = {0, 0}, all[2] = {0, 0};
    for (size_t first = 0; first < look->count; first += AT_A_TIME) {
        size_t count = look->count - first < AT_A_TIME ? look->count - first : AT_A_TIME;
        if (!answer(look, &look->candidate, first, count))
            return;
        for (size_t i = 0; i < count; i++) {
            uint64_t outputs[2], own = output_of(look, &look->candidate, i);
            if (!load_both(look, first + i, outputs))
                continue;
            bool same = hypothesis_same(look->format, outputs[0], outputs[1]);
            look->makes_nan = look->makes_nan || (format_is_nan(look->format, own) &&
                                                  !format_is_nan(look->format, outputs[0]) &&
                                                  !format_is_nan(look->format, outputs[1]));
            for (int side = 0; side < 2; side++) {
                bool is = hypothesis_same(look->format, outputs[side], own);
                all[side] += is;
                wrong[side] += !is && !same;
            }
        }
        if (is_out(look, wrong[0]) && is_out(look, wrong[1]))
            return;
    }
    for (int side = 0; side < 2; side++)
        if (!is_out(look, wrong[side]) && all[side] > look->best[side]) {
            look->best[side] = all[side];
            identities->found[side] = *candidate;
        }
}

/* "div(x, y)": the operation itself. */
static const char *call_text(const struct operation *operation, char text[64]) {
    snprintf(text, 64, "%s(%s)", operation->name,
             operation->operands == 1   ? "x"
             : operation->operands == 2 ? "x, y"
                                        : "x, y, z");
    return text;
}

/* A way to compute: steps alone, or `guarded`, as code is that asks for special cases first: the operation itself where the
 * steps give NaN. */
struct way {
    const struct identity *row;
    const struct format *format;
    const char *functions;
    bool guarded;
};

static bool name_way(const struct look *look, const struct way *way, struct implementation *one,
                     char name[IMPLEMENTATION_NAME]) {
    const struct operation *operation = look->request->computed.operation;
    const struct format *own = look->request->computed.format;
    const char *formula = way->row->formula;
    char call[64];
    struct error unused;
    int length = snprintf(name, IMPLEMENTATION_NAME, "steps@%s:%s: %s%s%s%s%s", way->format->name,
                          way->functions, way->guarded ? "let value = (" : "", formula,
                          way->guarded ? ") in select(value == value, value, " : "",
                          way->guarded ? call_text(operation, call) : "", way->guarded ? ")" : "");
    if (length >= IMPLEMENTATION_NAME || /* of a formula that somebody wrote */
        !implementation_open(one, name, look->request->sides[0]->foreign, &unused))
        return false;
    snprintf(one->detail, sizeof one->detail,
             "computes %.*s, each step rounded to %s%s%s%s%s (functions by %s)",
             operation->made_of ? (int)strlen(formula) : identity_name_length(formula), formula,
             way->format->name, way->format == own ? "" : " and the result from there",
             way->guarded ? ", and where that is NaN " : "",
             way->guarded ? call_text(operation, call) : "", way->guarded ? " itself" : "",
             way->functions);
    return true;
}

static void try_one(struct look *look, const struct way *way, struct identities *identities) {
    struct implementation candidate;
    char name[IMPLEMENTATION_NAME];
    if (name_way(look, way, &candidate, name) && open_side(look, &look->candidate, &candidate))
        compare(look, &candidate, identities);
    side_close(&look->candidate);
}

/* Whether a side is right wherever a few of the inputs are looked at where the sides differ: then it is no rewriting
 * that it differs by. */
static bool is_right(const struct look *look, int side) {
    const struct binding_request *computed = &look->request->computed;
    const struct format *format = request_result_format(computed);
    struct oracle oracle;
    struct error unused;
    bool right = true;
    int looks = 0;
    oracle_open(&oracle, computed->operation, computed->format, oracle_precision(computed->format));
    for (size_t at = 0; at < look->count && right && looks < RIGHT_LOOKS; at++) {
        uint64_t codes[MAX_OPERANDS], own = output_of(look, &look->sides[side], at);
        struct real y;
        if (hypothesis_same(format, own, output_of(look, &look->sides[1 - side], at)))
            continue;
        for (int i = 0; i < computed->operation->operands; i++)
            codes[i] = code_load(look->inputs[i], format_bytes(computed->format), at);
        right = oracle_exact(&oracle, codes, look->request->result, &y, &unused) &&
                hypothesis_same(format, own,
                                format_encode(format, &y, computed->rounding, computed->overflow));
        looks++;
    }
    oracle_close(&oracle);
    return right;
}

/* In the operands' format, and in those in which that is often computed. Rows that define a function look after special cases
 * themselves. */
static void try_row(struct look *look, const struct identity *row, struct identities *identities) {
    static const char *const functions[] = {"det", "libm"};
    const struct binding_request *computed = &look->request->computed;
    const struct format *own = computed->format;
    const struct format *formats_tried[] = {own, &formats[FORMAT_FP32], &formats[FORMAT_FP64]};
    const bool has_guard = !computed->operation->made_of && !strstr(row->formula, ") = ");
    for (size_t i = 0; i < sizeof formats_tried / sizeof *formats_tried; i++) {
        if (i && formats_tried[i]->precision <= own->precision)
            continue;
        for (size_t j = 0; j < sizeof functions / sizeof *functions; j++) {
            struct way way = {row, formats_tried[i], functions[j], false};
            look->makes_nan = false;
            try_one(look, &way, identities);
            way.guarded = true;
            if (has_guard && look->makes_nan)
                try_one(look, &way, identities);
        }
    }
}

/* Those of the table; of a formula its own steps. */
static void try_all(struct look *look, struct identities *identities) {
    const struct operation *operation = look->request->computed.operation;
    const struct identity own = {operation->name, operation->name};
    if (operation->made_of)
        try_row(look, &own, identities);
    for (size_t i = 0; i < ROWS && !foreign_is_stopped(look->request->sides[0]->foreign); i++)
        if (strcmp(rows[i].operation, operation->name) == 0)
            try_row(look, &rows[i], identities);
}

void identities_find(const struct explain_request *request, struct identities *identities) {
    struct look look = {.request = request, .format = request_result_format(&request->computed)};
    bool known = request->computed.operation->made_of;
    *identities = (struct identities){.count = 0};
    for (size_t i = 0; i < ROWS; i++)
        known = known || strcmp(rows[i].operation, request->computed.operation->name) == 0;
    if (!known || request->computed.rounding != ROUND_NEAREST_EVEN ||
        request->sides[0] == request->sides[1])
        return;
    bool good = draw(&look);
    for (int side = 0; side < 2 && good; side++) {
        good = open_side(&look, &look.sides[side], request->sides[side]) &&
               answer(&look, &look.sides[side], 0, look.count) && !look.losses.count;
        request->losses[side]->cut[QUESTION_REWRITINGS] = look.losses.count > 0;
    }
    if (good)
        count_differences(&look);
    if (look.differ)
        try_all(&look, identities);
    /* Those that were found stand first. */
    for (int side = 0; side < IDENTITY_MOST; side++)
        if (look.best[side] && !is_right(&look, side))
            identities->found[identities->count++] = identities->found[side];
    for (int side = 0; side < 2; side++)
        side_close(&look.sides[side]);
    for (int i = 0; i < MAX_OPERANDS; i++)
        free(look.inputs[i]);
}
