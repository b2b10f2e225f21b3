#include <fmt/format.h>
#include <toml++/toml.h>

#include <fstream>
#include <sstream>

#include "lib/base/file_kind.h"
#include "lib/plan/settings.h"

namespace doublehold {
namespace {

class Flattener {
 public:
  explicit Flattener(std::string_view file) : file_(file) {}

  Result<Settings> Flatten(const toml::table& root) {
    if (Result<void> ok = Table(root, ""); !ok) return tl::unexpected(ok.error());
    return settings_;
  }

 private:
  Result<void> Table(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string name = prefix + std::string(key.str());
      Result<void> ok;
      if (const toml::table* inner = node.as_table()) {
        settings_.AddTable(prefix.substr(0, prefix.size() - (prefix.empty() ? 0 : 1)),
                           std::string(key.str()));
        ok = Table(*inner, name + ".");
      } else if (const toml::array* array = node.as_array()) {
        ok = Array(*array, name);
      } else {
        Result<std::string> word = Word(node, name);
        if (!word) return tl::unexpected(word.error());
        settings_.Set(name, *word, Where(node));
      }
      if (!ok) return ok;
    }
    return {};
  }

  Result<void> Array(const toml::array& array, const std::string& name) {
    std::vector<std::string> words;
    int index = 0;
    for (const toml::node& node : array) {
      const toml::table* inner = node.as_table();
      if (inner == nullptr) {
        Result<std::string> word = Word(node, name);
        if (!word) return tl::unexpected(word.error());
        words.push_back(*word);
        continue;
      }
      // An empty table would leave no setting, so the numbers of the following tables would be
      // wrong.
      if (inner->empty())
        return BadInput(fmt::format("{}: {}: the table is empty; remove it", Where(node), name));
      if (Result<void> ok = Table(*inner, fmt::format("{}.{}.", name, index++)); !ok) return ok;
    }
    if (index > 0 && !words.empty()) {
      return BadInput(
          fmt::format("{}: {}: the list has both tables and values", Where(array), name));
    }
    if (index == 0) settings_.SetList(name, std::move(words), Where(array));
    return {};
  }

  Result<std::string> Word(const toml::node& node, const std::string& name) {
    if (const auto text = node.value<std::string>(); text && node.is_string()) return *text;
    if (node.is_boolean()) return std::string(*node.value<bool>() ? "true" : "false");
    if (node.is_integer()) return std::to_string(*node.value<int64_t>());
    if (node.is_floating_point()) return fmt::format("{}", *node.value<double>());
    return BadInput(fmt::format("{}: {}: needs a text, a number or true/false", Where(node), name));
  }

  std::string Where(const toml::node& node) const {
    return fmt::format("{}:{}", file_, node.source().begin.line);
  }

  std::string file_;
  Settings settings_;
};

}  // namespace

Result<Settings> Settings::ParseToml(std::string_view text, std::string_view name) {
  try {
    return Flattener(name).Flatten(toml::parse(text));
  } catch (const toml::parse_error& error) {
    return BadInput(fmt::format("{}:{}: {}", name, error.source().begin.line, error.description()));
  }
}

Result<Settings> Settings::ReadToml(const std::filesystem::path& file) {
  std::error_code code;
  if (std::filesystem::is_directory(file, code)) {
    return BadInput(fmt::format("{}: is a folder; name a TOML file", file.string()));
  }
  if (const std::string why = WhyNotReadable(file); !why.empty())
    return BadInput(fmt::format("{}: {}", file.string(), why));
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return BadInput(fmt::format("{}: cannot be read", file.string()));
  return ParseToml(text.str(), file.string());
}

}  // namespace doublehold
