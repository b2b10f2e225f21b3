// Questions and operators' commands in Redis' protocol.
//
// Thread rule: runs on the io_context's thread. No function waits.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_REDIS_QUESTION_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_REDIS_QUESTION_H_

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compose/cluster/question.h"
#include "lib/base/address.h"
#include "lib/base/time.h"
#include "lib/clients/redis.h"

namespace doublehold {

// Calls `is_hoped` with the reply, which may be an error of the server.
Question RedisQuestion(const std::vector<std::string>& command,
                       std::function<bool(const CallResult& reply)> is_hoped);

// Whether the server is ready for commands.
Question RedisPing();
// Parses the reply to TIME: seconds and microseconds, such as ["1700000000", "123456"].
std::optional<Duration> ReadRedisTime(const CallResult& reply);
// Asks for the server's wall clock.
Question AskRedisTime(std::function<void(Duration since_epoch)> tell);

// Sends one command over a new connection. Calls `answer` once from the event loop, with the reply,
// or with an error if there is none within `timeout`. Never calls `answer` if the loop ends first.
// If the server listens on a unix socket, the command has been sent when this returns.
void CallAsOperator(boost::asio::io_context& io, const NodeAddress& server,
                    const std::vector<std::string>& command, Duration timeout,
                    std::function<void(CallResult)> answer);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_REDIS_QUESTION_H_
