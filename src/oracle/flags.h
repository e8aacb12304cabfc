/* Which exception flags a call has to raise, which it may raise, and what errno may be after it.
 *
 * Judged is by the exact result, rounded once in the rounding in force. That is strict: where a
 * function need not round correctly, and its output lies on the other side of the threshold of
 * overflow or underflow than the rounded exact result, its flags are counted as missing or spurious,
 * although they fit the output. The standards, in the order in which they decide:
 *
 *   IEEE 754-2019, 6.2    a signalling NaN is invalid; a quiet one raises nothing
 *   7.2, C23 F.10         a NaN for operands that are numbers or infinities is invalid; an integer
 *                         (lrint, lround, ilogb) that does not exist is, a quiet NaN's too (5.8)
 *   7.3                   an exact infinity for finite operands is a division by zero: 1/0, ln 0,
 *                         atanh 1, lgamma -1
 *   7.4, 7.5, 7.6         overflow, underflow and inexact, by format_flags
 *   op/exceptions.h       what operations have of their own, and what they leave open
 *
 * Underflow is raised where a tiny result is inexact (7.5, default handling); an exact subnormal
 * result raises nothing. */
#ifndef DETCHECK_ORACLE_FLAGS_H
#define DETCHECK_ORACLE_FLAGS_H

#include "format/flags.h"
#include "op/operation.h"

/* What options set. */
struct flag_rules {
    bool tiny_after_rounding; /* as tininess_is_after_rounding (platform/tininess.h) finds it */
    bool inexact;             /* judged for functions too, where Annex F leaves it open */
    bool may_clear;           /* no second call looks whether flags that were set are cleared */
};

/* What calls are judged by. */
struct flag_setting {
    const struct operation *operation; /* on numbers */
    const struct format *format;       /* of the operands */
    const struct format *results;
    enum rounding rounding;
    struct flag_rules rules;
};

/* What errno is after a call, 0 being before. A set of these has the bit 1 << ERRNO_... of each. */
enum errno_kind { ERRNO_NONE, ERRNO_EDOM, ERRNO_ERANGE, ERRNO_OTHER, ERRNO_KINDS };
/* "none", "EDOM", "ERANGE", "other". */
extern const char *const errno_names[ERRNO_KINDS];
/* Of a value of errno. */
enum errno_kind errno_kind_of(int value);

struct flag_expectation {
    uint8_t required;
    uint8_t permitted; /* these, and what may be raised or not: anything else is spurious */
    uint8_t errnos;    /* what errno may be; ERRNO_NONE is among them unless C asks for a value */
};

/* Of the call with these operands, whose exact results, one for each result of the operation, are
 * `exact`. Where there is no such call (an operand that has to be an integer is none), nothing is
 * required and everything permitted; so, too, where a conversion has no NaN or infinity to give, or
 * no sign, of which IEEE 754 does not speak. */
struct flag_expectation oracle_flags(const struct flag_setting *setting, const uint64_t *codes,
                                     const struct real *exact);

/* Of any call of an implementation that promises to clear no flag and to leave errno alone, and no
 * more: det and cr. */
static inline struct flag_expectation oracle_flags_unpromised(void) {
    return (struct flag_expectation){.permitted = ALL_FLAGS, .errnos = 1 << ERRNO_NONE};
}

/* Whether a call of the operation may raise inexact or not, but for one with a signalling NaN. */
bool oracle_leaves_inexact_open(const struct flag_setting *setting);

/* The flags to the letter: those required if nothing were left open, inexact among them. */
uint8_t oracle_flags_raised(const struct flag_setting *setting, const uint64_t *codes,
                            const struct real *exact);

/* The flags that a call may raise or not, where `raised` are those to the letter and `outputs` the
 * rounded results: for those who have no exact results. */
uint8_t oracle_flags_open(const struct flag_setting *setting, const uint64_t *codes,
                          const uint64_t *outputs, uint8_t raised);

#endif
