# Preplay for CMake projects.
#
#   include(preplay.cmake)
#   preplay_test(NAME my_test COMMAND my_test [ARGS...])
#
# Configure with -DCMAKE_C_COMPILER=preplay-cc -DCMAKE_CXX_COMPILER=preplay-c++, or call
# preplay_target(my_test) for single targets (gcc only), build, and run ctest: a test fails if
# Preplay observes or confirms an error in it.
find_program(PREPLAY_PROGRAM preplay REQUIRED)

# preplay_test(NAME name COMMAND target [args...]) : a test that runs under preplay.
function(preplay_test)
    cmake_parse_arguments(TEST "" "NAME" "COMMAND" ${ARGN})
    list(POP_FRONT TEST_COMMAND program)
    if(TARGET ${program})
        set(program $<TARGET_FILE:${program}>)
    endif()
    add_test(NAME ${TEST_NAME} COMMAND ${PREPLAY_PROGRAM} run
        -d ${CMAKE_CURRENT_BINARY_DIR}/${TEST_NAME}.preplay
        --sarif ${CMAKE_CURRENT_BINARY_DIR}/${TEST_NAME}.sarif -- ${program} ${TEST_COMMAND})
endfunction()

# preplay_target(target) : compiles one target for preplay with the project's own compiler.
function(preplay_target target)
    target_compile_options(${target} PRIVATE -g -fsanitize=thread)
    target_link_options(${target} PRIVATE -fsanitize=thread)
endfunction()
