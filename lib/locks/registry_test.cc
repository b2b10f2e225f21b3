#include "lib/locks/registry.h"

#include <gtest/gtest.h>

#include <set>

#include "lib/testing/world.h"

namespace doublehold {
namespace {

TEST(Locks, EveryVariantCanBeMadeFromItsDefaults) {
  std::set<std::string_view> names;
  for (const LockEntry& entry : Locks()) {
    SCOPED_TRACE(entry.name);
    EXPECT_TRUE(names.insert(entry.name).second) << "two variants of one name";
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_LE(entry.least_nodes, entry.most_nodes);
    EXPECT_EQ(FindLock(entry.name), &entry);
    const auto options = CompleteOptions(entry.name, entry.options, {}, 500ms);
    ASSERT_TRUE(options.has_value()) << options.error().message;
    testing::World world;
    testing::FakeEnv env(world);
    EXPECT_NE(entry.make({.env = env,
                          .client = 1,
                          .seed = 1,
                          .nodes = entry.most_nodes,
                          .lease = 500ms,
                          .call_timeout = 500ms,
                          .options = Options(*options)}),
              nullptr);
  }
}

TEST(Locks, EveryTraitHasAPhraseOfItsOwn) {
  std::set<std::string_view> phrases;
  const size_t traits = NamesOfAll(Trait{}).size();
  for (size_t i = 0; i < traits; ++i) phrases.insert(Name(static_cast<Trait>(i)));
  EXPECT_EQ(phrases.size(), traits);
  EXPECT_FALSE(phrases.contains("")) << "a trait without a phrase";
}

TEST(Locks, AnUnknownNameIsNotFound) {
  EXPECT_EQ(FindLock("chubby"), nullptr);
  EXPECT_EQ(FindLock(""), nullptr);
}

}  // namespace
}  // namespace doublehold
