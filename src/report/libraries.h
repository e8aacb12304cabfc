/* Libraries by their fingerprints: the table vectors/libraries.json, which is a part of the program. */
#ifndef DETCHECK_REPORT_LIBRARIES_H
#define DETCHECK_REPORT_LIBRARIES_H

#include "report/read.h"
#include "sweep/fingerprint.h"

/* The inputs that the table has fingerprints of. */
enum library_inputs { LIBRARY_ALL, LIBRARY_SAMPLES, LIBRARY_SPECIAL, LIBRARY_INPUTS };
extern const char *const library_inputs_names[LIBRARY_INPUTS];

enum { LIBRARY_NAMES = 24 };

/* The libraries whose outputs have these fingerprints. */
struct library_names {
    size_t count, more; /* those that there is room for; others */
    const char *names[LIBRARY_NAMES];
    bool by[LIBRARY_INPUTS]; /* the inputs that this rests on */
    bool in_table;           /* whether the table has the function at all */
    bool all_tells_more;     /* of all inputs the table has other fingerprints of these */
};

/* Which libraries have all of these fingerprints that the table has of them, and one of them at
 * least. An empty one is not known. */
void libraries_find(const char *operation, const struct format *format, enum rounding rounding,
                    char prints[LIBRARY_INPUTS][FINGERPRINT_TEXT], struct library_names *found);

/* The inputs by which sweeps name them; the domain is the caller's to free. */
bool library_domain(struct domain *domain, enum library_inputs inputs,
                    const struct operation *operation, const struct format *format,
                    struct error *error);

/* Which of them a domain is: by domain_identity, or LIBRARY_INPUTS. */
enum library_inputs library_inputs_of(const char *identity, const struct operation *operation,
                                      const struct format *format);

/* The same of one fingerprint, over inputs that a report names or that have an identity
 * (domain_identity). None is found where the names are not known here. */
void libraries_recognise(const char *operation, const char *format, const char *rounding,
                         const char *identity, const char *print, struct library_names *found);
void libraries_recognise_report(const struct read_result *result, const char *print,
                                struct library_names *found);

/* Which of the inputs of the table a report is of, or LIBRARY_INPUTS. */
enum library_inputs library_inputs_of_report(const struct read_result *result);

/* Whether the table has the function, and no library that could still have these fingerprints. */
bool libraries_exclude(const char *operation, const struct format *format,
                       char prints[LIBRARY_INPUTS][FINGERPRINT_TEXT]);

/* "musl 1.2.3, newlib 3.3.0 and 2 more": as many names as fit into that many columns, and one at
 * least; "" if there is none. */
enum { LIBRARIES_TEXT = 512, LIBRARIES_COLUMNS = 55 /* beside figures, in a line of 80 */ };
const char *libraries_text(const struct library_names *names, size_t columns,
                           char text[LIBRARIES_TEXT]);

#endif
