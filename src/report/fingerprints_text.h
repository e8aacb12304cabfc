/* The lines of a file of fingerprints: between fingerprints.c and fingerprints_read.c. */
#ifndef DETCHECK_REPORT_FINGERPRINTS_TEXT_H
#define DETCHECK_REPORT_FINGERPRINTS_TEXT_H

#include "report/fingerprints.h"

#define FINGERPRINTS_FIRST_LINE "detcheck fingerprints 1"

/* The lines of a section that are texts, in order. */
struct section_field {
    const char *name;
    char *(*text)(struct fingerprint_section *section);
    bool may_lack; /* the line is not there where the text is empty */
};

enum { SECTION_FIELDS = 11 };
extern const struct section_field section_fields[SECTION_FIELDS];

#endif
