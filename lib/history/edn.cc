#include "lib/history/edn.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace doublehold {
namespace {

using nlohmann::json;

bool IsBlank(char c) { return c == ' ' || c == ',' || c == '\t' || c == '\r' || c == '\n'; }

bool EndsToken(char c) {
  return IsBlank(c) || std::string_view("()[]{}\";").find(c) != std::string_view::npos;
}

json Number(std::string_view token) {
  std::string_view digits = token;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.ends_with('N')) digits.remove_suffix(1);
  int64_t integer = 0;
  const char* end = digits.data() + digits.size();
  if (const auto [at, status] = std::from_chars(digits.data(), end, integer);
      status == std::errc{} && at == end) {
    return integer;
  }
  if (digits.ends_with('M')) digits.remove_suffix(1);
  end = digits.data() + digits.size();
  double real = 0;
  if (const auto [at, status] = std::from_chars(digits.data(), end, real);
      status == std::errc{} && at == end) {
    return real;
  }
  return std::string(token);
}

// The key of a map as JSON can have it.
std::string KeyOf(const json& key) {
  return key.is_string() ? key.get<std::string>()
                         : key.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

Result<std::optional<json>> EdnReader::Next() {
  for (;;) {
    if (!problem_.empty() || !SkipBlank()) return BadInput(problem_);
    if (AtEnd()) {
      if (closes_top_ == 0) return std::optional<json>();
      Fail("the file ends within its vector");
      continue;
    }
    if (closes_top_ != 0 && Here() == closes_top_) {
      closes_top_ = 0;
      ++at_;
      continue;
    }
    if (closes_top_ == 0 && (Here() == '[' || Here() == '(')) {
      closes_top_ = Here() == '[' ? ']' : ')';
      ++at_;
      continue;
    }
    form_line_ = line_;
    json value;
    if (Form(value, 0)) return std::optional(std::move(value));
  }
}

bool EdnReader::Fail(std::string_view problem) {
  if (problem_.empty()) problem_ = fmt::format("{}:{}: {}", name_, line_, problem);
  return false;
}

// Up to the next form or closing bracket.
bool EdnReader::SkipBlank() {
  while (!AtEnd()) {
    const char c = Here();
    if (IsBlank(c)) {
      line_ += c == '\n' ? 1 : 0;
      ++at_;
    } else if (c == ';') {
      while (!AtEnd() && Here() != '\n') ++at_;
    } else if (text_.substr(at_, 2) == "#_") {
      at_ += 2;
      if (!Skip(1)) return false;
    } else {
      return true;
    }
  }
  return true;
}

bool EdnReader::Skip(int depth) {
  json dropped;
  return Form(dropped, depth);
}

bool EdnReader::Form(json& value, int depth) {
  if (depth > kMostDepth) return Fail(fmt::format("nested deeper than {}", kMostDepth));
  if (!SkipBlank()) return false;
  if (AtEnd()) return Fail("the file ends within a form");
  switch (Here()) {
    case '[':
      return Sequence(value, ']', depth);
    case '(':
      return Sequence(value, ')', depth);
    case '{':
      return Map(value, depth);
    case '"':
      return Text(value);
    case '#':
      return Tagged(value, depth);
    case '^':  // metadata, then what it is about
      ++at_;
      return Skip(depth + 1) && Form(value, depth + 1);
    case ']':
    case ')':
    case '}':
      return Fail(fmt::format("a '{}' closes nothing", Here()));
    default:
      return Token(value);
  }
}

bool EdnReader::Sequence(json& value, char end, int depth) {
  value = json::array();
  for (++at_;;) {
    if (!SkipBlank()) return false;
    if (AtEnd()) return Fail(fmt::format("the file ends before a '{}'", end));
    if (Here() == end) {
      ++at_;
      return true;
    }
    json element;
    if (!Form(element, depth + 1)) return false;
    value.push_back(std::move(element));
  }
}

bool EdnReader::Map(json& value, int depth) {
  json flat;
  if (!Sequence(flat, '}', depth)) return false;
  if (flat.size() % 2 != 0) return Fail("a map has a key without a value");
  value = json::object();
  for (size_t i = 0; i < flat.size(); i += 2) value[KeyOf(flat[i])] = std::move(flat[i + 1]);
  return true;
}

bool EdnReader::Text(json& value) {
  std::string text;
  for (++at_; !AtEnd() && Here() != '"'; ++at_) {
    char c = Here();
    line_ += c == '\n' ? 1 : 0;
    if (c == '\\') {
      if (++at_ >= text_.size()) break;
      c = Here();
      c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
    }
    text += c;
  }
  if (AtEnd()) return Fail("the file ends within a text");
  ++at_;
  value = std::move(text);
  return true;
}

// #{1 2}, #inst "2026-11-20", #jepsen.history.Op{...}, ##Inf
bool EdnReader::Tagged(json& value, int depth) {
  ++at_;
  if (AtEnd()) return Fail("the file ends after a '#'");
  if (Here() == '{') return Sequence(value, '}', depth);
  if (Here() == '#') {
    ++at_;
    return Token(value);
  }
  json tag;
  return Token(tag) && Form(value, depth + 1);
}

bool EdnReader::Token(json& value) {
  const size_t begin = at_;
  if (Here() == '\\') at_ = std::min(at_ + 2, text_.size());  // a character, whichever
  while (!AtEnd() && !EndsToken(Here())) ++at_;
  std::string_view token = text_.substr(begin, at_ - begin);
  if (token.empty()) return Fail(fmt::format("'{}' begins no form", Here()));
  const char first = token.front();
  const bool is_signed = (first == '-' || first == '+') && token.size() > 1;
  const char digit = is_signed ? token[1] : first;
  if (digit >= '0' && digit <= '9') {
    value = Number(token);
  } else if (token == "nil") {
    value = nullptr;
  } else if (token == "true" || token == "false") {
    value = token == "true";
  } else {
    if (first == ':' || first == '\\') token.remove_prefix(1);
    value = std::string(token);
  }
  return true;
}

namespace {

std::string EdnOf(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return "nil";
    case json::value_t::object: {
      std::string text;
      for (const auto& [key, part] : value.items())
        text += fmt::format("{}:{} {}", text.empty() ? "" : ", ", key, EdnOf(part));
      return "{" + text + "}";
    }
    case json::value_t::array: {
      std::string text;
      for (const json& part : value) text += (text.empty() ? "" : " ") + EdnOf(part);
      return "[" + text + "]";
    }
    default:
      return value.dump();  // numbers, true, false; texts are written alike in both
  }
}

}  // namespace

std::string EdnOfEvent(const json& event) {
  std::string text;
  for (const auto& [key, value] : event.items()) {
    const bool is_word = value.is_string() && (key == "process" || key == "type" || key == "f");
    text += fmt::format("{}:{} {}", text.empty() ? "" : ", ", key,
                        is_word ? ":" + value.get<std::string>() : EdnOf(value));
  }
  return "{" + text + "}";
}

}  // namespace doublehold
