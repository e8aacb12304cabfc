/* What a report says of its run: when and how fast, by which program, and where. */
#ifndef DETCHECK_REPORT_RUN_RECORD_H
#define DETCHECK_REPORT_RUN_RECORD_H

#include "platform/platform.h"
#include "record/record.h"

enum { RUN_DATE = 32 };

struct run_facts {
    const char *date, *host;
    double seconds, inputs_per_second;
    uint64_t threads;
};
extern const struct record run_record;

struct tool_facts {
    const char *name, *version, *oracle;
};
extern const struct record tool_record;

struct platform_facts {
    const char *os, *arch, *cpu, *libc, *libm_variant, *compiler;
    bool fma, ftz, daz;
    unsigned tells; /* TELLS_FMA and the like: what the report has */
};
enum { TELLS_FMA = 1, TELLS_FTZ = 2, TELLS_DAZ = 4 };
extern const struct record platform_record;

/* As old reports may have it: "?", and 0. */
extern const struct run_facts run_unknown;
extern const struct tool_facts tool_unknown;
extern const struct platform_facts platform_unknown;

/* Today, in UTC. */
const char *run_date(char text[RUN_DATE]);

struct platform_facts platform_tell(const struct platform *platform);

#endif
