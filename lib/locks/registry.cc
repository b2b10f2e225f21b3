#include "lib/locks/registry.h"

#include <array>

#include "lib/locks/variants.h"

namespace doublehold {
namespace {

using Kind = OptionSpec::Kind;

const std::vector<OptionSpec>& SetNxPxOptions() {
  static const std::vector<OptionSpec> options{{.name = "release",
                                                .kind = Kind::kChoice,
                                                .fallback = "compare-and-delete",
                                                .help = "del: whoever's lock it is (K03)",
                                                .choices = {"compare-and-delete", "del"}}};
  return options;
}

const std::vector<OptionSpec>& RedissonOptions() {
  static const std::vector<OptionSpec> options{
      {.name = "explicit-lease",
       .kind = Kind::kFlag,
       .fallback = "false",
       .help = "an explicit lease, as lock(lease) has it: no watchdog"}};
  return options;
}

const std::vector<OptionSpec>& RedlockOptions() {
  static const std::vector<OptionSpec> options{
      {.name = "ask",
       .kind = Kind::kChoice,
       .fallback = "in-turn",
       .help = "ask the nodes one after the other, or all together",
       .choices = {"in-turn", "at-once"}},
      {.name = "clock",
       .kind = Kind::kChoice,
       .fallback = "monotonic",
       .help = "which clock measures the time that acquiring took",
       .choices = {"monotonic", "wall"}},
      {.name = "node-timeout",
       .kind = Kind::kDuration,
       .fallback = "0.06 lease",
       .help = "how long one node may take to answer"}};
  return options;
}

}  // namespace

std::span<const LockEntry> Locks() {
  // clang-format off
  static const std::array entries{
      LockEntry{"none", "no lock at all: the control", 1, 1, {}, MakeNone},
      LockEntry{"setnx-getset", "SETNX of the client's own expiry; past ones taken over by GETSET; DEL", 1, 1, {}, MakeSetnxGetset, /*end_is_in_value=*/true},
      LockEntry{"set-nx-px", "SET NX PX with an owner; compare-and-delete in a script", 1, 1, SetNxPxOptions(), MakeSetNxPx},
      LockEntry{"redisson", "Redisson's RLock: re-entrant hash, watchdog, wake-up channel", 1, 1, RedissonOptions(), MakeRedisson},
      LockEntry{"redlock", "SET NX PX on a majority of N independent nodes within the validity", 2, 15, RedlockOptions(), MakeRedlock},
  };
  // clang-format on
  return entries;
}

const LockEntry* FindLock(std::string_view name) {
  for (const LockEntry& entry : Locks()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace doublehold
