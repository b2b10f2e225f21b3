#include "lib/history/foreign/edn_parser.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

namespace doublehold {
namespace {

constexpr std::array<bool, 256> TableOf(std::string_view characters) {
  std::array<bool, 256> table{};
  for (const char c : characters) table[static_cast<uint8_t>(c)] = true;
  return table;
}

constexpr std::array<bool, 256> kBlank = TableOf(" ,\t\r\n\f");
constexpr std::array<bool, 256> kEndsToken = [] {
  std::array<bool, 256> table = TableOf(" ,\t\r\n\f()[]{}\";");
  table[0] = true;  // the padding behind the text
  return table;
}();

bool IsBlank(char c) { return kBlank[static_cast<uint8_t>(c)]; }
bool EndsToken(char c) { return kEndsToken[static_cast<uint8_t>(c)]; }

// Resolves escapes. Leaves \u escapes unresolved, so that the result cannot equal another text.
std::string Unescaped(std::string_view text) {
  constexpr std::string_view kLetters = "ntrbf";
  constexpr std::string_view kMeant = "\n\t\r\b\f";
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && text[i + 1] != 'u') {
      const size_t letter = kLetters.find(text[++i]);
      plain += letter == std::string_view::npos ? text[i] : kMeant[letter];
    } else {
      plain += text[i];
    }
  }
  return plain;
}

}  // namespace

void EdnParser::Start(std::string_view text, int64_t line, bool complete) {
  text_ = text;
  complete_ = complete;
  at_ = 0;
  line_ = line;
}

EdnParser::Found EdnParser::Next(std::string_view stops) {
  nodes_.clear();
  unescaped_.clear();
  problem_.clear();
  short_ = false;
  form_at_ = at_;
  form_line_ = line_;
  if (SkipBlank(0)) {
    if (AtEnd()) return complete_ ? Found::kNothing : Found::kShort;
    form_at_ = at_;
    form_line_ = line_;
    if (stops.find(Here()) != std::string_view::npos) {
      ++at_;
      return Found::kStop;
    }
    if (Form(0)) return Found::kForm;
  }
  return short_ ? Found::kShort : Found::kWrong;
}

bool EdnParser::Fail(std::string problem) {
  problem_ = std::move(problem);
  return false;
}

// Call when the text ends inside a form.
bool EdnParser::Ends(std::string_view within) {
  if (complete_) return Fail(fmt::format("the file ends {}", within));
  short_ = true;
  return false;
}

// Skips blanks and comments. Returns false when the text is too short or malformed.
bool EdnParser::SkipBlank(int depth) {
  for (;;) {
    const char c = Here();
    if (IsBlank(c)) {
      line_ += c == '\n' ? 1 : 0;
      ++at_;
    } else if (c == ';') {
      while (!AtEnd() && Here() != '\n') ++at_;
      if (AtEnd() && !complete_) return Ends("within a comment");
    } else if (c == '#' && at_ + 1 == text_.size() && !complete_) {
      return Ends("after a '#'");
    } else if (c == '#' && text_.substr(at_, 2) == "#_") {
      at_ += 2;
      if (!Skip(depth + 1)) return false;
    } else {
      return true;
    }
  }
}

bool EdnParser::Skip(int depth) {
  const size_t kept = nodes_.size();
  if (!Form(depth)) return false;
  nodes_.resize(kept);
  return true;
}

bool EdnParser::Form(int depth) {
  if (depth > kMostDepth) return Fail(fmt::format("nested deeper than {}", kMostDepth));
  if (!SkipBlank(depth)) return false;
  if (AtEnd()) return Ends("within a form");
  switch (Here()) {
    case '[':
      return Sequence(FormKind::kList, ']', depth);
    case '(':
      return Sequence(FormKind::kList, ')', depth);
    case '{':
      return Sequence(FormKind::kMap, '}', depth);
    case '"':
      return Text();
    case '#':
      return Tagged(depth);
    case '^':  // metadata, followed by the form that it describes
      ++at_;
      return Skip(depth + 1) && Form(depth + 1);
    case ']':
    case ')':
    case '}':
      return Fail(fmt::format("unmatched '{}'", Here()));
    default:
      return Token();
  }
}

