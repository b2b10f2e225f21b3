#include "lib/sim/testing/testing_model.h"

#include <fmt/format.h>

#include <iomanip>
#include <sstream>
#include <vector>

namespace doublehold::testing {

std::string Show(const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::kNil:
      return "nil";
    case Reply::Kind::kInteger:
      return fmt::format("integer {}", reply.integer);
    case Reply::Kind::kString:
      return "string " + reply.text;
    case Reply::Kind::kStatus:
      return "status " + reply.text;
    case Reply::Kind::kArray:
      break;
  }
  std::string items;
  for (const Reply& item : reply.items) items += (items.empty() ? "" : ", ") + Show(item);
  return "[" + items + "]";
}

std::string Show(const sim::ServerReply& reply) {
  return reply ? Show(*reply) : "error " + reply.error().text;
}

std::string Ask(sim::RedisModel& model, std::string_view command, int64_t now_ms, int connection) {
  std::istringstream stream{std::string(command)};
  std::vector<std::string> words;
  for (std::string word; stream >> std::quoted(word, '\'');) words.push_back(word);
  const std::vector<std::string_view> argv(words.begin(), words.end());
  return Show(model.Execute(connection, argv, now_ms));
}

}  // namespace doublehold::testing
