# What is read from files of others, under libFuzzer (label fuzz: ctest --preset fuzz, with clang;
# FUZZ_SECONDS for each target, 60 by default); by default the corpus is replayed.
foreach(target vectors lines fingerprints)
  file(GLOB corpus CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${target}/*)
  add_executable(replay_${target} fuzz/${target}.c fuzz/replay.c)
  target_link_libraries(replay_${target} PRIVATE detcheck_core)
  add_test(NAME fuzz_replay_${target} COMMAND replay_${target} ${corpus})
  set_tests_properties(fuzz_replay_${target} PROPERTIES LABELS unit TIMEOUT 300)
  if(DETCHECK_SANITIZE MATCHES "fuzzer-no-link")
    add_executable(fuzz_${target} fuzz/${target}.c)
    target_link_libraries(fuzz_${target} PRIVATE detcheck_core)
    target_link_options(fuzz_${target} PRIVATE -fsanitize=fuzzer)
    add_test(NAME fuzz_${target}
             COMMAND sh -c "mkdir -p found_${target} && \"$<TARGET_FILE:fuzz_${target}>\" -max_total_time=\${FUZZ_SECONDS:-60} -max_len=4096 -rss_limit_mb=1024 found_${target} \"${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${target}\"")
    set_tests_properties(fuzz_${target} PROPERTIES LABELS fuzz TIMEOUT 7200)
  endif()
endforeach()
