# The Debian package of the program: cd build && cpack -G DEB
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME doublehold)
set(CPACK_PACKAGE_CONTACT "the authors of Doublehold <doublehold@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME doublehold)
set(CPACK_DEBIAN_PROGRAM_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "correctness and fault-injection testbed for distributed locks\n\
Runs a lock on real servers, injects network delay, pauses and clock drift,\n\
and decides from the recorded history whether the lock was held twice.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The store is a Redis. The page of a report is made by Python.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "redis-server, python3, python3-jinja2, python3-matplotlib")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
  "stunnel4, iproute2, iptables, python3-pip, nodejs, npm, maven, golang, cargo")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cmake/deb/prerm)
set(CPACK_STRIP_FILES ON)
# Packs what is built, instead of building everything first.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
include(CPack)

add_test(NAME deb_test COMMAND ${DOUBLEHOLD_PYTHON} -B
  ${CMAKE_SOURCE_DIR}/cmake/deb/deb_test.py ${CMAKE_BINARY_DIR})
set_tests_properties(deb_test PROPERTIES LABELS slow TIMEOUT 1200 SKIP_RETURN_CODE 77)
