# The style sheet and the script of the page that `detcheck report` makes, as arrays: page_sources.
set(page_sources "")
foreach(asset css js)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/page_${asset}.c)
  add_custom_command(OUTPUT ${source}
                     COMMAND ${CMAKE_COMMAND} -DFROM=${CMAKE_CURRENT_SOURCE_DIR}/src/page/page.${asset}
                             -DTO=${source} -DNAME=page_${asset}
                             -P ${CMAKE_CURRENT_SOURCE_DIR}/src/page/embed.cmake
                     DEPENDS src/page/page.${asset} src/page/embed.cmake VERBATIM)
  list(APPEND page_sources ${source})
endforeach()
