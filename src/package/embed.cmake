# A text file as an array of C, with its SHA-256 in base 64 as a content security policy has it:
# cmake -DFROM=page.css -DTO=page_css.c -DNAME=page_css -P embed.cmake
file(READ "${FROM}" digits HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${digits}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")

# Three bytes are four characters; 32 bytes end with two, which are three characters and a "=".
file(SHA256 "${FROM}" hash)
set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
set(base64 "")
foreach(at RANGE 0 60 6)
  string(SUBSTRING "${hash}00" ${at} 6 three)
  math(EXPR number "0x${three}")
  foreach(shift 18 12 6 0)
    math(EXPR index "(${number} >> ${shift}) & 63")
    string(SUBSTRING ${alphabet} ${index} 1 character)
    string(APPEND base64 ${character})
  endforeach()
endforeach()
string(SUBSTRING ${base64} 0 43 base64)

file(WRITE "${TO}" "#include <stddef.h>
extern const unsigned char ${NAME}[];
extern const size_t ${NAME}_size;
extern const char ${NAME}_sha256[];
const unsigned char ${NAME}[] = {
${bytes}};
const size_t ${NAME}_size = sizeof ${NAME};
const char ${NAME}_sha256[] = \"sha256-${base64}=\";
")
