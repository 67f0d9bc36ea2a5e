# Copyright 2026 the Sherd authors
# SPDX-License-Identifier: MIT
#
# cmake -DOUTPUT=x.c -DHEADER=play/script.h -DTYPE=BuiltIn -DARRAY=builtInScenes -DFILES=a.json;b.json -P embed.cmake
# Writes files as C arrays, and a table {name, bytes, size} of them.
set(text "// Made by cmake/embed.cmake.\n#include \"${HEADER}\"\n\n")
set(table "const ${TYPE} ${ARRAY}[] = {\n")
set(number 0)
foreach(file ${FILES})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(APPEND text "static const unsigned char file${number}[] = {${bytes}0};\n")
    string(APPEND table "    {\"${name}\", file${number}, sizeof file${number} - 1},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "${text}\n${table}    {0, 0, 0},\n};\n")
