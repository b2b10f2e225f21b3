// A question to a server, in the server's protocol, and how its answer is recognised.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_QUESTION_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_QUESTION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace doublehold {

struct Question {
  enum class Heard : uint8_t {
    kIncomplete,  // more bytes must come
    kNo,          // the server answered, but not as hoped
    kYes,
  };
  std::string bytes;  // sent to the server
  // Called for the bytes that were received since the last call. `ended`: the server has closed the
  // connection, so no more bytes come.
  std::function<Heard(std::string_view bytes, bool ended)> hear;
  std::string opening{};  // sent before `bytes` on a new connection
};

// What became of a question.
enum class Answered : uint8_t {
  kYes,
  kNo,
  kNotSent,  // nobody listens: the server has not received the question, and never will
  kLost,     // no answer; the server may have received the question
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_QUESTION_H_
