/* The rows: each is a file of vectors/policies. */
#include "gate/published.h"

#include "base/names.h"

extern const unsigned char c_annex_f_json[], cuda_json[], glibc_2_36_json[], intel_ep_json[],
    intel_ha_json[], intel_la_json[], java_math_json[], java_strict_math_json[], jax_cpu_txt[],
    jax_h100_txt[], jax_tpu_txt[], jax_tpu_7x_txt[], jax_tpu_v5e_txt[], jax_tpu_v5p_txt[],
    jax_tpu_v6e_txt[], libmvec_json[], opencl_3_0_embedded_json[], opencl_3_0_full_json[],
    opencl_3_0_unsafe_json[], sleef_json[], vulkan_1_0_json[], wgsl_json[], xla_cpu_json[],
    xla_gpu_json[];
extern const size_t c_annex_f_json_size, cuda_json_size, glibc_2_36_json_size, intel_ep_json_size,
    intel_ha_json_size, intel_la_json_size, java_math_json_size, java_strict_math_json_size,
    jax_cpu_txt_size, jax_h100_txt_size, jax_tpu_txt_size, jax_tpu_7x_txt_size,
    jax_tpu_v5e_txt_size, jax_tpu_v5p_txt_size, jax_tpu_v6e_txt_size, libmvec_json_size,
    opencl_3_0_embedded_json_size, opencl_3_0_full_json_size, opencl_3_0_unsafe_json_size,
    sleef_json_size, vulkan_1_0_json_size, wgsl_json_size, xla_cpu_json_size, xla_gpu_json_size;

const struct published_policy published_policies[] = {
    {"c_annex_f", "C, Annex F: what is correctly rounded, exact or special; fp64, fp32",
     c_annex_f_json, &c_annex_f_json_size},
    {"cuda", "CUDA's documented largest errors; fp64, fp32", cuda_json, &cuda_json_size},
    {"glibc_2_36", "glibc's known maximum errors on x86_64, as its manual had them; fp64, fp32",
     glibc_2_36_json, &glibc_2_36_json_size},
    {"intel_ep", "Intel's vector mathematics, enhanced performance: 11 and 26 bits; fp64, fp32",
     intel_ep_json, &intel_ep_json_size},
    {"intel_ha", "Intel's vector mathematics, high accuracy: 1 ulp; fp64, fp32", intel_ha_json,
     &intel_ha_json_size},
    {"intel_la", "Intel's vector mathematics, low accuracy: 4 ulps; fp64, fp32", intel_la_json,
     &intel_la_json_size},
    {"java_math", "Java's class Math; fp64", java_math_json, &java_math_json_size},
    {"java_strict_math", "Java's class StrictMath: the bits of fdlibm, by fingerprints; fp64",
     java_strict_math_json, &java_strict_math_json_size},
    {"jax_cpu", "JAX on the processor, by its own accuracy page; fp64, fp32, fp16, bf16",
     jax_cpu_txt, &jax_cpu_txt_size},
    {"jax_h100", "JAX on NVIDIA's H100 and B200; fp64, fp32, fp16, bf16", jax_h100_txt,
     &jax_h100_txt_size},
    {"jax_tpu", "JAX on any TPU: the largest figures of these four; fp32, fp16, bf16", jax_tpu_txt,
     &jax_tpu_txt_size},
    {"jax_tpu_7x", "JAX on TPU 7x; fp32, fp16, bf16", jax_tpu_7x_txt, &jax_tpu_7x_txt_size},
    {"jax_tpu_v5e", "JAX on TPU v2 to v5e; fp32, fp16, bf16", jax_tpu_v5e_txt,
     &jax_tpu_v5e_txt_size},
    {"jax_tpu_v5p", "JAX on TPU v5p; fp32, fp16, bf16", jax_tpu_v5p_txt, &jax_tpu_v5p_txt_size},
    {"jax_tpu_v6e", "JAX on TPU v6e; fp32, fp16, bf16", jax_tpu_v6e_txt, &jax_tpu_v6e_txt_size},
    {"libmvec", "glibc's vector functions: 4 ulps; fp64, fp32", libmvec_json, &libmvec_json_size},
    {"opencl_3_0_embedded", "OpenCL 3.0, embedded profile; fp64, fp32, fp16",
     opencl_3_0_embedded_json, &opencl_3_0_embedded_json_size},
    {"opencl_3_0_full", "OpenCL 3.0, full profile; fp64, fp32, fp16", opencl_3_0_full_json,
     &opencl_3_0_full_json_size},
    {"opencl_3_0_unsafe", "OpenCL 3.0 with unsafe math optimizations; fp32", opencl_3_0_unsafe_json,
     &opencl_3_0_unsafe_json_size},
    {"sleef", "SLEEF's most accurate functions: 1 ulp, mostly; fp32", sleef_json, &sleef_json_size},
    {"vulkan_1_0", "Vulkan 1.0, with what is inherited from formulas; fp32, fp16", vulkan_1_0_json,
     &vulkan_1_0_json_size},
    {"wgsl", "WebGPU Shading Language, with what is inherited; fp32, fp16", wgsl_json,
     &wgsl_json_size},
    {"xla_cpu", "what XLA's exhaustive tests allow on the processor; fp64, fp32, fp16, bf16",
     xla_cpu_json, &xla_cpu_json_size},
    {"xla_gpu", "what XLA's exhaustive tests allow on a GPU; fp64, fp32, fp16, bf16", xla_gpu_json,
     &xla_gpu_json_size},
    {NULL, NULL, NULL, NULL}};

const struct published_policy *published_find(const char *name) {
    for (const struct published_policy *one = published_policies; one->name; one++)
        if (name_matches(name, one->name, NULL))
            return one;
    return NULL;
}
