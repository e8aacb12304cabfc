# libdetcheck_tensor: digests of tensors, for the package of Python. All other names stay inside.
add_library(detcheck_tensor SHARED src/tensor/digest.c src/tensor/digest_view.c src/tensor/types.c)
target_link_libraries(detcheck_tensor PRIVATE detcheck_flags detmath_order_parts need_XXHASH)
set_target_properties(detcheck_tensor PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/tensor/library.map
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/python/detcheck/lib)
target_link_options(detcheck_tensor PRIVATE -Wl,--as-needed -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/src/tensor/library.map)
