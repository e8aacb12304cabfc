/* Libraries by their fingerprints: the table vectors/libraries.json, which is a part of the program. */
#ifndef DETCHECK_EXPLAIN_LIBRARIES_H
#define DETCHECK_EXPLAIN_LIBRARIES_H

#include "explain/pass.h"

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

/* The fingerprints of a side on inputs that take a moment, of those that are not there yet; the text
 * stays empty where it does not answer them all. Of an operation (a result's name) that is in the
 * table, the samples are asked for only while a library may be found by them. */
void library_prints(const struct explain_request *request, int side, const char *operation,
                    char prints[LIBRARY_INPUTS][FINGERPRINT_TEXT]);

#endif
