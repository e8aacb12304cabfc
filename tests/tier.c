// Chooses the tests of a cmocka program by slow.txt, as run.py does for Python. CMakeLists.txt gives the function below the name of
// cmocka's own in every test program.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

// As cmocka_run_group_tests, for the tests of one tier: TIER=quick leaves out the tests that slow.txt lists for TEST_NAME, and
// TIER=slow runs only these. Without TIER it runs all. SLOW_TESTS names another file than slow.txt. With SECONDS_TO=FILE it adds the
// processor time of each test to FILE. A program that lacks a listed test exits with 1.
int run_group_tests_of_tier(const char *group, const struct CMUnitTest *tests, size_t count,
                            CMFixtureFunction setup, CMFixtureFunction teardown);

static _Noreturn void stop_at(const char *path) {
    perror(path);
    exit(1);
}

// The processor time of this process and of all that it has waited for.
static double seconds(void) {
    double sum = 0;
    const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    for (int i = 0; i < 2; i++) {
        struct rusage used;
        getrusage(whose[i], &used);
        sum += (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
        sum += (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    }
    return sum;
}

// A group of one for each test, so that the time of each is known.
static int run_measured(const char *group, const struct CMUnitTest *tests, size_t count,
                        CMFixtureFunction setup, CMFixtureFunction teardown, const char *to) {
    int failures = 0;
    for (size_t i = 0; i < count; i++) {
        double before = seconds();
        failures += _cmocka_run_group_tests(group, &tests[i], 1, setup, teardown);
        FILE *file = fopen(to, "a");
        if (!file || fprintf(file, "%s %.2f\n", tests[i].name, seconds() - before) < 0 ||
            fclose(file)) {
            stop_at(to);
        }
    }
    return failures;
}

// The tests that slow.txt lists for this program, and whether any group has them.
static struct {
    char *names[64];
    bool found[64];
    size_t count;
} listed;

// A row for a test that is not there would leave out nothing.
static void check_all_found(void) {
    for (size_t i = 0; i < listed.count; i++) {
        if (!listed.found[i]) {
            fprintf(stderr,
                    "slow.txt lists %s, which this test does not have: slow.py measures it again\n",
                    listed.names[i]);
            _Exit(1);
        }
    }
}

static void read_listed(const char *program) {
    const char *path = getenv("SLOW_TESTS");
    path = path ? path : SLOW_TESTS;
    FILE *file = fopen(path, "r");
    if (!file || atexit(check_all_found)) {
        stop_at(path);
    }
    char line[512];
    char test[512];
    char name[512];
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%511s %511s", test, name) == 2 && !strcmp(test, program)) {
            if (listed.count == sizeof listed.found / sizeof *listed.found) {
                fprintf(stderr, "slow.txt lists more tests of %s than tier.c has room for\n",
                        program);
                exit(1);
            }
            listed.names[listed.count++] = strdup(name);
        }
    }
    fclose(file);
}

static bool is_listed(const char *name) {
    for (size_t i = 0; i < listed.count; i++) {
        if (!strcmp(listed.names[i], name)) {
            listed.found[i] = true;
            return true;
        }
    }
    return false;
}

int run_group_tests_of_tier(const char *group, const struct CMUnitTest *tests, size_t count,
                            CMFixtureFunction setup, CMFixtureFunction teardown) {
    const char *to = getenv("SECONDS_TO");
    if (to) {
        return run_measured(group, tests, count, setup, teardown, to);
    }
    const char *tier = getenv("TIER");
    const char *program = getenv("TEST_NAME");
    if (!tier || !program) {
        return _cmocka_run_group_tests(group, tests, count, setup, teardown);
    }
    if (!listed.count) {
        read_listed(program);
    }
    struct CMUnitTest *chosen = malloc(count * sizeof *chosen);
    if (!chosen) {
        stop_at(group);
    }
    bool is_slow = !strcmp(tier, "slow");
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_listed(tests[i].name) == is_slow) {
            chosen[kept++] = tests[i];
        }
    }
    if (is_slow) {
        fprintf(stderr, "%zu of %zu tests, which the default run leaves out\n", kept, count);
    } else {
        fprintf(stderr, "without %zu of %zu tests, which the label slow runs\n", count - kept,
                count);
    }
    int failures = kept ? _cmocka_run_group_tests(group, chosen, kept, setup, teardown) : 0;
    free(chosen);
    return failures;
}
