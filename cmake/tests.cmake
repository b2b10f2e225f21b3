# doublehold_test(NAME name LABEL unit|sim|real|slow SOURCES a_test.cc ... LIBS targets ...
#                 [SHARDS n] [TSAN])
#
# Adds a program and its ctest test; with SHARDS, n ctest tests that share its tests. These begin
# first, because they take long.
# TSAN: run it under ThreadSanitizer as well. In such a build these tests have the label tsan, and
# the target tsan_tests builds them.
# Labels: unit needs no Redis and does not sleep; sim runs in the simulated world; real starts its
# own servers; slow takes minutes. All of unit, and those of sim without SHARDS, also have the label
# check.
add_custom_target(tsan_tests)
# Built by `make check`: the test programs of the label check, and the program.
add_custom_target(check_tests DEPENDS doublehold)
add_custom_target(slow_tests)  # built by no other target

function(doublehold_test)
  cmake_parse_arguments(TEST "TSAN" "NAME;LABEL;SHARDS" "SOURCES;LIBS;DEPENDS" ${ARGN})
  add_executable(${TEST_NAME} ${TEST_SOURCES})
  target_link_libraries(${TEST_NAME} PRIVATE ${TEST_LIBS} doublehold_paths GTest::gtest GTest::gtest_main)
  # Unoptimised: tests are compiled for every change and run only briefly.
  target_compile_options(${TEST_NAME} PRIVATE $<$<CONFIG:Debug>:-O0>)
  if(TEST_DEPENDS)
    add_dependencies(${TEST_NAME} ${TEST_DEPENDS})
  endif()
  if(TEST_LABEL STREQUAL unit OR (TEST_LABEL STREQUAL sim AND NOT TEST_SHARDS))
    add_dependencies(check_tests ${TEST_NAME})
    list(APPEND TEST_LABEL check)
  elseif(TEST_LABEL STREQUAL slow)
    set_target_properties(${TEST_NAME} PROPERTIES EXCLUDE_FROM_ALL ON)
    add_dependencies(slow_tests ${TEST_NAME})
  endif()
  if(TEST_TSAN AND DOUBLEHOLD_SANITIZE MATCHES thread)
    add_dependencies(tsan_tests ${TEST_NAME})
    set(TEST_LABEL tsan)
  endif()
  if(NOT TEST_SHARDS)
    set(TEST_SHARDS 1)
  endif()
  math(EXPR last "${TEST_SHARDS} - 1")
  foreach(shard RANGE ${last})
    set(name ${TEST_NAME})
    if(TEST_SHARDS GREATER 1)
      set(name ${TEST_NAME}_${shard})
    endif()
    add_test(NAME ${name} COMMAND ${TEST_NAME} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES LABELS "${TEST_LABEL}" TIMEOUT 1200 COST ${TEST_SHARDS}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${TEST_SHARDS};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()

option(DOUBLEHOLD_FUZZ "build the libFuzzer targets, and what they link with their sanitizers; with Clang only" OFF)

# doublehold_fuzz(NAME name SOURCES ... LIBS ...): a libFuzzer target. Compiles the code under test
# with the fuzzer's instrumentation.
function(doublehold_fuzz)
  cmake_parse_arguments(FUZZ "" "NAME" "SOURCES;LIBS" ${ARGN})
  if(DOUBLEHOLD_FUZZ)
    add_executable(${FUZZ_NAME} ${FUZZ_SOURCES})
    target_link_libraries(${FUZZ_NAME} PRIVATE doublehold_flags ${FUZZ_LIBS})
    target_compile_options(${FUZZ_NAME} PRIVATE -O1 -fsanitize=fuzzer,address,undefined)
    target_link_options(${FUZZ_NAME} PRIVATE -fsanitize=fuzzer,address,undefined)
  endif()
endfunction()
