#include "compose/cluster/redis/redis_question.h"

#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "compose/cluster/asking_connection.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {

Question RedisQuestion(const std::vector<std::string>& command,
                       std::function<bool(const CallResult& reply)> is_hoped) {
  const auto replies = std::make_shared<ReplyReader>();
  return {.bytes = FormatCommand(std::vector<std::string_view>(command.begin(), command.end())),
          .hear = [replies, is_hoped = std::move(is_hoped)](std::string_view bytes, bool) {
            replies->Feed(bytes);
            const std::optional<CallResult> reply = replies->Next();
            if (!reply) return Question::Heard::kIncomplete;
            return is_hoped(*reply) ? Question::Heard::kYes : Question::Heard::kNo;
          }};
}

Question RedisPing() {
  return RedisQuestion({"PING"},
                       [](const CallResult& reply) { return reply && reply->text == "PONG"; });
}

std::optional<Duration> ReadRedisTime(const CallResult& reply) {
  if (!reply || reply->items.size() != 2) return std::nullopt;
  std::array<int64_t, 2> numbers{};
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::string& text = reply->items[i].text;
    if (std::from_chars(text.data(), text.data() + text.size(), numbers[i]).ec != std::errc{})
      return std::nullopt;
  }
  return std::chrono::seconds(numbers[0]) + std::chrono::microseconds(numbers[1]);
}

Question AskRedisTime(std::function<void(Duration since_epoch)> tell) {
  return RedisQuestion({"TIME"}, [tell = std::move(tell)](const CallResult& reply) {
    const std::optional<Duration> time = ReadRedisTime(reply);
    if (time) tell(*time);
    return time.has_value();
  });
}

void CallAsOperator(boost::asio::io_context& io, const NodeAddress& server,
                    const std::vector<std::string>& command, Duration timeout,
                    std::function<void(CallResult)> answer) {
  const auto reply = std::make_shared<std::optional<CallResult>>();
  AskOnce(
      io, server,
      RedisQuestion(command,
                    [reply](const CallResult& heard) {
                      *reply = heard;
                      return true;
                    }),
      timeout, [reply, answer = std::move(answer)](Answered how, const std::string& why) {
        if (*reply) return answer(std::move(**reply));
        answer(tl::unexpected(CallFailure{.definite = how == Answered::kNotSent, .message = why}));
      });
}

}  // namespace doublehold
