# Files that are a part of the program, as arrays in C: embedded_sources. The style sheet and the script
# of the page that `detcheck report` makes, the table of libraries that `detcheck explain` reads, inputs
# of vectors of det, published policies, and what `detcheck plan` fills in.
set(embedded_sources "")
foreach(asset src/page/page.css src/page/page.js src/page/envelope.js vectors/libraries.json vectors/mutants-fp32.txt vectors/mutants-fp64.txt
              vectors/policies/c_annex_f.json
              vectors/policies/cuda.json
              vectors/policies/glibc_2_36.json
              vectors/policies/intel_ep.json
              vectors/policies/intel_ha.json
              vectors/policies/intel_la.json
              vectors/policies/java_math.json
              vectors/policies/java_strict_math.json
              vectors/policies/jax_cpu.txt
              vectors/policies/jax_h100.txt
              vectors/policies/jax_tpu.txt
              vectors/policies/jax_tpu_7x.txt
              vectors/policies/jax_tpu_v5e.txt
              vectors/policies/jax_tpu_v5p.txt
              vectors/policies/jax_tpu_v6e.txt
              vectors/policies/libmvec.json
              vectors/policies/opencl_3_0_embedded.json
              vectors/policies/opencl_3_0_full.json
              vectors/policies/opencl_3_0_unsafe.json
              vectors/policies/sleef.json
              vectors/policies/vulkan_1_0.json
              vectors/policies/wgsl.json
              vectors/policies/xla_cpu.json
              vectors/policies/xla_gpu.json
              cmd/plan_slurm.sh cmd/plan_kubernetes.yaml cmd/plan_make.mk cmd/plan_github.yaml)
  get_filename_component(name ${asset} NAME)
  string(REGEX REPLACE "[.-]" "_" name ${name})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
  add_custom_command(OUTPUT ${source}
                     COMMAND ${CMAKE_COMMAND} -DFROM=${CMAKE_CURRENT_SOURCE_DIR}/${asset}
                             -DTO=${source} -DNAME=${name}
                             -P ${CMAKE_CURRENT_SOURCE_DIR}/src/package/embed.cmake
                     DEPENDS ${asset} src/package/embed.cmake VERBATIM)
  list(APPEND embedded_sources ${source})
endforeach()

# What `detcheck help` knows of the manual, from its sources. Only a changed index is compiled again.
set(pages_source ${CMAKE_CURRENT_BINARY_DIR}/pages.c)
file(GLOB manual_sources CONFIGURE_DEPENDS man/*.[137] man/*.in)
add_custom_command(OUTPUT ${pages_source}
                   COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_CURRENT_SOURCE_DIR}/man -DTO=${pages_source}
                           -P ${CMAKE_CURRENT_SOURCE_DIR}/src/package/pages.cmake
                   DEPENDS ${manual_sources} src/package/pages.cmake VERBATIM)
