#ifndef DOUBLEHOLD_LIB_BASE_PATHS_H_
#define DOUBLEHOLD_LIB_BASE_PATHS_H_

#include <string>

namespace doublehold {

// The source tree and the build folder that this program was built from, as absolute paths without
// a slash at the end. One generated source defines them, so that all other objects are the same in
// every clone and a compiler cache serves them. Any thread may call these.
std::string SourceDir();
std::string BinaryDir();

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_PATHS_H_
