/* What the options of sweep and eval select: operations, formats, roundings, implementations. */
#ifndef DETCHECK_CMD_SELECTION_H
#define DETCHECK_CMD_SELECTION_H

#include "command.h"

#include "impl/implementation.h"
#include "sweep/sweep.h"

enum { MAX_SELECTED = 256 };

struct selection {
    const struct operation *operations[MAX_SELECTED];
    size_t operation_count;
    bool by_group[MAX_SELECTED]; /* none but a group names the operation */
    const struct format *formats[MAX_SELECTED];
    size_t format_count;
    enum rounding roundings[ROUNDING_NAMES];
    size_t rounding_count;
    bool default_rounding; /* the user named none */
    struct implementation implementations[MAX_IMPLEMENTATIONS];
    size_t implementation_count;
    bool default_implementations;    /* the user named none */
    struct foreign_settings foreign; /* of the implementations, which point to it */
    struct parameters parameters;    /* as given */
};

/* Operations and groups from names, each once, in the order given; groups in table order. */
bool select_operations(struct selection *selection, const char *const *names, size_t count,
                       struct error *error);

/* Whether a group alone brought the operation in: nobody named it. */
bool select_by_group(const struct selection *selection, const struct operation *operation);

/* --timeout, --memory and --no-isolation: how code that is not ours is to be run. */
bool select_foreign(struct selection *selection, const struct arguments *arguments,
                    struct error *error);

/* --format, --rounding, --impl and the parameters of operations (after select_operations). The
 * first three: repeated, or separated by commas (an implementation with a colon in its name may
 * hold commas, so it stands alone, but for matrix units). Also those of select_foreign. Defaults: fp32,
 * nearest-even, and the names in `implementations`; where that is NULL, --impl is not looked at. */
bool select_options(struct selection *selection, const struct arguments *arguments,
                    const char *implementations, struct error *error);

/* False where an implementation can be run once only, but `runs` are to be made: a file of outputs
 * is of one operation in one format and rounding, and of one family of inputs. */
bool select_once(const struct selection *selection, size_t runs, const struct operation *operation,
                 struct error *error);

/* Rounding `number` of those selected. Where the user named none, a conversion has that of its
 * profile (profile_rounding), and all else nearest-even. */
enum rounding select_rounding(const struct selection *selection, const struct operation *operation,
                              const struct format *format, size_t number);

/* Request `number` of those for every operation, format and rounding, roundings in turn first; without
 * parameters. False beyond the last. */
bool select_request(const struct selection *selection, size_t number,
                    struct binding_request *computed);

/* The operation's parameters in that format and rounding, of those given and the defaults. */
bool select_parameters(const struct selection *selection, const struct operation *operation,
                       const struct format *format, enum rounding rounding,
                       struct parameters *parameters, struct error *error);

/* That the parameters go together, for an operation on arrays; the error names the operation where
 * there are several. */
bool select_call(const struct selection *selection, const struct binding_request *computed,
                 struct error *error);

/* Those of the selected implementations to run for a request: all that the user named. Where he
 * named none, libm and those that provide what is asked. Returns how many. */
size_t select_implementations(const struct selection *selection,
                              const struct binding_request *request,
                              struct implementation chosen[MAX_IMPLEMENTATIONS]);

/* Where the user named none, the first of the default ones that provides what is asked, or the
 * first; else all that he named. Returns how many. */
size_t select_first(const struct selection *selection, const struct binding_request *request,
                    const struct implementation **first);

#endif
