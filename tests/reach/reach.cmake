# The headers give the same bits whatever compiles them: each test builds a program, runs it and compares
# fingerprints. Labels: unit, a few combinations of which no two are much alike; reach, all of them, other
# processors under emulation, OpenCL and CUDA. What is missing here is skipped, with a line that says what.

# reach_test(NAME LABEL OPTIONS...): options for reach.py, which says what they are.
function(reach_test name label)
  add_test(NAME reach_${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/reach.py ${ARGN})
  set_tests_properties(reach_${name} PROPERTIES LABELS ${label} TIMEOUT 1800 SKIP_RETURN_CODE 77)
endfunction()

set(reach_flush "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(reach_x86 ON)
  set(reach_flush --run= --run=--flush) # as the machine is, and with FTZ and DAZ set
  set(reach_v3 --cpu=avx2,bmi2,fma)
  set(reach_v4 --cpu=avx512f,avx512bw,avx512cd,avx512dq,avx512vl)
endif()

reach_test(native unit --cc=${CMAKE_C_COMPILER} --set=full -- -O3 -march=native)
reach_test(gcc_O0 unit --cc=gcc --package=gcc ${reach_flush} -- -O0)
reach_test(cxx unit --cc=g++ --language=c++ --package=g++ -- -O2 -march=native)
reach_test(clang_O0 unit --cc=clang --package=clang -- -O0 -march=native)
reach_test(macros unit --cc=gcc --package=gcc --macros -- -O1 -march=native)
if(DETCHECK_SANITIZE)
  reach_test(sanitized unit --cc=${CMAKE_C_COMPILER} -- -O1 -march=native
             -fsanitize=${DETCHECK_SANITIZE} -fno-sanitize-recover=all)
endif()
if(reach_x86)
  reach_test(gcc_v3_fast unit --cc=gcc --package=gcc --set=full ${reach_v3} ${reach_flush} --
             -O3 -march=x86-64-v3 -ffp-contract=fast)
  reach_test(clang_v4_fast unit --cc=clang --package=clang --set=full ${reach_v4} ${reach_flush} --
             -O2 -march=x86-64-v4 -ffp-contract=fast)
  reach_test(musl unit --cc=musl-gcc --package=musl-tools ${reach_v3} -- -O2 -march=x86-64-v3 -static)

  # Where floating-point numbers are not rounded to their own type, the headers refuse.
  reach_test(x87 unit --cc=gcc --package=gcc -- -O2 -mfpmath=387)
  set_tests_properties(reach_x87 PROPERTIES PASS_REGULAR_EXPRESSION "error: #error .detmath needs")

  foreach(cc gcc clang)
    foreach(optimise O0 O2 O3)
      foreach(contract off fast)
        set(options -${optimise} -ffp-contract=${contract})
        set(set quick)
        if(contract STREQUAL fast AND NOT optimise STREQUAL O0)
          set(set full)
        endif()
        reach_test(${cc}_${optimise}_${contract}_v1 reach --cc=${cc} --package=${cc} ${reach_flush} --
                   ${options} -march=x86-64)
        foreach(level v3 v4)
          reach_test(${cc}_${optimise}_${contract}_${level} reach --cc=${cc} --package=${cc}
                     ${reach_${level}} --set=${set} ${reach_flush} --
                     ${options} -march=x86-64-${level})
        endforeach()
      endforeach()
    endforeach()
  endforeach()
  reach_test(software_fma reach --cc=gcc --package=gcc --set=full -- -O2 -march=x86-64)
endif()

# Other processors, by Debian's cross compilers. Without -fexcess-precision=fast, gcc for s390x takes
# C11 to want float in the precision of double, which the headers refuse.
function(reach_processor name compiler runner package)
  cmake_parse_arguments(PARSE_ARGV 4 it "" "" "RUN;FLAGS")
  set(options --cc=${compiler} --runner=${runner} "--package=${package}")
  reach_test(${name}_O0 reach ${options} ${it_RUN} -- -static -O0 ${it_FLAGS})
  reach_test(${name}_O2_fast reach ${options} --set=full -- -static -O2 -ffp-contract=fast ${it_FLAGS})
  reach_test(${name}_O3_off reach ${options} ${it_RUN} -- -static -O3 -ffp-contract=off ${it_FLAGS})
endfunction()

reach_processor(aarch64 aarch64-linux-gnu-gcc qemu-aarch64
                "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user" RUN --run= --run=--flush)
reach_processor(riscv64 riscv64-linux-gnu-gcc qemu-riscv64
                "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user")
reach_processor(s390x s390x-linux-gnu-gcc qemu-s390x
                "gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user" FLAGS -fexcess-precision=fast)
# No emulation where the processor runs this itself: it computes fma in software.
set(reach_i686_runner qemu-i386)
if(reach_x86)
  set(reach_i686_runner "")
endif()
reach_processor(i686 i686-linux-gnu-gcc "${reach_i686_runner}"
                "gcc-i686-linux-gnu libc6-dev-i386-cross qemu-user" RUN ${reach_flush}
                FLAGS -msse2 -mfpmath=sse)

reach_test(opencl reach --cc=gcc --source=opencl.c --header=CL/cl.h --set=full --run= --run=--flush
           "--package=gcc pocl-opencl-icd ocl-icd-opencl-dev opencl-headers" -- -lOpenCL)
# With multiplications and additions contracted, as is its default, and not; with subnormals flushed.
foreach(options "-fmad=true" "-fmad=false" "-ftz=true")
  string(REGEX REPLACE "[^a-z]+" "_" name "cuda${options}")
  reach_test(${name} reach --cc=nvcc --language=other --source=cuda.cu --set=full -- -std=c++17 ${options})
endforeach()
