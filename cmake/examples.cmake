# Copyright 2026 the Sherd authors
# SPDX-License-Identifier: MIT
#
# Programs that use the library as an outside user would. Those of examples/ode need ODE; with tests on, short versions
# of them run, too, and judge themselves.

find_package(PkgConfig)
if(PkgConfig_FOUND)
    pkg_check_modules(ODE IMPORTED_TARGET ode)
endif()
if(NOT ODE_FOUND)
    message(STATUS "ODE is not installed: no examples/ode")
    return()
endif()
foreach(name ode_break rolling_plate)
    add_executable(${name} examples/ode/${name}.c examples/ode/stage.c examples/ode/film.c)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE sherd_static PkgConfig::ODE m)
    if(TARGET tests)
        add_dependencies(tests ${name})
    endif()
endforeach()
if(NOT TARGET tests)
    return()
endif()
add_test(NAME example_ode_break COMMAND ode_break --seconds 2)
add_test(NAME example_ode_break_by_hand COMMAND ode_break --seconds 1.2 --hand)
add_test(NAME example_rolling_plate COMMAND rolling_plate --quick)
set_tests_properties(example_ode_break example_ode_break_by_hand example_rolling_plate PROPERTIES TIMEOUT 300)
