# doublehold_test(NAME name LABEL unit|sim|real|slow SOURCES a_test.cc ... LIBS targets ... [TSAN])
#
# TSAN: run under ThreadSanitizer as well. In a build with it these tests have the label tsan, and the target tsan_tests
# builds them.
# unit: no Redis and no sleeping; sim: in the simulated world; real: starts its own servers; slow: minutes.
add_custom_target(tsan_tests)

function(doublehold_test)
  cmake_parse_arguments(TEST "TSAN" "NAME;LABEL" "SOURCES;LIBS;DEPENDS" ${ARGN})
  add_executable(${TEST_NAME} ${TEST_SOURCES})
  target_link_libraries(${TEST_NAME} PRIVATE ${TEST_LIBS} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${TEST_NAME} PRIVATE
    DOUBLEHOLD_SOURCE_DIR="${CMAKE_SOURCE_DIR}" DOUBLEHOLD_BINARY_DIR="${CMAKE_BINARY_DIR}")
  if(TEST_DEPENDS)
    add_dependencies(${TEST_NAME} ${TEST_DEPENDS})
  endif()
  if(TEST_TSAN AND DOUBLEHOLD_SANITIZE MATCHES thread)
    add_dependencies(tsan_tests ${TEST_NAME})
    set(TEST_LABEL tsan)
  endif()
  # Tests that start servers take turns: two of them on two cores would judge each other's stalls.
  set(extra "")
  if(NOT TEST_LABEL MATCHES "^(unit|sim)$")
    set(extra RUN_SERIAL TRUE)
  endif()
  gtest_discover_tests(${TEST_NAME} DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS ${TEST_LABEL} TIMEOUT 600 ${extra})
endfunction()

option(DOUBLEHOLD_FUZZ "build the libFuzzer targets, and what they link with their sanitizers; with Clang only" OFF)

# doublehold_fuzz(NAME name SOURCES ... LIBS ...): a libFuzzer target. What it looks at is compiled with it.
function(doublehold_fuzz)
  cmake_parse_arguments(FUZZ "" "NAME" "SOURCES;LIBS" ${ARGN})
  if(DOUBLEHOLD_FUZZ)
    add_executable(${FUZZ_NAME} ${FUZZ_SOURCES})
    target_link_libraries(${FUZZ_NAME} PRIVATE doublehold_flags ${FUZZ_LIBS})
    target_compile_options(${FUZZ_NAME} PRIVATE -O1 -fsanitize=fuzzer,address,undefined)
    target_link_options(${FUZZ_NAME} PRIVATE -fsanitize=fuzzer,address,undefined)
  endif()
endfunction()
