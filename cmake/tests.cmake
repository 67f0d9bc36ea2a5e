# Copyright 2026 the Sherd authors
# SPDX-License-Identifier: MIT
#
# One executable for each test/test_<concept>.c. A test finds its data under TEST_FOLDER and the program under test
# in the environment variable SHERD_PROGRAM. test_golden_… compare with committed hashes, or write them when
# SHERD_GOLDEN=write.

find_library(CMOCKA cmocka)
if(NOT CMOCKA)
    message(STATUS "cmocka is not installed: no tests")
    return()
endif()

add_custom_target(tests)
file(GLOB test_sources CONFIGURE_DEPENDS test/test_*.c)
foreach(source ${test_sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_compile_definitions(${name} PRIVATE TEST_FOLDER="${PROJECT_SOURCE_DIR}/test")
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE ${library_objects} $<TARGET_NAME_IF_EXISTS:cook> ${CMOCKA} m
                                          Threads::Threads)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 300)
    if(TARGET sherd)
        set_tests_properties(${name} PROPERTIES ENVIRONMENT SHERD_PROGRAM=$<TARGET_FILE:sherd>)
    endif()
    if(name MATCHES "^test_golden_")
        set_tests_properties(${name} PROPERTIES LABELS golden)
    endif()
    add_dependencies(tests ${name})
endforeach()
if(TARGET sherd)
    add_dependencies(tests sherd)
endif()
