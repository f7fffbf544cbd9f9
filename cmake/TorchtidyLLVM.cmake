# LLVM and the rules for code that meets its C++ interface. LLVM's package
# wants major and minor to be equal, and releases are NN.1.
set(TORCHTIDY_LLVM 19 CACHE STRING "Major version of LLVM: 19 to 23")
find_package(LLVM ${TORCHTIDY_LLVM}.1 REQUIRED CONFIG)

# Debian's libraries were built by clang; g++ mangles some clang-tidy members
# differently, and the plugin would then fail at run time.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR NOT CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL ${LLVM_VERSION_MAJOR})
  message(FATAL_ERROR
    "code that uses LLVM's C++ interface needs clang++-${LLVM_VERSION_MAJOR} "
    "(this is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}). "
    "Use `cmake --preset default`, or -DTORCHTIDY_CHECKS=OFF for the tools without LLVM.")
endif()

set(TORCHTIDY_LLVM_LIBDIR ${LLVM_LIBRARY_DIRS})
find_file(TORCHTIDY_CLANG_CPP NAMES libclang-cpp.so.${LLVM_VERSION_MAJOR}.1
             HINTS ${TORCHTIDY_LLVM_LIBDIR} NO_DEFAULT_PATH REQUIRED)
find_file(TORCHTIDY_LLVM_SO NAMES libLLVM.so.${LLVM_VERSION_MAJOR}.1
             HINTS ${TORCHTIDY_LLVM_LIBDIR} NO_DEFAULT_PATH REQUIRED)

# The shared libraries that an executable with LLVM needs.
add_library(torchtidy_llvm_libs INTERFACE)
target_link_libraries(torchtidy_llvm_libs INTERFACE ${TORCHTIDY_CLANG_CPP} ${TORCHTIDY_LLVM_SO})

file(GLOB TORCHTIDY_CLANG_TIDY_ARCHIVES ${TORCHTIDY_LLVM_LIBDIR}/libclangTidy*.a)
# The custom checks of clang-tidy 22 are queries.
if(LLVM_VERSION_MAJOR GREATER_EQUAL 22)
  list(APPEND TORCHTIDY_CLANG_TIDY_ARCHIVES ${TORCHTIDY_LLVM_LIBDIR}/libclangQuery.a)
endif()
add_library(torchtidy_clang_tidy_libs INTERFACE)
target_link_libraries(torchtidy_clang_tidy_libs INTERFACE
  -Wl,--start-group ${TORCHTIDY_CLANG_TIDY_ARCHIVES} ${TORCHTIDY_LLVM_LIBDIR}/libclangIncludeCleaner.a -Wl,--end-group
  torchtidy_llvm_libs)

# The same from archives: a program starts without the relocations of the
# shared libraries, and its linker can put own functions in place of clang's.
set(StaticClang "")
foreach(Name AnalysisFlowSensitiveModels AnalysisFlowSensitive Analysis APINotes
             AST ASTMatchers Basic CrossTU Driver DynamicASTMatchers Edit
             ExtractAPI Format Frontend Index Lex Parse Rewrite Sema
             Serialization StaticAnalyzerCheckers StaticAnalyzerCore
             StaticAnalyzerFrontend Support Tooling ToolingCore
             ToolingInclusions ToolingInclusionsStdlib ToolingRefactoring
             ToolingSyntax Transformer)
  list(APPEND StaticClang ${TORCHTIDY_LLVM_LIBDIR}/libclang${Name}.a)
endforeach()
# What later versions split off.
foreach(Name AnalysisLifetimeSafety Options DependencyScanning
             ScalableStaticAnalysisAnalyses ScalableStaticAnalysisCore
             ScalableStaticAnalysisFrontend
             ScalableStaticAnalysisSourceTransformation UnifiedSymbolResolution)
  if(EXISTS ${TORCHTIDY_LLVM_LIBDIR}/libclang${Name}.a)
    list(APPEND StaticClang ${TORCHTIDY_LLVM_LIBDIR}/libclang${Name}.a)
  endif()
endforeach()
file(GLOB StaticLLVM ${TORCHTIDY_LLVM_LIBDIR}/libLLVM*.a)
find_library(TORCHTIDY_Z3 z3 REQUIRED)
add_library(torchtidy_clang_tidy_static_libs INTERFACE)
target_link_libraries(torchtidy_clang_tidy_static_libs INTERFACE
  -Wl,--start-group ${TORCHTIDY_CLANG_TIDY_ARCHIVES}
  ${TORCHTIDY_LLVM_LIBDIR}/libclangIncludeCleaner.a
  ${StaticClang} ${StaticLLVM} -Wl,--end-group
  ${TORCHTIDY_Z3} z zstd ${CMAKE_DL_LIBS} m)
target_link_options(torchtidy_clang_tidy_static_libs INTERFACE
  -no-pie -Wl,--gc-sections)

add_library(torchtidy_llvm_common INTERFACE)
target_link_libraries(torchtidy_llvm_common INTERFACE torchtidy_common)
target_include_directories(torchtidy_llvm_common SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(TORCHTIDY_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})
target_compile_options(torchtidy_llvm_common INTERFACE ${TORCHTIDY_LLVM_DEFINITIONS})
target_compile_options(torchtidy_llvm_common INTERFACE -fno-exceptions -fno-rtti)

# One precompiled set of LLVM headers; every object library below reuses it.
file(WRITE ${CMAKE_BINARY_DIR}/pch/Empty.cpp "")
add_library(torchtidy_llvm_pch OBJECT ${CMAKE_BINARY_DIR}/pch/Empty.cpp)
target_link_libraries(torchtidy_llvm_pch PUBLIC torchtidy_llvm_common)
target_precompile_headers(torchtidy_llvm_pch PRIVATE
  <clang/AST/ASTContext.h>
  <clang/AST/DeclCXX.h>
  <clang/AST/DeclTemplate.h>
  <clang/AST/ExprCXX.h>
  <clang/AST/RecursiveASTVisitor.h>
  <clang/AST/StmtCXX.h>
  <clang/Analysis/CFG.h>
  <clang/ASTMatchers/ASTMatchFinder.h>
  <clang/ASTMatchers/ASTMatchers.h>
  <llvm/ADT/DenseMap.h>
  <llvm/ADT/SmallVector.h>
  <map>
  <memory>
  <set>
  <string>
  <vector>)

# An object library of LLVM-facing code: objects, since the check registration
# would be dropped from an archive. torchtidy_llvm_library(NAME sources...)
function(torchtidy_llvm_library NAME)
  add_library(${NAME} OBJECT ${ARGN})
  target_link_libraries(${NAME} PUBLIC torchtidy_llvm_common)
  target_precompile_headers(${NAME} REUSE_FROM torchtidy_llvm_pch)
endfunction()
