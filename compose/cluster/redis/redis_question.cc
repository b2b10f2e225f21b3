#include "compose/cluster/redis/redis_question.h"

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
