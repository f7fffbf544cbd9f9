# The tests of the fake: test/unit/FakeCuda*Test.cpp, one binary each.
find_path(FAKECUDA_REAL_HEADERS NAMES cuda_runtime_api.h
  HINTS $ENV{CUDA_HOME}/include /usr/local/cuda/include)

function(fakecuda_unit_test FILE)
  get_filename_component(Name ${FILE} NAME_WE)
  add_executable(${Name} ${FILE})
  target_link_libraries(${Name} PRIVATE fakecuda_runtime GTest::gmock GTest::gtest_main)
  target_compile_options(${Name} PRIVATE -Wall -Wextra -Werror)
  if(Name STREQUAL "FakeCudaAbiTest" AND FAKECUDA_REAL_HEADERS)
    target_include_directories(${Name} SYSTEM PRIVATE ${FAKECUDA_REAL_HEADERS})
  endif()
  set_target_properties(${Name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/unit)
  add_test(NAME unit.${Name} COMMAND ${Name})
  set_tests_properties(unit.${Name} PROPERTIES LABELS quick)
endfunction()

if(FAKECUDA_ALONE)
  file(GLOB FakeCudaTests CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_SOURCE_DIR}/../unit/FakeCuda*Test.cpp)
  foreach(File ${FakeCudaTests})
    fakecuda_unit_test(${File})
  endforeach()
endif()
