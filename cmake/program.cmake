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
# The manual page and the completions are made from the options that the program knows.
foreach(page IN ITEMS
    "man:share/man/man1/doublehold.1"
    "completion bash:share/bash-completion/completions/doublehold"
    "completion zsh:share/zsh/vendor-completions/_doublehold"
    "completion fish:share/fish/vendor_completions.d/doublehold.fish")
  string(REGEX MATCH "^[^:]*" command ${page})
  string(REGEX REPLACE "^[^:]*:" "" path ${page})
  install(CODE "
    set(page \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${path}\")
    get_filename_component(folder \${page} DIRECTORY)
    file(MAKE_DIRECTORY \${folder})
    execute_process(COMMAND \"$<TARGET_FILE:doublehold>\" ${command}
      OUTPUT_FILE \${page} COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
endforeach()
