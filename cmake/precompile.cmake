# Precompiles library headers that most sources include. A source still includes every header that
# it uses: `make test-all` compiles each source without this.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cc CONTENT "")
# Definitions that the libraries give their users. They must be the same for all users of the
# precompiled headers.
target_compile_definitions(doublehold_flags INTERFACE
  $<BUILD_INTERFACE:GTEST_HAS_PTHREAD=1;BOOST_ALL_NO_LIB;BOOST_PROGRAM_OPTIONS_DYN_LINK>)
target_compile_options(doublehold_flags INTERFACE "$<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>>")
add_library(doublehold_precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled.cc)
target_link_libraries(doublehold_precompiled PRIVATE doublehold_flags)
target_precompile_headers(doublehold_precompiled PRIVATE
  <algorithm> <array> <chrono> <filesystem> <fstream> <functional> <map> <memory> <optional> <random> <set> <span> <sstream>
  <string> <string_view> <thread> <tuple> <unordered_map> <utility> <variant> <vector>
  <boost/asio.hpp> <fmt/format.h> <gtest/gtest.h> <nlohmann/json.hpp> <tl/expected.hpp>)

# All C++ targets in `folder` and below use the headers, except targets for which hiredis defines a
# macro.
function(doublehold_precompile_all folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(sources ${target} SOURCES)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    if(type MATCHES "^(STATIC_LIBRARY|EXECUTABLE|OBJECT_LIBRARY)$" AND sources MATCHES "\\.cc" AND
       NOT target STREQUAL "doublehold_precompiled" AND NOT libraries MATCHES "HIREDIS")
      target_precompile_headers(${target} REUSE_FROM doublehold_precompiled)
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(each IN LISTS folders)
    doublehold_precompile_all(${each})
  endforeach()
endfunction()
