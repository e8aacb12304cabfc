# An index of the manual as C (cmd/pages.h), for `detcheck help WORD`: each page with what it is about, and each
# environment variable with the first sentence about it: cmake -DFOLDER=man -DTO=pages.c -P pages.cmake
cmake_policy(SET CMP0007 NEW) # a list may have empty items

# The text of a few lines of mdoc, as a text of C.
function(plain_text lines result)
  string(REGEX REPLACE "\n\\.Nm" "\ndetcheck" text "\n${lines}")
  string(REGEX REPLACE "\n\\.Pq ([^\n]*)" "\n(\\1)" text "${text}")
  string(REGEX REPLACE "\n\\.[A-Z][a-z] " "\n" text "${text}")
  string(REGEX REPLACE " Ns " "" text "${text}")
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  string(REGEX REPLACE " ([,.:])" "\\1" text "${text}")
  string(REGEX REPLACE "([\\\\\"])" "\\\\\\1" text "${text}")
  string(STRIP "${text}" text)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

set(pages "")
set(variables "")
file(GLOB files ${FOLDER}/*.[137] ${FOLDER}/*.[17].in)
foreach(file ${files})
  file(READ ${file} text)
  # Brackets and semicolons mean something in the lists of this language.
  string(REGEX REPLACE "[][;]" " " text "${text}")
  cmake_path(GET file FILENAME name)
  string(REGEX MATCH "^(.*)\\.([137])" name "${name}")
  set(name ${CMAKE_MATCH_1})
  set(section ${CMAKE_MATCH_2})
  string(REGEX MATCH "\n\\.Nd ([^\n]*)" about "${text}")
  plain_text("${CMAKE_MATCH_1}" about)
  string(REGEX MATCHALL "Ev [A-Z][A-Z_]+( , [A-Z][A-Z_]+)*" marks "${text}")
  string(REGEX REPLACE "Ev |[; ,]+" " " marks "${marks}")
  string(APPEND pages "    {\"${name}\", ${section}, \"${about}\", \"${marks}\"},\n")
  string(REGEX MATCHALL "\n\\.It Ev [^\n]*(\n([^.\n]|\\.(Cm|Dv|Ev|Fl|Ic|Nm|Pq|Ql))[^\n]*)+" items "${text}")
  foreach(item ${items})
    string(REGEX MATCH "\n\\.It Ev ([^\n]*)\n(.*)" item "${item}")
    set(means "${CMAKE_MATCH_2}")
    string(REGEX REPLACE "[ ,]+" " " names "${CMAKE_MATCH_1}")
    plain_text("${means}" means)
    string(REGEX REPLACE "\\. .*|\\.$" "" means "${means}")
    string(APPEND variables "    {\"${names}\", \"${means}\"},\n")
  endforeach()
endforeach()

set(source "#include \"../cmd/pages.h\"

const struct manual_page_row manual_pages[] = {
${pages}    {0, 0, 0, 0}};

const struct manual_variable_row manual_variables[] = {
${variables}    {0, 0}};
")
set(before "")
if(EXISTS ${TO})
  file(READ ${TO} before)
endif()
if(NOT source STREQUAL before)
  file(WRITE ${TO} "${source}")
endif()
