# libdetmath_order: matrix units as functions of C; the package of Python has it, too. What programs call is in
# src/order/library, all other names stay inside. Files that it does not need, as those for GMP's memory, are left out by
# the linker.
file(GLOB order_library_parts CONFIGURE_DEPENDS src/base/*.c src/format/*.c src/record/*.c src/order/*.c)
file(GLOB order_library_sources CONFIGURE_DEPENDS src/order/library/*.c)
file(GLOB order_library_headers CONFIGURE_DEPENDS src/order/library/*.h)
add_library(detmath_order_parts STATIC EXCLUDE_FROM_ALL ${order_library_parts})
add_library(detmath_order SHARED ${order_library_sources})
target_link_libraries(detmath_order_parts PRIVATE detcheck_flags need_ARB need_MPFR need_GMP need_CJSON need_XXHASH)
target_link_libraries(detmath_order PRIVATE $<BUILD_INTERFACE:detcheck_flags> $<BUILD_INTERFACE:detmath_order_parts>)
set_target_properties(detmath_order_parts detmath_order PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF POSITION_INDEPENDENT_CODE ON)
set_target_properties(detmath_order PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/python/detcheck/lib)
target_link_options(detmath_order PRIVATE -Wl,--as-needed -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/src/order/library.map)
set_target_properties(detmath_order PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/order/library.map)
target_include_directories(detmath_order INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS detmath_order EXPORT detmath)
install(FILES ${order_library_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/detmath)
