# Compiler settings that every target of ours uses: link to resonio_options.
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

set(RESONIO_SANITIZE "" CACHE STRING "address,undefined or thread; empty = none")

add_library(resonio_options INTERFACE)
target_compile_features(resonio_options INTERFACE cxx_std_20)
target_include_directories(resonio_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(resonio_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wno-missing-field-initializers -Werror -fvisibility=hidden -fno-omit-frame-pointer)
# xxhash header-only; fmt is compiled in (src/base/fmt.cpp): a preloaded library should bring
# as few others as it can.
target_compile_definitions(resonio_options INTERFACE XXH_INLINE_ALL)
if(RESONIO_SANITIZE)
  add_compile_options(-fsanitize=${RESONIO_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${RESONIO_SANITIZE})
endif()
