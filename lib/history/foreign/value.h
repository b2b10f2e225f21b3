// What a text format says, whichever it is: a value with all that is in it, flat in one vector that
// is used again.
//
//   {:process 3, :value [1 2]}    ->   map(6)  "process"  3  "value"  list(3)  1  2          in brackets: nodes, itself included
//
// Texts are views into what was read, and hold as long as that does.
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
  uint32_t nodes = 1;  // itself and all within: its next neighbour is so far away
  union {
    int64_t integer = 0;
    double real;
  };
  std::string_view text;
};

// A form within such a vector, or none. Cheap to copy.
class FormView {
 public:
  FormView() = default;
  explicit FormView(const FormNode* node) : node_(node) {}

  [[nodiscard]] bool exists() const { return node_ != nullptr; }
  // One that is not there is nil.
  [[nodiscard]] FormKind kind() const { return exists() ? node_->kind : FormKind::kNil; }
  [[nodiscard]] bool IsNil() const { return kind() == FormKind::kNil; }
  [[nodiscard]] bool IsMap() const { return kind() == FormKind::kMap; }
  [[nodiscard]] bool IsSequence() const {
    return kind() == FormKind::kList || kind() == FormKind::kSet;
  }
  [[nodiscard]] std::optional<int64_t> Integer() const {
    return kind() == FormKind::kInteger ? std::optional(node_->integer) : std::nullopt;
  }
  // The same, of a real that is whole too: 1.0 is the number 1.
  [[nodiscard]] std::optional<int64_t> WholeNumber() const;
  [[nodiscard]] std::optional<std::string_view> Text() const {
    return kind() == FormKind::kText ? std::optional(node_->text) : std::nullopt;
  }

  // What is in a sequence; of a map, keys and values in turn.
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

  // Of a map: what stands under a key, if anything does.
  [[nodiscard]] FormView Find(std::string_view key) const;
  // Copies it, with all within, to the end.
  void AppendTo(std::vector<FormNode>& nodes) const {
    nodes.insert(nodes.end(), node_, node_ + node_->nodes);
  }
  // The same text for equal values: what has no order (sets, maps) is put into one.
  [[nodiscard]] std::string Canonical() const;

 private:
  const FormNode* node_ = nullptr;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_VALUE_H_
