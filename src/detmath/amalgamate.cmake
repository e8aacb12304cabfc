# Writes FROM to TO with every header of its folder that it includes in place of the #include, once;
# a template (*.inc), every time.
# cmake -DFROM=... -DTO=... -DVERSION=... -P amalgamate.cmake
cmake_minimum_required(VERSION 3.25)
get_filename_component(folder ${FROM} DIRECTORY)

function(inline_includes file text)
  set_property(GLOBAL APPEND PROPERTY seen ${file})
  file(READ ${folder}/${file} rest)
  set(done "")
  while(rest MATCHES "\n#include \"([^\"\n]+)\"\n")
    set(name ${CMAKE_MATCH_1})
    set(line "\n#include \"${name}\"\n")
    string(FIND "${rest}" "${line}" at)
    string(LENGTH "${line}" length)
    string(SUBSTRING "${rest}" 0 ${at} before)
    math(EXPR after "${at} + ${length} - 1") # the end of the line may begin the next #include
    string(SUBSTRING "${rest}" ${after} -1 rest)
    get_property(seen GLOBAL PROPERTY seen)
    set(inner "")
    if(NOT name IN_LIST seen OR name MATCHES "\\.inc$")
      inline_includes(${name} inner)
    endif()
    string(APPEND done "${before}\n${inner}")
  endwhile()
  set(${text} "${done}${rest}" PARENT_SCOPE)
endfunction()

get_filename_component(first ${FROM} NAME)
inline_includes(${first} text)
file(READ ${folder}/../../LICENSE licence)
string(STRIP "${licence}" licence)
file(WRITE ${TO} "/* detmath ${VERSION}: deterministic elementary functions in one header; made from src/detmath.\n\n${licence}\n*/\n${text}")
