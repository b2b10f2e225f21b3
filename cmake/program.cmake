# Installs the program: cmake --install build --prefix DIR. It finds its other files relative to
# itself (compose/os/program_files.h), so the prefix can be moved.
set(data_dir share/doublehold)
install(TARGETS doublehold RUNTIME DESTINATION bin COMPONENT program)
# Not below CMAKE_INSTALL_LIBDIR, whose depth differs between systems.
install(TARGETS doublehold_clock_shim doublehold_fast_waits LIBRARY DESTINATION lib/doublehold
  COMPONENT program)
install(DIRECTORY reports drivers DESTINATION ${data_dir} COMPONENT program
  PATTERN "*_test.py" EXCLUDE
  PATTERN "__pycache__" EXCLUDE
  PATTERN "sample.py" EXCLUDE
  PATTERN "testing_*.py" EXCLUDE
  PATTERN "CMakeLists.txt" EXCLUDE)
install(DIRECTORY compose/suites DESTINATION ${data_dir}/compose COMPONENT program)
install(FILES LICENSE DESTINATION ${data_dir} COMPONENT program)
