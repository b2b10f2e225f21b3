#include "lib/sim/argument_arena.h"

#include <gtest/gtest.h>

#include <string>

namespace doublehold::sim {
namespace {

std::vector<std::string> Read(Argv words) { return {words.begin(), words.end()}; }

TEST(WordStore, KeepsWordsAtTheirAddresses) {
  WordStore store;
  std::vector<Argv> kept;
  std::vector<std::vector<std::string>> given;
  for (size_t i = 0; i < 300; ++i) {  // fills several blocks
    given.push_back({"SET", std::string(i, 'k'), "", std::string(500, 'v')});
    std::vector<std::string_view> words(given.back().begin(), given.back().end());
    kept.push_back(store.Put(words));
    words.assign(words.size(), "gone");
  }
  const std::string large(100'000, 'x');
  const Argv alone = store.Put(std::vector<std::string_view>{large});
  for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(Read(kept[i]), given[i]) << i;
  EXPECT_EQ(Read(alone), std::vector<std::string>{large});
}

TEST(WordStore, PutsTwoListsBehindEachOther) {
  WordStore store;
  const std::vector<std::string_view> keys{"a", "b"}, args{"c"};
  EXPECT_EQ(Read(store.Put(keys, args)), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(store.Put({}).empty());
}

TEST(WordStore, ReusesItsMemoryAfterClear) {
  WordStore store;
  const std::vector<std::string_view> words{"a"};
  const Argv first = store.Put(words);
  const std::string large(100'000, 'x');
  (void)store.Put(std::vector<std::string_view>{large});
  store.Clear();
  EXPECT_EQ(store.Put(words).data(), first.data());
}

}  // namespace
}  // namespace doublehold::sim
