// What a user asked for, before anything is checked: words under dotted names ("lock.lease" =
// "500ms"), each with the place it came from. A suite lays a cell's settings over its common ones,
// flags lie over files. Who builds a plan takes what it knows; what nobody took is an error, so
// that a misspelt name cannot be silently ignored.
#ifndef DOUBLEHOLD_LIB_PLAN_SETTINGS_H_
#define DOUBLEHOLD_LIB_PLAN_SETTINGS_H_

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

struct Setting {
  std::vector<std::string> words;  // of a list; of a single value, one
  bool is_list = false;
  std::string where;  // "npc.toml:12" or "--lease"
};

class Settings {
 public:
  // A list of tables appears as name.0, name.1, ...
  static Result<Settings> ReadToml(const std::filesystem::path& file);
  static Result<Settings> ParseToml(std::string_view text, std::string_view name);

  void AddTable(const std::string& name) { tables_.insert(name); }
  void Set(const std::string& name, std::string word, std::string where);
  void SetList(const std::string& name, std::vector<std::string> words, std::string where);

  // Lays `over` over this; a list of tables in `over` replaces the whole list of that name.
  void Lay(const Settings& over);

  // The settings below `prefix.`, without it; they count as taken here.
  [[nodiscard]] Settings TakeBelow(std::string_view prefix);
  // The names of the tables right below `prefix.`, empty ones too.
  [[nodiscard]] std::vector<std::string> TablesBelow(std::string_view prefix) const;
  // How many tables the list `name` has.
  [[nodiscard]] int CountTables(std::string_view name) const;
  [[nodiscard]] bool Has(std::string_view name) const {
    return values_.contains(std::string(name));
  }
  [[nodiscard]] std::vector<std::string> Names() const;

  // Each marks it as known, present or not.
  [[nodiscard]] std::optional<Setting> Take(const std::string& name);
  // A single value; an error when it is a list.
  [[nodiscard]] Result<std::optional<std::string>> TakeWord(const std::string& name);
  // Where it came from, for messages: "npc.toml:12: lock.lease". Of one that a part lacks: where
  // that part is.
  [[nodiscard]] std::string Where(const std::string& name) const;

  // An error about the first setting that nobody took. `what` says what the names belong to:
  // "setting"; `lists`: the lists of tables that there can be: "fault".
  [[nodiscard]] Result<void> CheckAllTaken(std::string_view what,
                                           const std::vector<std::string>& lists = {}) const;

 private:
  std::map<std::string, Setting> values_;
  std::set<std::string> tables_;
  std::set<std::string> known_;  // taken, or asked for
  std::string prefix_;           // of a part, for messages
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_PLAN_SETTINGS_H_
