# What every target of ours shares: the include root and the warnings.
add_library(torchtidy_common INTERFACE)
target_include_directories(torchtidy_common INTERFACE ${CMAKE_SOURCE_DIR}/lib ${CMAKE_BINARY_DIR}/lib)
target_compile_options(torchtidy_common INTERFACE -Wall -Wextra -Werror)
target_compile_definitions(torchtidy_common INTERFACE TORCHTIDY_VERSION="${PROJECT_VERSION}")

# A static library without LLVM: torchtidy_plain_library(NAME sources... [LINK libs...])
function(torchtidy_plain_library NAME)
  cmake_parse_arguments(A "" "" "LINK" ${ARGN})
  add_library(${NAME} STATIC ${A_UNPARSED_ARGUMENTS})
  target_link_libraries(${NAME} PUBLIC torchtidy_common ${A_LINK})
endfunction()

# A room that this checkout may not have yet.
macro(torchtidy_subdirectories)
  foreach(Dir ${ARGN})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${Dir}/CMakeLists.txt)
      add_subdirectory(${Dir})
    endif()
  endforeach()
endmacro()
