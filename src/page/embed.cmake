# A text file as an array of C: cmake -DFROM=page.css -DTO=page_css.c -DNAME=page_css -P embed.cmake
file(READ "${FROM}" digits HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${digits}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE "${TO}" "#include <stddef.h>
extern const unsigned char ${NAME}[];
extern const size_t ${NAME}_size;
const unsigned char ${NAME}[] = {
${bytes}};
const size_t ${NAME}_size = sizeof ${NAME};
")
