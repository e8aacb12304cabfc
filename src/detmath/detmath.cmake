# The library detmath, its headers, and the single-file header.

set(detmath_level_of_optimisation -O3)
# The same bits in a quarter of the time to compile: with few optimisations, and without vectors of AVX-512.
set(detmath_is_quick OFF)
if(DETCHECK_BUILD_QUICKLY AND CMAKE_BUILD_TYPE STREQUAL "Release")
  set(detmath_is_quick ON)
  # gcc counts among the expensive ones that a function clears the upper halves of registers at its end.
  set(detmath_level_of_optimisation -Og $<$<C_COMPILER_ID:GNU>:-fexpensive-optimizations>)
endif()
if(DETCHECK_SANITIZE) # whose checks are in it as in all the rest, and take minutes to compile in vector code
  set(detmath_level_of_optimisation -O0)
endif()
# Contraction is off and no option trades bits for speed: floating-point exceptions and errno are
# all that the functions do not promise, and loops vectorise without them. No link-time
# optimisation, so that any compiler can link the archive. Functions begin with a cache line: where
# they happened to begin cost the scalar logarithm a tenth of its speed.
set(detmath_options ${detmath_level_of_optimisation} -falign-functions=64 -ffp-contract=off -DDETMATH_UNCONTRACTED -fno-math-errno
    -fno-trapping-math)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64|aarch64|arm64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  list(APPEND detmath_options -DDETMATH_HARDWARE_ROUNDING) # roots and quotients of vectors are correctly rounded there
endif()

# gcc else moves what the short loops of look_up.h share out of them, and then makes no vectors of what is left.
set_source_files_properties(src/detmath/library/arrays.c PROPERTIES
                            COMPILE_OPTIONS $<$<C_COMPILER_ID:GNU>:-fno-tree-pre>)

# Vectors that go side by side are in one another's steps then.
if(NOT detmath_is_quick)
  set_source_files_properties(src/detmath/library/arrays_f64.c src/detmath/library/line_kernels.c PROPERTIES
                              COMPILE_OPTIONS "$<$<C_COMPILER_ID:GNU>:-fschedule-insns;-fsched-pressure>")
endif()

# The functions of arrays.c and arrays_f64.c in the parts of functions.inc and functions_f64.inc, which several processors compile at once.
function(detmath_parts level)
  foreach(part 1 2 3 4)
    add_library(detmath_${level}_${part} OBJECT src/detmath/library/arrays.c src/detmath/library/arrays_f64.c)
    target_compile_definitions(detmath_${level}_${part} PRIVATE ARRAYS_PART=${part})
    detmath_level_options(detmath_${level}_${part} ${level} ${ARGN})
  endforeach()
endfunction()

function(detmath_level_options target level)
  target_link_libraries(${target} PRIVATE detcheck_flags)
  target_compile_options(${target} PRIVATE ${detmath_options} ${ARGN})
  target_compile_definitions(${target} PRIVATE DETMATH_LEVEL=${level})
  set_target_properties(${target} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF POSITION_INDEPENDENT_CODE ON)
  target_sources(detmath PRIVATE $<TARGET_OBJECTS:${target}>)
endfunction()

function(detmath_level level)
  add_library(detmath_${level} OBJECT src/detmath/library/dyadic_arrays.c
              src/detmath/library/dyadic_products.c
              src/detmath/library/cast_arrays.c src/detmath/library/mx_arrays.c src/detmath/library/quantise_elements.c
              src/detmath/library/reductions.c src/detmath/library/line_kernels.c src/detmath/library/training.c src/detmath/library/attention_rows.c
              src/detmath/library/scaled_arrays.c src/detmath/library/scaled_row_kernels.c)
  detmath_level_options(detmath_${level} ${level} ${ARGN})
  detmath_parts(${level} ${ARGN})
endfunction()

