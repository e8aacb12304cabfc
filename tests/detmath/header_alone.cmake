# Compiles and runs SOURCE beside a copy of HEADER in FOLDER, by the compilers C and CXX; kernels likewise, but not with
# TIER=quick.
set(warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)

function(compile_and_run)
  execute_process(COMMAND ${ARGN} ${warnings} -o program header_alone.c
                  WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ./program WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
get_filename_component(here ${SOURCE} DIRECTORY)
file(COPY ${HEADER} ${SOURCE} ${here}/header_alone.cl ${here}/header_alone.cu
     ${here}/header_alone.hip ${here}/header_alone_lines.inc DESTINATION ${FOLDER})
compile_and_run(${C} -std=c11)
if(CXX)
  execute_process(COMMAND ${CXX} -x c++ -std=c++17 ${warnings} -fsyntax-only header_alone.c
                  WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
endif()

# PoCL's OpenCL C has macros named after its functions: with those and all names of detmath's functions as macros, every header.
set(detmath ${here}/../../src/detmath)
set(names "")
foreach(rows functions functions_f64)
  file(STRINGS ${detmath}/${rows}.inc lines REGEX "^DETMATH_[A-Z0-9_]+\\([a-z]")
  foreach(line ${lines})
    string(REGEX MATCH "[a-z][a-z0-9_]*" name "${line}")
    list(APPEND names ${name})
  endforeach()
endforeach()
list(LENGTH names count)
if(count LESS 110)
  message(FATAL_ERROR "functions.inc and functions_f64.inc name only ${count} functions: ${names}")
endif()
list(APPEND names abs all any clamp cross degrees distance dot exp2 fabs fma fmax fmin fract isfinite isnan ldexp length mad mad24 max min
     mix mul24 normalize radians rint round select sign smoothstep step trunc)
list(TRANSFORM names REPLACE "(.+)" "-D\\1=_cl_\\1")
list(REMOVE_DUPLICATES names)
file(GLOB headers ${detmath}/*.h)
list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"\n")
string(JOIN "" headers ${headers})
file(WRITE ${FOLDER}/every_header.c "${headers}\nint main(void) {\n    return 0;\n}\n")
execute_process(COMMAND ${C} -std=c11 ${warnings} ${names} -I${detmath}/.. -fsyntax-only every_header.c
                WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)

if("$ENV{TIER}" STREQUAL "quick")
  message("by C and C++ alone; the label slow compiles and runs it in other ways, and kernels")
  return()
endif()

compile_and_run(${C} -std=c11 -O2 -ffp-contract=fast)
if(CXX)
  compile_and_run(${CXX} -x c++ -std=c++17)
endif()
find_program(CLANGXX clang++)
if(CLANGXX) # which warns in C++ of what neither g++ nor clang in C warns of
  execute_process(COMMAND ${CLANGXX} -x c++ -std=c++17 ${warnings} -fsyntax-only header_alone.c
                  WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
endif()

# For a processor that computes in fp16, of which gcc outside of strict C says that __FLT_EVAL_METHOD__ is 16.
execute_process(COMMAND ${C} -mavx512fp16 -fsyntax-only -x c /dev/null RESULT_VARIABLE unknown OUTPUT_QUIET ERROR_QUIET)
if(unknown EQUAL 0)
  execute_process(COMMAND ${C} -mavx512fp16 -std=gnu11 ${warnings} -fsyntax-only header_alone.c
                  WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
endif()

# Metal's file alone, as C++ with Metal's names from a header of ours.
if(CXX)
  execute_process(COMMAND ${CXX} -x c++ -std=c++17 -D__METAL_VERSION__=310 -Wno-attributes -I${here}/../reach/metal
                          -fsyntax-only ${METAL} COMMAND_ERROR_IS_FATAL ANY)
endif()

# OpenCL C and HIP by clang and CUDA C by nvcc, where they are: compiled only. (With -c, clang links a device's code,
# by lld.)
find_program(CLANG clang)
find_program(NVCC nvcc PATHS /usr/local/cuda/bin)
if(CLANG)
  foreach(version CL1.2 CL2.0 CL3.0)
    set(as -fsyntax-only)
    if(version STREQUAL CL3.0) # what is made of it does not depend on the version
      set(as -emit-llvm -c -o kernel.bc)
    endif()
    execute_process(COMMAND ${CLANG} -x cl -cl-std=${version} -Xclang -finclude-default-header
                            -target spir64 -Wall -Wextra -Werror ${as} header_alone.cl
                    WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${CLANG} -x cl -cl-std=${version} -Xclang -finclude-default-header -target spir64
                            -Wall -Wextra -Werror -I${here}/../../src -fsyntax-only ${here}/attention_group.cl
                    WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  # For a device without an fma of its own.
  execute_process(COMMAND ${CLANG} -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -DDETMATH_SOFTWARE_FMA
                          -target spir64 -Wall -Wextra -Werror -fsyntax-only header_alone.cl
                  WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
endif()
execute_process(COMMAND ${CLANG} -print-targets OUTPUT_VARIABLE targets ERROR_QUIET)
if(targets MATCHES "amdgcn")
  execute_process(COMMAND ${CLANG} -x hip -std=c++17 --offload-arch=gfx90a -nogpulib -nogpuinc --cuda-device-only -O1
                          -Wall -Wextra -Werror -I${here}/../../src -S -o attention_group.s ${here}/attention_group.hip
                  WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CLANG} -x hip -std=c++17 --offload-arch=gfx90a -nogpulib -nogpuinc --cuda-device-only
                          -DWITH_LINES -Wall -Wextra -Werror -fsyntax-only header_alone.hip
                  WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
  foreach(side device host)
    execute_process(COMMAND ${CLANG} -x hip -std=c++17 --offload-arch=gfx90a -nogpulib -nogpuinc --cuda-${side}-only -O1
                            -Wall -Wextra -Werror -S -o kernel.s header_alone.hip
                    WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endif()
if(NVCC)
  execute_process(COMMAND ${NVCC} -std=c++17 -c -o kernel.o header_alone.cu
                  WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${NVCC} -std=c++17 -I${here}/../../src -ptx -o attention_group.ptx ${here}/attention_group.cu
                  WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
  # Unoptimised, which takes a tenth of the time.
  execute_process(COMMAND ${NVCC} -std=c++17 -DWITH_LINES -ptx -Xcicc -O0 -o kernel.ptx header_alone.cu
                  WORKING_DIRECTORY ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
endif()
