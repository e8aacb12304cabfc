/* The rows: each is a file of vectors/policies. */
#include "gate/published.h"

#include "base/names.h"

extern const unsigned char opencl_3_0_full_json[], vulkan_1_0_json[];
extern const size_t opencl_3_0_full_json_size, vulkan_1_0_json_size;

const struct published_policy published_policies[] = {
    {"opencl_3_0_full", "OpenCL 3.0, full profile: fp64, fp32, fp16", opencl_3_0_full_json,
     &opencl_3_0_full_json_size},
    {"vulkan_1_0", "Vulkan 1.0: exp, exp2, log, log2, rsqrt in fp32", vulkan_1_0_json,
     &vulkan_1_0_json_size},
    {NULL, NULL, NULL, NULL}};

const struct published_policy *published_find(const char *name) {
    for (const struct published_policy *one = published_policies; one->name; one++)
        if (name_matches(name, one->name, NULL))
            return one;
    return NULL;
}
