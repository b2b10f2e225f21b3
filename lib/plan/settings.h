// The user's settings before any check: words under dotted names ("lock.lease" = "500ms"), each
// with its origin. A suite lays a cell's settings over its common ones; flags override files. Code
// that builds a plan takes each setting that it supports. A setting that was not taken is an error,
// so that a misspelt name is not silently ignored.
#ifndef DOUBLEHOLD_LIB_PLAN_SETTINGS_H_
#define DOUBLEHOLD_LIB_PLAN_SETTINGS_H_

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

struct Setting {
  std::vector<std::string> words;  // the words of a list, or one word
  bool is_list = false;
  std::string where;  // "npc.toml:12" or "--lease"
};

class Settings {
 public:
  // Tables of a list are named name.0, name.1, ...
  static Result<Settings> ReadToml(const std::filesystem::path& file);
  static Result<Settings> ParseToml(std::string_view text, std::string_view name);

  // `parent`: the full name of the table above, or empty. A key may have dots:
  // [row."redis-py 4.5"].
  void AddTable(const std::string& parent, const std::string& key) { tables_.emplace(parent, key); }
  void Set(const std::string& name, std::string word, std::string where);
  void SetList(const std::string& name, std::vector<std::string> words, std::string where);
  void Put(const std::string& name, Setting setting) { values_[name] = std::move(setting); }

  // Overrides settings by those of `over`. A list of tables in `over` replaces the whole list.
  void Lay(const Settings& over);

  // Returns the settings below `prefix.`, with the prefix removed. Marks them as taken in this
  // object.
  [[nodiscard]] Settings TakeBelow(std::string_view prefix);
  // Returns the names of the tables directly below `prefix.`, including empty ones.
  [[nodiscard]] std::vector<std::string> TablesBelow(std::string_view prefix) const;
  // Returns the number of tables in the list `name`.
  [[nodiscard]] int CountTables(std::string_view name) const;
  [[nodiscard]] bool Has(std::string_view name) const {
    return values_.contains(std::string(name));
  }
  [[nodiscard]] std::vector<std::string> Names() const;

  // Returns a setting if present, and marks the name as known in any case.
  [[nodiscard]] std::optional<Setting> Take(const std::string& name);
  // Returns a single value. Returns an error if the setting is a list.
  [[nodiscard]] Result<std::optional<std::string>> TakeWord(const std::string& name);
  // Returns the origin of a setting for messages: "npc.toml:12: lock.lease". For a missing setting,
  // returns the origin of its table.
  [[nodiscard]] std::string Where(const std::string& name) const;

  // Returns an error about the first setting that was not taken. `what` is the kind of name
  // ("setting"); `lists` are the known lists of tables ("fault").
  [[nodiscard]] Result<void> CheckAllTaken(std::string_view what,
                                           const std::vector<std::string>& lists = {}) const;

 private:
  std::map<std::string, Setting> values_;
  std::set<std::pair<std::string, std::string>> tables_;  // parent and key
  std::set<std::string> known_;                           // taken, or asked for
  std::string prefix_;  // the prefix that TakeBelow removed, for messages
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_PLAN_SETTINGS_H_
