/* The members of "run", "tool" and "platform": one row each. */
#include "report/run_record.h"

#include "record/kinds.h"
#include "sweep/tally_record.h"

#include <time.h>

#define ANY_STRING "{\"type\":\"string\"}"
#define DATE                                                                                       \
    "{\"type\":\"string\","                                                                        \
    "\"pattern\":\"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$\"}"
#define ROW(NAME, KIND, TYPE, OF_KIND, ...)                                                        \
    { #NAME, &KIND, offsetof(TYPE, NAME), OF_KIND, .flags = RECORD_LENIENT, .says = __VA_ARGS__ }

#define RUN(NAME, KIND, OF_KIND, SAYS) ROW(NAME, KIND, struct run_facts, OF_KIND, SAYS)
static const struct record_member run_members[] = {
    RUN(date, record_string, DATE,
        "When the report was written, in UTC, such as 2026-11-20T19:01:11Z."),
    RUN(host, record_string, ANY_STRING, "The name of the host."),
    RUN(seconds, record_error, NULL, "The time that the sweeps or searches took."),
    RUN(threads, record_count, "{\"type\":\"integer\",\"minimum\":1}",
        "The number of threads asked for."),
    RUN(inputs_per_second, record_error, NULL,
        "The number of inputs of all sweeps, or that searches tried, divided by seconds.")};
const struct record run_record = {"run", run_members, ROWS(run_members), sizeof(struct run_facts),
                                  RECORD_ALL};

#define TOOL(NAME, SAYS) ROW(NAME, record_string, struct tool_facts, NULL, SAYS)
static const struct record_member tool_members[] = {
    TOOL(name, "The program that made the report: detcheck."), TOOL(version, "Its version."),
    TOOL(oracle,
         "The library that computes the exact results, with its version, such as mpfr 4.2.0.")};
const struct record tool_record = {"tool", tool_members, ROWS(tool_members),
                                   sizeof(struct tool_facts), RECORD_ALL};

#define PLATFORM(NAME, KIND, OF_KIND, ...)                                                         \
    ROW(NAME, KIND, struct platform_facts, OF_KIND, __VA_ARGS__)
static const struct record_member platform_members[] = {
    PLATFORM(os, record_string, ANY_STRING, "The operating system and its release."),
    PLATFORM(arch, record_string, ANY_STRING, "The architecture that detcheck was compiled for."),
    PLATFORM(cpu, record_string, ANY_STRING, "The processor."),
    PLATFORM(libc, record_string, ANY_STRING, "The C library that is running, such as glibc 2.36."),
    PLATFORM(libm_variant, record_string, ANY_STRING,
             "The variant of libm that runs: fma (with fused multiply-adds), no-fma or unknown."),
    PLATFORM(compiler, record_string, ANY_STRING, "The compiler of detcheck."),
    PLATFORM(fma, record_truth, NULL, "Whether programs can use fused multiply-add instructions.",
             .when = TELLS_FMA),
    PLATFORM(ftz, record_truth, NULL, "Whether subnormal results become 0.", .when = TELLS_FTZ),
    PLATFORM(daz, record_truth, NULL, "Whether subnormal operands count as 0.", .when = TELLS_DAZ)};
const struct record platform_record = {"platform", platform_members, ROWS(platform_members),
                                       sizeof(struct platform_facts),
                                       offsetof(struct platform_facts, tells)};

const struct run_facts run_unknown = {.date = "?", .host = "?"};
const struct tool_facts tool_unknown = {"?", "?", "?"};
const struct platform_facts platform_unknown = {"?", "?",   "?",   "?",   "?",
                                                "?", false, false, false, 0};

const char *run_date(char text[RUN_DATE]) {
    time_t now = time(NULL);
    struct tm utc;
    text[0] = '\0';
    if (gmtime_r(&now, &utc))
        strftime(text, RUN_DATE, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

struct platform_facts platform_tell(const struct platform *platform) {
    return (struct platform_facts){.os = platform->os,
                                   .arch = platform->arch,
                                   .cpu = platform->cpu,
                                   .libc = platform->libc,
                                   .libm_variant = libm_variant_names[platform->libm_variant],
                                   .compiler = platform->compiler,
                                   .fma = platform->fma,
                                   .ftz = platform->ftz,
                                   .daz = platform->daz,
                                   .tells = TELLS_FMA | TELLS_FTZ | TELLS_DAZ};
}
