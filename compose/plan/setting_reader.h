// Reads typed values from Settings. Keeps the first error. Later reads return their fallback.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_SETTING_READER_H_
#define DOUBLEHOLD_COMPOSE_PLAN_SETTING_READER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/time.h"
#include "lib/plan/settings.h"

namespace doublehold {

class SettingReader {
 public:
  // `settings` must outlive the reader. If the reader has a lease, durations may be given in
  // leases.
  explicit SettingReader(Settings& settings, std::optional<Lease> lease = std::nullopt)
      : settings_(settings), lease_(lease) {}

  void UseLease(Lease lease) { lease_ = lease; }

  std::optional<std::string> Word(const std::string& name);
  std::string Word(const std::string& name, std::string_view fallback);
  // Reads one of the known words. A message calls such a word `kind`, for example "lock".
  std::string Known(const std::string& name, std::string_view kind, std::string_view fallback,
                    const std::vector<std::string>& known);
  int64_t Integer(const std::string& name, int64_t fallback, int64_t least, int64_t most);
  double Number(const std::string& name, double fallback, double least, double most);
  bool Flag(const std::string& name, bool fallback);
  Duration Span(const std::string& name, std::string_view fallback);
  // Reads a duration that may be negative: "-500ms".
  Duration SignedSpan(const std::string& name, std::string_view fallback);
  // Returns the names of the settings in a table, without the table's name.
  std::vector<std::string> NamesBelow(const std::string& table) {
    return settings_.TakeBelow(table).Names();
  }
  // Reads a list, or one text with commas, which must not be empty. `none`: the word that stands
  // for an empty list, if there is one.
  std::vector<std::string> Words(const std::string& name, std::string_view none = {});

  void Fail(const std::string& name, const std::string& message);
  void FailPlainly(const Error& error);
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] Settings& settings() { return settings_; }

 private:
  Settings& settings_;
  std::optional<Lease> lease_;
  std::optional<Error> error_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_SETTING_READER_H_
