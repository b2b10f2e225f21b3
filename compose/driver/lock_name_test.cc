// Tests how names of locks are read.
#include "compose/driver/lock_name.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compose/driver/bundled_drivers.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

std::string DescribeName(const std::string& text) {
  const Result<LockName> lock = ReadLockName(text);
  if (!lock) return lock.error().message;
  std::string described = lock->name.empty() ? "driver " + lock->driver : lock->name;
  for (const auto& [name, value] : lock->options) described += " " + name + "=" + value;
  return described;
}

TEST(LockName, ALibraryIsNamedAsABuiltInLockIs) {
  const std::pair<std::string, std::string> cases[] = {
      {"redlock", "redlock"},
      {"redlock[ask=in-turn]", "redlock ask=in-turn"},
      {"redis-py", "driver redis-py"},
      {"redis-py@4.5.5", "driver redis-py@4.5.5"},
      {"shedlock-redis[safe_update=yes]", "driver shedlock-redis safe_update=yes"},
      {"redisson", "redisson"},
      {"redisson@4.7.0", "driver redisson@4.7.0"},
      {"driver:redisson[kind=fair,unit=seconds]", "driver redisson kind=fair unit=seconds"},
      {"redsync@path:/src/fix[client=redigo]", "driver redsync@path:/src/fix client=redigo"},
      {"driver:redsync@path:/src/x/../fix", "driver redsync@path:/src/fix"},
      {"driver:./mine --fast", "driver ./mine --fast"},
      {"driver:[ -x ./mine ]", "driver [ -x ./mine ]"},
      {"driver", "driver"},
      {"redis-pi", "lock 'redis-pi' is unknown (did you mean 'redis-py'?)"},
      {"redlok", "lock 'redlok' is unknown (did you mean 'redlock'?)"},
      {"redlock[fast]", "lock 'redlock[fast]' is unknown (did you mean 'redlock'?)"},
      {"redisson[kind=fair]",
       "lock 'redisson' is Doublehold's own copy, without the library's option 'kind'; the library "
       "is driver:redisson[kind=fair]"},
  };
  for (const auto& [text, described] : cases) EXPECT_EQ(DescribeName(text), described) << text;
}

TEST(LockName, ACommaInBracketsSeparatesOptionsNotLocks) {
  EXPECT_EQ(SplitLockNames("a[x=1,y=2],b,driver:c[z=3]"),
            (std::vector<std::string>{"a[x=1,y=2]", "b", "driver:c[z=3]"}));
  EXPECT_EQ(SplitLockNames("a,b"), (std::vector<std::string>{"a", "b"}));
}

std::string ResolveToText(Settings settings) {
  if (const Result<void> resolved = ResolveLockName(settings); !resolved)
    return resolved.error().message;
  std::string text;
  for (const std::string& name : settings.Names())
    text += name + "=" + Settings(settings).Take(name)->words.front() + " ";
  return text;
}

TEST(LockName, ANameStandsForSettings) {
  const auto of = [](const std::vector<std::pair<std::string, std::string>>& given) {
    Settings settings;
    for (const auto& [name, value] : given) settings.Set(name, value, "x.toml:1");
    return ResolveToText(std::move(settings));
  };
  EXPECT_EQ(of({{"lock.name", "redis-py@4.5.5[timeout=5]"}}),
            "lock.driver=redis-py@4.5.5 lock.name=driver lock.options.timeout=5 ");
  EXPECT_EQ(of({{"lock.driver", "redisson[kind=fair]"}}),
            "lock.driver=redisson lock.options.kind=fair ");
  EXPECT_EQ(of({{"lock.name", "redlock[ask=in-turn]"}}), "lock.ask=in-turn lock.name=redlock ");
  EXPECT_EQ(of({{"lock.name", "redlock[ask=in-turn]"}, {"lock.ask", "at-once"}}),
            "x.toml:1: lock.name: option 'ask' is set by x.toml:1: lock.ask too");
  EXPECT_EQ(of({{"seed", "1"}}), "seed=1 ");
}

TEST(LockName, ACopyOfALibraryNamesItsDriver) {
  EXPECT_EQ(OwnCopyLine("redisson"),
            "redisson: Doublehold's own copy of Redisson's RLock; the library is "
            "driver:redisson\n");
  EXPECT_EQ(OwnCopyLine("set-nx-px"), "");
  for (const LockEntry& lock : Locks()) {
    const std::string line = OwnCopyLine(lock.name);
    const bool is_of_library =
        lock.name.find("redisson") != std::string_view::npos ||
        std::ranges::find(KeptDrivers(), lock.name, &KeptDriver::name) != KeptDrivers().end();
    EXPECT_TRUE(!line.empty() || !is_of_library) << lock.name;
    if (line.empty()) continue;
    const size_t at = line.find(kDriverPrefix);
    const Result<LockName> library = ReadLockName(line.substr(at, line.size() - at - 1));
    ASSERT_TRUE(library.has_value()) << line;
    const auto kept = std::ranges::find(KeptDrivers(), library->driver, &KeptDriver::name);
    ASSERT_NE(kept, KeptDrivers().end()) << line;
    for (const auto& [option, value] : library->options) {
      const auto is_its = [&](const auto& each) {
        return each.first == option && each.second.find("`" + value + "`") != std::string::npos;
      };
      EXPECT_TRUE(std::ranges::any_of(kept->options, is_its)) << line;
    }
  }
}

}  // namespace
}  // namespace doublehold
