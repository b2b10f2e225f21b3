#include "lib/history/foreign/csv_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <vector>

#include "lib/history/csv_records.h"
#include "lib/history/foreign/edn_parser.h"
#include "lib/history/foreign/json_lines.h"

namespace doublehold {
namespace {

static_assert(CsvRecords::kMostBytes == FormReader::kMostBytes);

// Whether all of the field is a number.
template <typename Number>
bool ReadWhole(std::string_view field, Number& number) {
  const auto [at, status] = std::from_chars(field.data(), field.data() + field.size(), number);
  return status == std::errc{} && at == field.data() + field.size();
}

// "nan", "inf" and "007" are texts.
bool BeginsNumber(std::string_view field) {
  const auto is_digit = [&](size_t i) {
    return i < field.size() && field[i] >= '0' && field[i] <= '9';
  };
  const size_t first = field.starts_with('-') ? 1 : 0;
  return is_digit(first) && !(field[first] == '0' && is_digit(first + 1));
}

// A field that is no list.
FormNode NodeOf(std::string_view field) {
  FormNode node;
  if (field.empty() || field == "nil" || field == "null") return node;
  if (field == "true" || field == "True" || field == "TRUE") {
    node.kind = FormKind::kTrue;
  } else if (field == "false" || field == "False" || field == "FALSE") {
    node.kind = FormKind::kFalse;
  } else if (BeginsNumber(field) && ReadWhole(field, node.integer)) {
    node.kind = FormKind::kInteger;
  } else if (BeginsNumber(field) && field.find_first_of(".eE") != std::string_view::npos &&
             ReadWhole(field, node.real)) {
    node.kind = FormKind::kReal;
    node.text = field;
  } else {
    node.kind = FormKind::kText;
    node.text = field;
  }
  return node;
}

class CsvForms final : public FormReader {
 public:
  explicit CsvForms(TextSource& source) : records_(source) {}

  Found Next() override {
    const CsvRecords::Found found = records_.Next();
    line_ = records_.line();
    if (found == CsvRecords::Found::kEnd) return Found::kEnd;
    if (found == CsvRecords::Found::kTooLong) return Wrong(Found::kTooLong, records_.problem());
    if (found == CsvRecords::Found::kGarbled) return Wrong(Found::kGarbled, records_.problem());
    lists_.clear();
    nodes_.assign(1, {.kind = FormKind::kMap});
    for (size_t i = 0; i < records_.fields().size(); ++i) {
      const std::string& field = records_.fields()[i];
      if (!IsUtf8(field)) return Wrong(Found::kNotUtf8, "not UTF-8");
      nodes_.push_back({.kind = FormKind::kText});
      nodes_.back().text = records_.header()[i];
      if (!field.starts_with('[')) {
        nodes_.push_back(NodeOf(field));
      } else if (!AppendList(field)) {
        return Wrong(Found::kGarbled,
                     fmt::format("column '{}': {}", records_.header()[i], lists_.back().problem()));
      }
    }
    nodes_.front().nodes = static_cast<uint32_t>(nodes_.size());
    return Found::kForm;
  }
  [[nodiscard]] FormView form() const override { return FormView(nodes_.data()); }

 private:
  bool AppendList(const std::string& field) {
    EdnParser& parser = lists_.emplace_back(/*null_is_nil=*/true);
    parser.Start(field, line_, /*complete=*/true);
    if (parser.Next() != EdnParser::Found::kForm) return false;
    parser.form().AppendTo(nodes_);
    return true;
  }

  CsvRecords records_;
  std::vector<FormNode> nodes_;
  std::deque<EdnParser> lists_;  // hold the texts of the lists
};

}  // namespace

std::unique_ptr<FormReader> MakeCsvReader(TextSource& source) {
  return std::make_unique<CsvForms>(source);
}

}  // namespace doublehold
