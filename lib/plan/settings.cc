#include "lib/plan/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/words.h"

namespace doublehold {
namespace {

// Returns "fault" for "fault.0.kind": a number after the first part means a list of tables.
std::optional<std::string> ListOf(std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos || dot + 1 >= name.size()) return std::nullopt;
  if (name[dot + 1] < '0' || name[dot + 1] > '9') return std::nullopt;
  return std::string(name.substr(0, dot));
}

}  // namespace

void Settings::Set(const std::string& name, std::string word, std::string where) {
  values_[name] = {.words = {std::move(word)}, .is_list = false, .where = std::move(where)};
}

void Settings::SetList(const std::string& name, std::vector<std::string> words, std::string where) {
  values_[name] = {.words = std::move(words), .is_list = true, .where = std::move(where)};
}

void Settings::Lay(const Settings& over) {
  std::set<std::string> lists;
  for (const auto& [name, setting] : over.values_) {
    if (const auto list = ListOf(name)) lists.insert(*list);
  }
  std::erase_if(values_, [&](const auto& entry) {
    const auto list = ListOf(entry.first);
    return list && lists.contains(*list);
  });
  for (const auto& [name, setting] : over.values_) values_[name] = setting;
}

Settings Settings::TakeBelow(std::string_view prefix) {
  Settings part;
  part.prefix_ = prefix_ + std::string(prefix) + ".";
  const std::string start = std::string(prefix) + ".";
  for (const auto& [name, setting] : values_) {
    if (!name.starts_with(start)) continue;
    part.values_[name.substr(start.size())] = setting;
    known_.insert(name);
  }
  return part;
}

std::vector<std::string> Settings::TablesBelow(std::string_view prefix) const {
  std::vector<std::string> names;
  for (const auto& [parent, key] : tables_) {
    if (parent == prefix) names.push_back(key);
  }
  return names;
}

int Settings::CountTables(std::string_view name) const {
  int count = 0;
  const auto any = [this](const std::string& start) {
    const auto found = values_.lower_bound(start);
    return found != values_.end() && found->first.starts_with(start);
  };
  while (any(fmt::format("{}.{}.", name, count))) ++count;
  return count;
}

std::vector<std::string> Settings::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, setting] : values_) names.push_back(name);
  return names;
}

std::optional<Setting> Settings::Take(const std::string& name) {
  known_.insert(name);
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

Result<std::optional<std::string>> Settings::TakeWord(const std::string& name) {
  const std::optional<Setting> setting = Take(name);
  if (!setting) return std::nullopt;
  if (setting->is_list || setting->words.size() != 1) {
    return BadInput(fmt::format("{}: needs one value, not a list", Where(name)));
  }
  return setting->words.front();
}

std::string Settings::Where(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    if (prefix_.empty() || values_.empty()) return prefix_ + name;
    return fmt::format("{}: {}{}", values_.begin()->second.where, prefix_, name);
  }
  // The name of a flag already identifies the setting.
  if (found->second.where.starts_with("--")) return found->second.where;
  return fmt::format("{}: {}{}", found->second.where, prefix_, name);
}

Result<void> Settings::CheckAllTaken(std::string_view what,
                                     const std::vector<std::string>& lists) const {
  for (const auto& [name, setting] : values_) {
    if (known_.contains(name)) continue;
    if (const auto list = ListOf(name); list && std::ranges::find(lists, *list) == lists.end()) {
      return BadInput(
          fmt::format("{}: {}", setting.where, UnknownWord("list of tables", *list, lists)));
    }
    std::vector<std::string> known;
    for (const std::string& candidate : known_) {
      // Does not suggest a setting that is already set, except the long form of a short name:
      // "lock.lease" for "lease".
      const bool may_be_meant = !values_.contains(candidate) || candidate.ends_with("." + name);
      if (may_be_meant && !ListOf(candidate)) known.push_back(candidate);
    }
    return BadInput(fmt::format("{}: {}", setting.where, UnknownWord(what, name, known)));
  }
  return {};
}

}  // namespace doublehold
