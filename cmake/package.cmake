# Installs the locks as a library: cmake --install build --prefix DIR, then
#
#   find_package(doublehold REQUIRED)
#   target_link_libraries(my_program PRIVATE doublehold::locks doublehold::redis)
#
# Headers are included by their path in this tree: #include "lib/locks/with_lock.h"
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/doublehold)
foreach(library IN ITEMS flags base clients etcd history mariadb postgres redis zookeeper real locks)
  set_target_properties(doublehold_${library} PROPERTIES EXPORT_NAME ${library})
endforeach()
install(TARGETS doublehold_flags doublehold_base doublehold_clients doublehold_history doublehold_redis
  doublehold_etcd doublehold_mariadb doublehold_postgres doublehold_zookeeper doublehold_real doublehold_locks EXPORT doublehold COMPONENT library)
install(EXPORT doublehold NAMESPACE doublehold:: DESTINATION ${config_dir} COMPONENT library)
install(DIRECTORY lib/base lib/clients lib/etcd lib/history lib/mariadb lib/postgres lib/redis lib/zookeeper lib/real
  lib/locks
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/doublehold/lib COMPONENT library FILES_MATCHING PATTERN "*.h")
configure_package_config_file(cmake/doublehold-config.cmake.in ${CMAKE_BINARY_DIR}/doublehold-config.cmake
  INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/doublehold-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/doublehold-config.cmake ${CMAKE_BINARY_DIR}/doublehold-config-version.cmake
  DESTINATION ${config_dir} COMPONENT library)
