#include "lib/redis/find_keys.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace doublehold {

bool IsNameOfLock(const std::string& lock, const std::string& name) {
  for (size_t at = name.find(lock); at != std::string::npos; at = name.find(lock, at + 1)) {
    const size_t end = at + lock.size();
    if (end == name.size() || std::isdigit(static_cast<unsigned char>(name[end])) == 0) return true;
  }
  return false;
}

tl::expected<std::vector<std::string>, CallFailure> FindKeysOf(
    Connection& server, const std::vector<std::string>& locks, Deadline deadline) {
  std::string common = locks.front();
  for (const std::string& lock : locks)
    common.resize(static_cast<size_t>(std::ranges::mismatch(common, lock).in1 - common.begin()));
  const std::string pattern = "*" + common + "*";
  std::set<std::string> names;  // SCAN may return a key twice
  std::string cursor = "0";
  do {
    const CallResult part = server.Call(
        std::array<std::string_view, 6>{"SCAN", cursor, "MATCH", pattern, "COUNT", "1000"},
        deadline);
    if (!part) return tl::unexpected(part.error());
    if (part->items.size() != 2) return tl::unexpected(CallFailure{.message = "no answer to SCAN"});
    for (const Reply& name : part->items[1].items) {
      const auto is_of = [&](const std::string& lock) { return IsNameOfLock(lock, name.text); };
      if (std::ranges::any_of(locks, is_of)) names.insert(name.text);
    }
    cursor = part->items[0].text;
  } while (cursor != "0");
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace doublehold
