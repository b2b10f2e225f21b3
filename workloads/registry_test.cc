#include <gtest/gtest.h>

#include <set>

#include "lib/testing/scripted_lock.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

TEST(Workloads, EveryWorkloadCanBeMadeFromItsDefaults) {
  std::set<std::string_view> names;
  for (const WorkloadEntry& entry : Workloads()) {
    SCOPED_TRACE(entry.name);
    EXPECT_TRUE(names.insert(entry.name).second) << "two workloads of one name";
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_FALSE(entry.claims.empty());
    EXPECT_EQ(FindWorkload(entry.name), &entry);
    const auto options = CompleteOptions(entry.name, entry.options, {}, 500ms);
    ASSERT_TRUE(options.has_value()) << options.error().message;
    const std::unique_ptr<Workload> workload = entry.make(Options(*options));
    EXPECT_FALSE(workload->Keys().empty());
  }
}

TEST(Workloads, AnUnknownNameIsNotFound) { EXPECT_EQ(FindWorkload("baskets"), nullptr); }

}  // namespace
}  // namespace doublehold