bool EdnParser::Sequence(FormKind kind, char end, int depth) {
  const size_t begin = nodes_.size();
  Add(kind);
  size_t count = 0;
  for (++at_;; ++count) {
    if (!SkipBlank(depth)) return false;
    if (AtEnd()) return Ends(fmt::format("before a '{}'", end));
    if (Here() == end) break;
    if (!Form(depth + 1)) return false;
  }
  ++at_;
  if (kind == FormKind::kMap && count % 2 != 0) return Fail("a map has a key without a value");
  nodes_[begin].nodes = static_cast<uint32_t>(nodes_.size() - begin);
  return true;
}

bool EdnParser::Text() {
  const size_t begin = ++at_;
  bool escaped = false;
  for (; !AtEnd() && Here() != '"'; ++at_) {
    line_ += Here() == '\n' ? 1 : 0;
    if (Here() != '\\') continue;
    escaped = true;
    ++at_;
    line_ += Here() == '\n' ? 1 : 0;
  }
  if (AtEnd()) return Ends("within a text");
  std::string_view text = text_.substr(begin, at_++ - begin);
  if (escaped) text = unescaped_.emplace_back(Unescaped(text));
  Add(FormKind::kText).text = text;
  return true;
}

// Parses forms that begin with '#': #{1 2}, #inst "2026-11-20", #jepsen.history.Op{...}, ##Inf.
bool EdnParser::Tagged(int depth) {
  ++at_;
  if (AtEnd()) return Ends("after a '#'");
  if (Here() == '{') return Sequence(FormKind::kSet, '}', depth);
  if (Here() == '#') {
    ++at_;
    return Token();
  }
  const size_t kept = nodes_.size();
  if (!Token()) return false;
  nodes_.resize(kept);
  return Form(depth + 1);
}

bool EdnParser::Token() {
  const size_t begin = at_;
  if (Here() == '\\') at_ = std::min(at_ + 2, text_.size());  // any character literal
  while (!EndsToken(Here())) ++at_;
  if (AtEnd() && !complete_) return Ends("within a word");
  std::string_view token = text_.substr(begin, at_ - begin);
  if (token.empty())
    return AtEnd() ? Ends("within a form") : Fail(fmt::format("unexpected '{}'", Here()));
  const char first = token.front();
  const bool is_signed = (first == '-' || first == '+') && token.size() > 1;
  const char digit = is_signed ? token[1] : first;
  if (digit >= '0' && digit <= '9') {
    AddNumber(token);
  } else if (token == "nil" || (null_is_nil_ && token == "null")) {
    Add(FormKind::kNil);
  } else if (token == "true" || token == "false") {
    Add(token == "true" ? FormKind::kTrue : FormKind::kFalse);
  } else {
    if (first == ':' || first == '\\') token.remove_prefix(1);
    Add(FormKind::kText).text = token;
  }
  return true;
}

void EdnParser::AddNumber(std::string_view token) {
  std::string_view digits = token;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.ends_with('N')) digits.remove_suffix(1);
  FormNode& node = Add(FormKind::kInteger);
  const char* end = digits.data() + digits.size();
  const auto [at, status] = std::from_chars(digits.data(), end, node.integer);
  if (status == std::errc{} && at == end) return;
  node.kind = FormKind::kText;
  node.text = token;
  if (digits.find_first_of(".eE") == std::string_view::npos) return;
  if (digits.ends_with('M')) digits.remove_suffix(1);
  end = digits.data() + digits.size();
  double real = 0;
  const auto [real_at, real_status] = std::from_chars(digits.data(), end, real);
  if (real_status != std::errc{} || real_at != end) return;
  node.kind = FormKind::kReal;
  node.real = real;
}

}  // namespace doublehold
