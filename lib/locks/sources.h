// The sources of all locks as one digest, which a certificate names.
#ifndef DOUBLEHOLD_LIB_LOCKS_SOURCES_H_
#define DOUBLEHOLD_LIB_LOCKS_SOURCES_H_

#include <string>

namespace doublehold {

// SHA-256 of the sources of all locks from which this program was built, without their tests, in
// hexadecimal. CMake generates its definition. Any thread may call it.
std::string DigestOfLockSources();

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_SOURCES_H_
