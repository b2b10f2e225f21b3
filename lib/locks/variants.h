// The makers that registry.cc lists; for that file and the variants' own.
#ifndef DOUBLEHOLD_LIB_LOCKS_VARIANTS_H_
#define DOUBLEHOLD_LIB_LOCKS_VARIANTS_H_

#include <memory>

#include "lib/locks/lock.h"
#include "lib/locks/owners.h"
#include "lib/locks/registry.h"

namespace doublehold {

std::unique_ptr<Lock> MakeNone(const LockContext& context);
std::unique_ptr<Lock> MakeSetnxGetset(const LockContext& context);
std::unique_ptr<Lock> MakeSetNxPx(const LockContext& context);
std::unique_ptr<Lock> MakeRedisson(const LockContext& context);
std::unique_ptr<Lock> MakeRedlock(const LockContext& context);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_VARIANTS_H_
