// Base class of the readers of formats where each line is a form.
#ifndef DOUBLEHOLD_LIB_HISTORY_FOREIGN_LINE_FORMS_H_
#define DOUBLEHOLD_LIB_HISTORY_FOREIGN_LINE_FORMS_H_

#include <optional>
#include <string_view>
#include <vector>

#include "lib/history/foreign/form_reader.h"
#include "lib/history/lines.h"

namespace doublehold {

// Not thread-safe. Keeps a reference to `source`.
class LineForms : public FormReader {
 public:
  Found Next() final;
  [[nodiscard]] FormView form() const override { return FormView(nodes_.data()); }

 protected:
  explicit LineForms(TextSource& source) : lines_(source, kMostBytes) {}
  // Parses a line into `nodes_`. Returns nothing for a line to skip.
  virtual std::optional<Found> Parse(std::string_view line) = 0;

  std::vector<FormNode> nodes_;

 private:
  Lines lines_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_LINE_FORMS_H_
