// The source folder and the build folder; CMake generates the definition.
#ifndef DOUBLEHOLD_LIB_BASE_PATHS_H_
#define DOUBLEHOLD_LIB_BASE_PATHS_H_

#include <string>

namespace doublehold {

// Absolute paths of the source tree and the build folder of this program, without a trailing slash.
// One generated source defines these functions, so that all other objects are equal in every clone
// and a compiler cache can serve them. Any thread may call these functions.
std::string SourceDir();
std::string BinaryDir();

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_PATHS_H_
