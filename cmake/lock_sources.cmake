# Generates the digest of the sources of all locks (lib/locks/sources.h), anew whenever one of them
# changes.
file(GLOB_RECURSE lock_sources CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/lib/locks/*.cc ${CMAKE_SOURCE_DIR}/lib/locks/*.h)
list(FILTER lock_sources EXCLUDE REGEX "_test\\.cc$")
list(SORT lock_sources)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lock_sources})
set(lock_sources_digests "")
foreach(source ${lock_sources})
  file(SHA256 ${source} digest)
  string(APPEND lock_sources_digests ${digest})
endforeach()
string(SHA256 lock_sources_digest "${lock_sources_digests}")
configure_file(${CMAKE_SOURCE_DIR}/cmake/lock_sources.cc.in
  ${CMAKE_BINARY_DIR}/lock_sources.cc @ONLY)
