# What `cmake --install` puts in place beside the program, and the Debian package that cpack makes of it.
include(CMakePackageConfigHelpers)

# Two builds of the same sources give the same bytes wherever they lie. Not with tests: a compiler
# cache would not be shared between copies of the sources.
if(NOT BUILD_TESTING)
  target_compile_options(detcheck_flags INTERFACE
                         -ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}=.
                         -ffile-prefix-map=${CMAKE_CURRENT_BINARY_DIR}=build)
endif()

# detmath for others: through find_package(detmath), and through pkg-config.
set(package_folder ${CMAKE_CURRENT_SOURCE_DIR}/src/package)
set(detmath_cmake ${CMAKE_INSTALL_LIBDIR}/cmake/detmath)
install(EXPORT detmath NAMESPACE detmath:: FILE detmathConfig.cmake DESTINATION ${detmath_cmake})
write_basic_package_version_file(detmathConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/detmathConfigVersion.cmake DESTINATION ${detmath_cmake})
configure_file(${package_folder}/detmath.pc.in detmath.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/detmath.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Completions, printed by the program itself.
set(completions "")
foreach(shell bash zsh fish)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/completion.${shell})
  add_custom_command(OUTPUT ${script} COMMAND detcheck completion ${shell} > ${script}
                     DEPENDS detcheck VERBATIM)
  list(APPEND completions ${script})
endforeach()
add_custom_target(completion ALL DEPENDS ${completions})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/completion.bash RENAME detcheck
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/completion.zsh RENAME _detcheck
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/completion.fish RENAME detcheck.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Manual pages; those with tables are made by the program from its own rows (cmd/manual.h). All of them are in one
# folder of the build.
file(GLOB manual_templates CONFIGURE_DEPENDS man/*.in)
file(GLOB manual_pages CONFIGURE_DEPENDS man/*.[137])
set(manual_folder ${CMAKE_CURRENT_BINARY_DIR}/man)
file(MAKE_DIRECTORY ${manual_folder})
set(manual_made "")
foreach(template ${manual_templates})
  cmake_path(GET template STEM LAST_ONLY name)
  add_custom_command(OUTPUT ${manual_folder}/${name}
                     COMMAND detcheck --manual-page ${template} ${manual_folder}/${name}
                     DEPENDS detcheck ${template} VERBATIM)
  list(APPEND manual_made ${manual_folder}/${name})
endforeach()
foreach(page ${manual_pages})
  cmake_path(GET page FILENAME name)
  add_custom_command(OUTPUT ${manual_folder}/${name} COMMAND ${CMAKE_COMMAND} -E copy ${page} ${manual_folder}/${name}
                     DEPENDS ${page} VERBATIM)
  list(APPEND manual_made ${manual_folder}/${name})
endforeach()
add_custom_target(manual ALL DEPENDS ${manual_made})
foreach(section 1 3 7)
  set(manual_section ${manual_made})
  list(FILTER manual_section INCLUDE REGEX "\\.${section}$")
  install(FILES ${manual_section} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()

# The site: the manual as HTML with a sample report, for any host of static files. `cmake --build --target site` writes it.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND AND NOT CMAKE_CROSSCOMPILING)
  add_custom_target(site COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/man/site/make.py $<TARGET_FILE:detcheck>
                                 ${manual_folder} ${CMAKE_CURRENT_BINARY_DIR}/site
                    DEPENDS detcheck manual VERBATIM)
endif()

# Vectors with the schemas. The repository holds a small part of them, in vectors/small; the full set is made by the target
# `vectors`, which takes minutes, so that it is made when it is asked for, or when it is installed.
set(DETCHECK_VECTORS full CACHE STRING "Vectors to install: full, made by then, or small, those of the repository")
set_property(CACHE DETCHECK_VECTORS PROPERTY STRINGS full small)
if(NOT DETCHECK_VECTORS MATCHES "^(full|small)$")
  message(FATAL_ERROR "DETCHECK_VECTORS is ${DETCHECK_VECTORS}; it is full or small")
endif()
set(vectors_folder ${CMAKE_CURRENT_BINARY_DIR}/vectors)
set(vectors_destination ${CMAKE_INSTALL_DATADIR}/detcheck/vectors)
set(vectors_of_git ${CMAKE_CURRENT_SOURCE_DIR}/vectors)
if(Python3_FOUND AND NOT CMAKE_CROSSCOMPILING)
  set(make_vectors Python3::Interpreter ${vectors_of_git}/make.py)
  file(GLOB hard_inputs CONFIGURE_DEPENDS ${vectors_of_git}/hard-*.txt ${vectors_of_git}/published-*.txt)
  add_custom_command(OUTPUT ${vectors_folder}.made
                     COMMAND ${CMAKE_COMMAND} -E rm -rf ${vectors_folder}
                     COMMAND ${make_vectors} $<TARGET_FILE:detcheck> ${vectors_folder}
                     COMMAND ${make_vectors} --check ${vectors_folder}
                     COMMAND ${CMAKE_COMMAND} -E touch ${vectors_folder}.made
                     DEPENDS detcheck ${vectors_of_git}/make.py ${hard_inputs} ${vectors_of_git}/digests.txt
                     COMMENT "Making the full set of vectors" VERBATIM)
  add_custom_target(vectors DEPENDS ${vectors_folder}.made)
elseif(DETCHECK_VECTORS STREQUAL "full")
  message(STATUS "The full set of vectors wants Python, and a program that runs here: the small part is installed")
  set(DETCHECK_VECTORS small)
endif()
install(DIRECTORY vectors/ DESTINATION ${vectors_destination} PATTERN __pycache__ EXCLUDE PATTERN small EXCLUDE)
if(DETCHECK_VECTORS STREQUAL "small")
  install(DIRECTORY vectors/small DESTINATION ${vectors_destination})
else()
  install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${CMAKE_CURRENT_BINARY_DIR}\" --target vectors
                                COMMAND_ERROR_IS_FATAL ANY)")
  install(DIRECTORY ${vectors_folder}/ DESTINATION ${vectors_destination})
endif()

# The adapters for other people's implementations.
install(DIRECTORY src/impl/adapters/ DESTINATION ${CMAKE_INSTALL_DATADIR}/detcheck/adapters)
install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/detcheck)
install(FILES README.md ARCHITECTURE.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/detcheck)
install(FILES src/detmath/README.md RENAME detmath.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/detcheck)
install(FILES src/detmath/TRIED.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/detcheck)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME detcheck)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The detcheck authors <detcheck@example.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Runs implementations of mathematical functions over every input of a number
format, judges each output against the exact result, and gates on what it
found. With detmath, functions that return the same bits on every machine.")
set(CPACK_PROJECT_CONFIG_FILE ${package_folder}/debian.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${package_folder}/compress.cmake)
set(CPACK_DETCHECK_CHANGELOG ${CMAKE_CURRENT_SOURCE_DIR}/CHANGELOG.md)
include(CPack)
