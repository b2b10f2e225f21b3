#include <array>

#include "workloads/makers.h"

namespace doublehold {
namespace {

using Kind = OptionSpec::Kind;

const std::vector<OptionSpec>& InventoryOptions() {
  static const std::vector<OptionSpec> options{
      {.name = "write",
       .kind = Kind::kChoice,
       .fallback = "read-modify-write",
       .help = "how the stock is written: SET what was read less one, or DECR",
       .choices = {"read-modify-write", "check-then-decr"}},
      {.name = "stock",
       .kind = Kind::kInteger,
       .fallback = "100000",
       .help = "of each item, at the start",
       .most = 1'000'000'000},
      {.name = "items",
       .kind = Kind::kInteger,
       .fallback = "1",
       .help = "each with a lock of its own",
       .least = 1,
       .most = 1000},
      {.name = "work",
       .kind = Kind::kDuration,
       .fallback = "0.02 lease",
       .help = "between read and write; from half to one and a half of it"},
      {.name = "think",
       .kind = Kind::kDuration,
       .fallback = "0.01 lease",
       .help = "mean pause of a client between two sales"},
      {.name = "store-timeout",
       .kind = Kind::kDuration,
       .fallback = "4 lease",
       .help = "how long the store may take to answer"}};
  return options;
}

const std::vector<OptionSpec>& CycleOptions() {
  static const std::vector<OptionSpec> options{
      {.name = "think",
       .kind = Kind::kDuration,
       .fallback = "0s",
       .help = "mean pause of a client between two cycles"}};
  return options;
}

}  // namespace

std::span<const WorkloadEntry> Workloads() {
  // clang-format off
  static const std::array entries{
      WorkloadEntry{"inventory", "the flash sale: read the stock, work, write it back, record the order", InventoryOptions(), {"exclusion", "lease-exclusion", "stock", "liveness"}, MakeInventory},
      WorkloadEntry{"cycle", "acquire and release with nothing in between, for speed", CycleOptions(), {"exclusion", "lease-exclusion", "liveness"}, MakeCycle},
  };
  // clang-format on
  return entries;
}

const WorkloadEntry* FindWorkload(std::string_view name) {
  for (const WorkloadEntry& entry : Workloads()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace doublehold
