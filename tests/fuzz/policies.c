/* Any bytes as a policy, or, where the first byte is odd, as glibc's libm-test-ulps. What it promises is
 * held against a sweep of a few inputs. */
#include "fuzz.h"

#include "gate/policy.h"
#include "gate/promises.h"

static char name[64];

static void remove_file(void) {
    unlink(name);
}

enum { OPERATIONS = 2 };

static void sweep(struct policy *policy, const char *operation_name, struct domain *domain) {
    static struct implementation implementations[2];
    static struct sweep_promises promises; /* which each call frees or fills anew */
    struct sweep_outcome outcome;
    struct error error = {{0}};
    if (!implementations[0].kind) {
        fuzz_require(implementation_open(&implementations[0], "det", NULL, &error));
        fuzz_require(implementation_open(&implementations[1], "libm", NULL, &error));
    }
    struct sweep_request request = {
        .computed = {.operation = operation_find(operation_name, &error), .format = domain->format},
        .recheck = 1,
        .domain = domain,
        .implementations = implementations,
        .implementation_count = 2,
        .threads = 1};
    if (fuzz_check(promises_find(policy, &request, &promises, &error), &error)) {
        request.promises = promises.found;
        if (fuzz_check(sweep_run(&request, &outcome, &error), &error))
            sweep_outcome_free(&outcome);
    }
    promises_free(&promises);
}

static void use(struct policy *policy) {
    static const char *const operation_names[OPERATIONS] = {"exp", "tan"};
    struct error error;
    const struct format *format = format_find("fp16", &error);
    fuzz_require(policy_index(policy));
    for (int i = 0; i < OPERATIONS; i++) {
        struct code_set set = {0};
        struct domain domain;
        fuzz_require(code_set_range(&set, format, "0x3bf0:0x3c0f", NULL, &error) &&
                     domain_product(&domain, DOMAIN_RANGE, format, 1, &set, 1, &error));
        sweep(policy, operation_names[i], &domain);
        domain_free(&domain);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct policy policy;
    struct error error = {{0}};
    if (!count)
        return 0;
    if (!name[0])
        atexit(remove_file);
    fuzz_name_file(name);
    fuzz_write_file(name, bytes + 1, count - 1);
    if (fuzz_check((bytes[0] & 1 ? policy_read_glibc : policy_read)(&policy, name, &error),
                   &error)) {
        use(&policy);
        policy_free(&policy);
    }
    return 0;
}
