#include "compose/cluster/asking_connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "lib/redis/hiredis_connection.h"
#include "lib/redis/socket.h"

namespace doublehold {
namespace {

namespace asio = boost::asio;
using Endpoint = asio::generic::stream_protocol::endpoint;

Endpoint EndpointOf(const NodeAddress& server) {
  if (!server.unix_path.empty()) return asio::local::stream_protocol::endpoint(server.unix_path);
  sockaddr_in inet{};
  inet.sin_family = AF_INET;
  inet.sin_port = htons(server.port);
  inet_pton(AF_INET, server.host.c_str(), &inet.sin_addr);
  return {&inet, sizeof(inet)};
}

}  // namespace

void AskingConnection::Ask(Question question, Duration timeout, Answer answer) {
  question_ = std::move(question);
  answer_ = std::move(answer);
  const int call = ++call_;
  timer_.expires_after(timeout);
  timer_.async_wait([self = shared_from_this(), call](const boost::system::error_code& cancelled) {
    if (!cancelled) self->Fail(call, Answered::kLost, "no answer in time");
  });
  if (socket_.is_open()) return Send(call);
  question_.bytes.insert(0, question_.opening);
  boost::system::error_code error;
  const Endpoint endpoint = EndpointOf(server_);
  socket_.open(endpoint.protocol(), error);
  if (!error) socket_.non_blocking(true, error);
  // For a stopped server the kernel accepts the connection, and the question waits.
  if (!error) socket_.connect(endpoint, error);
  if (!error) return Send(call);
  if (error == asio::error::in_progress) {
    return socket_.async_wait(
        asio::socket_base::wait_write,
        [self = shared_from_this(), call](const boost::system::error_code& cancelled) {
          if (cancelled || call != self->call_ || !self->answer_) return;
          self->Send(call);
        });
  }
  // Posted, so that `answer` is not called from inside Ask.
  asio::post(io_, [self = shared_from_this(), call, why = error.message()] {
    self->Fail(call, Answered::kNotSent, why);
  });
}

void AskingConnection::Send(int call) {
  // After a failed connect, the first write fails with the reason.
  asio::async_write(
      socket_, asio::buffer(question_.bytes),
      [self = shared_from_this(), call](const boost::system::error_code& failed, size_t sent) {
        if (!failed) return;
        self->Fail(call, sent == 0 ? Answered::kNotSent : Answered::kLost, failed.message());
      });
  Receive(call);
}

void AskingConnection::Receive(int call) {
  socket_.async_read_some(
      asio::buffer(buffer_),
      [self = shared_from_this(), call](const boost::system::error_code& error, size_t bytes) {
        if (call != self->call_ || !self->answer_) return;
        const bool ended = error == asio::error::eof;
        if (error && !ended) return self->Fail(call, Answered::kLost, error.message());
        const Question::Heard heard = self->question_.hear({self->buffer_.data(), bytes}, ended);
        if (heard == Question::Heard::kIncomplete) {
          return ended ? self->Fail(call, Answered::kLost, "the server closed the connection")
                       : self->Receive(call);
        }
        const Answer answer = std::exchange(self->answer_, nullptr);
        self->timer_.cancel();
        if (ended) self->Close();
        answer(heard == Question::Heard::kYes ? Answered::kYes : Answered::kNo, "");
      });
}

void AskingConnection::Fail(int call, Answered how, const std::string& why) {
  if (call != call_ || !answer_) return;
  const Answer answer = std::exchange(answer_, nullptr);
  Close();
  answer(how, why);
}

void AskingConnection::Close() {
  answer_ = nullptr;
  timer_.cancel();
  boost::system::error_code ignored;
  socket_.close(ignored);
}

Answered AskNow(const NodeAddress& server, const Question& question, Duration timeout) {
  const Deadline deadline = RealMono() + timeout;
  Socket socket;
  if (!socket.Connect(server, deadline).empty()) return Answered::kNotSent;
  if (!socket.SendAll(question.opening + question.bytes, deadline).empty()) return Answered::kLost;
  std::array<char, 4096> buffer{};
  while (true) {
    const Socket::Received received = socket.Receive(buffer, deadline);
    const bool ended = !received.error.empty();
    const Question::Heard heard = question.hear({buffer.data(), received.bytes}, ended);
    if (heard == Question::Heard::kIncomplete && !ended) continue;
    return heard == Question::Heard::kYes  ? Answered::kYes
           : heard == Question::Heard::kNo ? Answered::kNo
                                           : Answered::kLost;
  }
}

void AskOnce(asio::io_context& io, const NodeAddress& server, Question question, Duration timeout,
             AskingConnection::Answer answer) {
  std::make_shared<AskingConnection>(io, server)
      ->Ask(std::move(question), timeout, std::move(answer));
}

}  // namespace doublehold
