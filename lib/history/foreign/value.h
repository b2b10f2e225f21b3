// A parsed value of any text format. The value and everything in it are nodes in one vector, which
// is reused.
//
//   {:process 3, :value [1 2]}  ->  map(6) "process" 3 "value" list(3) 1 2
//                                   in brackets: number of nodes, the node itself included
//
// Texts are views into the input, and are valid as long as the input is.
#ifndef DOUBLEHOLD_LIB_HISTORY_FOREIGN_VALUE_H_
#define DOUBLEHOLD_LIB_HISTORY_FOREIGN_VALUE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace doublehold {

enum class FormKind : uint8_t { kNil, kFalse, kTrue, kInteger, kReal, kText, kList, kSet, kMap };

struct FormNode {
  FormKind kind = FormKind::kNil;
  // The number of nodes in this subtree, this node included. The next sibling is this many nodes
  // further.
  uint32_t nodes = 1;
  union {
    int64_t integer = 0;
    double real;
  };
  std::string_view text;  // of a text; of a real, how the input writes it, or empty
};

// A form within such a vector, or no form. Cheap to copy.
class FormView {
 public:
  FormView() = default;
  explicit FormView(const FormNode* node) : node_(node) {}

  [[nodiscard]] bool exists() const { return node_ != nullptr; }
  // A missing form counts as nil.
  [[nodiscard]] FormKind kind() const { return exists() ? node_->kind : FormKind::kNil; }
  [[nodiscard]] bool IsNil() const { return kind() == FormKind::kNil; }
  [[nodiscard]] bool IsMap() const { return kind() == FormKind::kMap; }
  [[nodiscard]] bool IsSequence() const {
    return kind() == FormKind::kList || kind() == FormKind::kSet;
  }
  [[nodiscard]] std::optional<int64_t> Integer() const {
    return kind() == FormKind::kInteger ? std::optional(node_->integer) : std::nullopt;
  }
  [[nodiscard]] std::optional<double> Real() const {
    return kind() == FormKind::kReal ? std::optional(node_->real) : std::nullopt;
  }
  // How the input writes a text or a real; empty if the parser does not tell.
  [[nodiscard]] std::string_view Written() const {
    return exists() ? node_->text : std::string_view();
  }
  // Like Integer, but also accepts a real that is whole: 1.0 is the number 1.
  [[nodiscard]] std::optional<int64_t> WholeNumber() const;
  [[nodiscard]] std::optional<std::string_view> Text() const {
    return kind() == FormKind::kText ? std::optional(node_->text) : std::nullopt;
  }

  // Iterates over the elements of a sequence; in a map, over keys and values in turn.
  class Iterator {
   public:
    explicit Iterator(const FormNode* at) : at_(at) {}
    FormView operator*() const { return FormView(at_); }
    Iterator& operator++() {
      at_ += at_->nodes;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const FormNode* at_;
  };
  [[nodiscard]] Iterator begin() const { return Iterator(exists() ? node_ + 1 : nullptr); }
  [[nodiscard]] Iterator end() const { return Iterator(exists() ? node_ + node_->nodes : nullptr); }

  // Returns the value of a key in a map, or no form.
  [[nodiscard]] FormView Find(std::string_view key) const;
  // Appends a copy of the form, with everything in it, to `nodes`.
  void AppendTo(std::vector<FormNode>& nodes) const {
    nodes.insert(nodes.end(), node_, node_ + node_->nodes);
  }
  // Returns the same text for equal values: sets and maps are sorted.
  [[nodiscard]] std::string Canonical() const;

 private:
  const FormNode* node_ = nullptr;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_VALUE_H_
