#include "compose/cluster/postgres/postgres_question.h"

#include <arpa/inet.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/postgres/session.h"

namespace doublehold {
namespace {

// A message of PostgreSQL's protocol: a type, unless it is 0, the length, and the body.
std::string PostgresMessage(char type, const std::string& body) {
  const uint32_t bytes = htonl(static_cast<uint32_t>(body.size() + sizeof bytes));
  std::string message(type == 0 ? 0 : 1, type);
  message.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  return message + body;
}

std::string StartupMessage() {
  std::string body("\0\3\0\0", 4);  // version 3.0 of the protocol
  for (const char* text : {"user", kPostgresName, "database", kPostgresName, ""})
    body.append(text, std::strlen(text) + 1);
  return PostgresMessage(0, body);
}

// The answer to the startup message, if it was sent, and to a query of one value.
class QueryAnswer {
 public:
  // Returns the value once the answer is complete; an empty text if the server refused.
  std::optional<std::string> Hear(std::string_view bytes, bool ended) {
    unread_ += bytes;
    while (unread_.size() >= kHeader) {
      const size_t end = 1 + Number(1);
      if (unread_.size() < end) break;
      const char type = unread_.front();
      // A row: the number of values, the length of the first value, the value.
      if (type == 'D' && end > kHeader + 6) value_ = unread_.substr(kHeader + 6, Number(7));
      if (type == 'E') refused_ = true;
      unread_.erase(0, end);
      // The first ReadyForQuery may be the end of the startup.
      if (type == 'Z' && (refused_ || !value_.empty())) return refused_ ? "" : value_;
    }
    return ended && refused_ ? std::optional(std::string()) : std::nullopt;
  }

 private:
  static constexpr size_t kHeader = 5;

  [[nodiscard]] size_t Number(size_t at) const {
    uint32_t number = 0;
    std::memcpy(&number, unread_.data() + at, sizeof number);
    return ntohl(number);
  }

  std::string unread_;
  std::string value_;
  bool refused_ = false;
};

}  // namespace

Question PostgresQuestion(const char* query,
                          std::function<bool(const std::string& value)> is_hoped) {
  return {.bytes = PostgresMessage('Q', std::string(query, std::strlen(query) + 1)),
          .hear =
              [answer = std::make_shared<QueryAnswer>(), is_hoped = std::move(is_hoped)](
                  std::string_view bytes, bool ended) {
                const std::optional<std::string> value = answer->Hear(bytes, ended);
                if (!value) return Question::Heard::kIncomplete;
                return is_hoped(*value) ? Question::Heard::kYes : Question::Heard::kNo;
              },
          .opening = StartupMessage()};
}

}  // namespace doublehold