add_library(detmath STATIC src/detmath/library/dispatch.c src/detmath/library/self_check.c
            src/detmath/library/cast_profiles.c src/detmath/library/mx_profiles.c
            src/detmath/library/quantise.c src/detmath/library/requantise.c
            src/detmath/library/dyadic_dispatch.c
            src/detmath/library/dyadic_linear.c src/detmath/library/dyadic_plans.c src/detmath/library/reductions_dispatch.c
            src/detmath/library/log_sums_dispatch.c src/detmath/library/scaled_dispatch.c
            src/detmath/library/scaled_tensors.c src/detmath/library/scaled_lines.c src/detmath/library/scaled_line_gradients.c
            src/detmath/library/scaled_contraction.c src/detmath/library/scaled_contractions.c
            src/detmath/library/scaled_measured.c src/detmath/library/scaled_packing.c
            src/detmath/library/scaled_terms.c
            src/detmath/library/attention.c src/detmath/library/attention_gradient.c src/detmath/library/bags.c src/detmath/library/gates.c src/detmath/library/norms.c src/detmath/library/norm_weights.c
            src/detmath/library/ordering.c src/detmath/library/softmax_gradient.c
            src/detmath/library/convolution.c src/detmath/library/cross_entropy.c src/detmath/library/optimisers.c
            src/detmath/library/pooling.c src/detmath/library/rope.c
            src/detmath/library/overlap.c src/detmath/library/axis_lines.c)
target_link_libraries(detmath PRIVATE $<BUILD_INTERFACE:detcheck_flags>)
set_target_properties(detmath PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF
                      POSITION_INDEPENDENT_CODE ON)
# For whoever waits for pip: processors without AVX2 are rare, and these objects take a fifth of the time to compile so.
if(SKBUILD AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_BUILD_TYPE STREQUAL "Release")
  detmath_level(baseline -Og $<$<C_COMPILER_ID:GNU>:-fexpensive-optimizations>)
else()
  detmath_level(baseline)
endif()
# The features are those that dispatch.c looks for.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(detmath_avx2 -mavx2 -mfma -mbmi -mbmi2)
  detmath_level(avx2 ${detmath_avx2})
  target_compile_definitions(detmath PRIVATE DETMATH_AVX2)
  if(NOT detmath_is_quick)
    set(detmath_avx512 ${detmath_avx2} -mavx512f -mavx512cd -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
    detmath_level(avx512 ${detmath_avx512})
    target_compile_definitions(detmath PRIVATE DETMATH_AVX512)
  endif()
endif()
if(detmath_is_quick)
  target_compile_options(detmath PRIVATE -O1 $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
target_include_directories(detmath INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS detmath EXPORT detmath)

file(GLOB detmath_headers CONFIGURE_DEPENDS src/detmath/*.h)
file(GLOB detmath_templates CONFIGURE_DEPENDS src/detmath/*.inc)
install(FILES ${detmath_headers} ${detmath_templates} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/detmath)

# All of it in one header: what is copied into other projects.
set(detmath_header ${CMAKE_CURRENT_BINARY_DIR}/detmath.h)
add_custom_command(OUTPUT ${detmath_header}
                   COMMAND ${CMAKE_COMMAND} -DFROM=${CMAKE_CURRENT_SOURCE_DIR}/src/detmath/all.h
                           -DTO=${detmath_header} -DVERSION=${PROJECT_VERSION}
                           -P ${CMAKE_CURRENT_SOURCE_DIR}/src/detmath/amalgamate.cmake
                   DEPENDS ${detmath_headers} ${detmath_templates} src/detmath/amalgamate.cmake VERBATIM)
set(detmath_metal ${CMAKE_CURRENT_BINARY_DIR}/detmath.metal)
add_custom_command(OUTPUT ${detmath_metal}
                   COMMAND ${CMAKE_COMMAND} -DFROM=${CMAKE_CURRENT_SOURCE_DIR}/src/detmath/detmath.metal
                           -DTO=${detmath_metal} -DVERSION=${PROJECT_VERSION}
                           -P ${CMAKE_CURRENT_SOURCE_DIR}/src/detmath/amalgamate.cmake
                   DEPENDS ${detmath_headers} ${detmath_templates} src/detmath/detmath.metal src/detmath/amalgamate.cmake VERBATIM)
add_custom_target(detmath_header ALL DEPENDS ${detmath_header} ${detmath_metal})
install(FILES ${detmath_header} ${detmath_metal} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/detmath)

# Ports to other languages, a file each, made by the target ports, which wants clang, its linker for WebAssembly and
# Python, and installed where they have been made.
set(detmath_ports ${CMAKE_CURRENT_BINARY_DIR}/ports)
add_custom_target(ports COMMAND python3 -B ${CMAKE_CURRENT_SOURCE_DIR}/src/detmath/ports/ports.py --wasm ${detmath_ports}
                  USES_TERMINAL VERBATIM)
install(DIRECTORY ${detmath_ports}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/detcheck/ports OPTIONAL)
