#include "compose/cluster/redis/admin_client.h"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace doublehold {

namespace asio = boost::asio;

void AdminConnection::Call(const std::vector<std::string>& command, Duration timeout,
                           Answer answer) {
  answer_ = std::move(answer);
  const int call = ++call_;
  boost::system::error_code error;
  if (!socket_.is_open()) {
    replies_ = ReplyReader();
    socket_.open(endpoint_.protocol(), error);
    if (!error) socket_.non_blocking(true, error);
    // For a stopped server the kernel accepts the connection, and the command waits.
    if (!error) socket_.connect(endpoint_, error);
  }
  if (error) {
    // Posted, so that `answer` is not called from inside Call.
    return asio::post(io_, [self = shared_from_this(), call, why = error.message()] {
      self->Fail(call, /*definite=*/true, why);
    });
  }
  timer_.expires_after(timeout);
  timer_.async_wait([self = shared_from_this(), call](const boost::system::error_code& cancelled) {
    if (!cancelled) self->Fail(call, /*definite=*/false, "no answer in time");
  });
  sent_ = FormatCommand(std::vector<std::string_view>(command.begin(), command.end()));
  asio::async_write(
      socket_, asio::buffer(sent_),
      [self = shared_from_this(), call](const boost::system::error_code& failed, size_t) {
        if (failed) self->Fail(call, /*definite=*/false, failed.message());
      });
  Receive(call);
}

void AdminConnection::Receive(int call) {
  socket_.async_read_some(
      asio::buffer(buffer_),
      [self = shared_from_this(), call](const boost::system::error_code& error, size_t bytes) {
        if (call != self->call_ || !self->answer_) return;
        if (error) return self->Fail(call, /*definite=*/false, error.message());
        self->replies_.Feed({self->buffer_.data(), bytes});
        std::optional<CallResult> reply = self->replies_.Next();
        if (!reply) return self->Receive(call);
        self->timer_.cancel();
        std::exchange(self->answer_, nullptr)(std::move(*reply));
      });
}

void AdminConnection::Fail(int call, bool definite, const std::string& why) {
  if (call != call_ || !answer_) return;
  const Answer answer = std::exchange(answer_, nullptr);
  Close();
  answer(tl::unexpected(CallFailure{.definite = definite, .message = why}));
}

void AdminConnection::Close() {
  answer_ = nullptr;
  timer_.cancel();
  boost::system::error_code ignored;
  socket_.close(ignored);
}

void CallAsOperator(asio::io_context& io, const std::filesystem::path& socket,
                    const std::vector<std::string>& command, Duration timeout,
                    AdminConnection::Answer answer) {
  std::make_shared<AdminConnection>(io, socket)->Call(command, timeout, std::move(answer));
}

}  // namespace doublehold
