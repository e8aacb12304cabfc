# The package of Python. A wheel has the sources of src/python/detcheck from pyproject.toml; this puts beside them the
# program, detmath, detmath_order and detcheck_tensor as shared libraries, and the worker's side of the protocol. In the build, python/ is the same, as links.
set(shared_source ${CMAKE_CURRENT_BINARY_DIR}/detmath_shared.c)
file(CONFIGURE OUTPUT ${shared_source} CONTENT "typedef int detmath_comes_from_its_archive;\n")
add_library(detmath_shared SHARED ${shared_source})
# For whoever has installed the program, and does not want to wait until pip has compiled it again: the package takes that
# program and detmath's archive beside it.
set(python_program $ENV{DETCHECK_PROGRAM})
if(SKBUILD AND python_program)
  execute_process(COMMAND ${python_program} --version OUTPUT_VARIABLE python_program_version ERROR_QUIET RESULT_VARIABLE python_program_fails)
  cmake_path(GET python_program PARENT_PATH python_prefix)
  find_library(python_archive libdetmath.a NO_DEFAULT_PATH NO_CACHE
               PATHS ${python_prefix}/.. PATH_SUFFIXES lib lib/${CMAKE_LIBRARY_ARCHITECTURE} lib64)
  if(python_program_fails OR NOT python_program_version MATCHES "^detcheck ${PROJECT_VERSION}" OR NOT python_archive)
    message(FATAL_ERROR "DETCHECK_PROGRAM=${python_program} has to be an installed detcheck ${PROJECT_VERSION}, with lib/libdetmath.a beside its bin; "
                        "without DETCHECK_PROGRAM, pip compiles both")
  endif()
  target_link_libraries(detmath_shared PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${python_archive}>)
else()
  target_link_libraries(detmath_shared PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,detmath>)
endif()
set_target_properties(detmath_shared PROPERTIES OUTPUT_NAME detmath LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/python/detcheck/lib)

set(python_workers src/impl/adapters/adapter.py src/impl/adapters/adapter_conditions.py src/impl/adapters/library_kernels.py src/impl/adapters/kernels_of_numpy.py
    src/impl/adapters/kernels_of_onnx.py src/impl/adapters/kernels_of_torch.py src/impl/adapters/kernels_pulled.py
    src/impl/adapters/library_names.py src/impl/adapters/decimal_texts.py)
if(SKBUILD)
  if(python_program)
    install(PROGRAMS ${python_program} DESTINATION detcheck/bin RENAME detcheck COMPONENT python)
  else()
    install(TARGETS detcheck RUNTIME DESTINATION detcheck/bin COMPONENT python)
  endif()
  install(TARGETS detmath_shared detmath_order detcheck_tensor LIBRARY DESTINATION detcheck/lib COMPONENT python)
  install(FILES ${python_workers} DESTINATION detcheck COMPONENT python)
  # Of the libraries that auditwheel puts into a wheel.
  foreach(package gmp mpfr flint flint-arb cjson xxhash gomp minizip ntl gf2x)
    file(GLOB found ${CMAKE_SYSROOT}/usr/share/doc/lib${package}[0-9]*/copyright)
    list(FILTER found EXCLUDE REGEX "-cross/")
    foreach(licence ${found})
      install(FILES ${licence} DESTINATION detcheck/licenses RENAME lib${package}.txt COMPONENT python)
    endforeach()
  endforeach()
  foreach(text GPL-2 GPL-3 LGPL-2.1 LGPL-3)
    install(FILES /usr/share/common-licenses/${text} DESTINATION detcheck/licenses COMPONENT python OPTIONAL)
  endforeach()
endif()

set(python_build ${CMAKE_CURRENT_BINARY_DIR}/python/detcheck)
file(MAKE_DIRECTORY ${python_build}/bin ${python_build}/lib)
file(GLOB python_sources CONFIGURE_DEPENDS src/python/detcheck/*.py)
foreach(source ${python_sources} ${python_workers})
  cmake_path(ABSOLUTE_PATH source)
  cmake_path(GET source FILENAME name)
  file(CREATE_LINK ${source} ${python_build}/${name} SYMBOLIC)
endforeach()
file(CREATE_LINK ${CMAKE_CURRENT_BINARY_DIR}/detcheck ${python_build}/bin/detcheck SYMBOLIC)
