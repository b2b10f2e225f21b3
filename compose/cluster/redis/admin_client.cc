#include "compose/cluster/redis/admin_client.h"

#include <array>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <utility>

#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

namespace asio = boost::asio;
using Stream = asio::local::stream_protocol;

// Its pending handlers keep it alive.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(asio::io_context& io, std::function<void(CallResult)> answer)
      : io_(io), socket_(io), timer_(io), answer_(std::move(answer)) {}

  void Begin(const std::filesystem::path& path, const std::vector<std::string>& command,
             Duration timeout) {
    boost::system::error_code error;
    socket_.open(Stream(), error);
    if (!error) socket_.non_blocking(true, error);
    if (!error) socket_.connect(Stream::endpoint(path.string()), error);
    if (error) {
      // Posted, so that `answer` is not called from inside Begin.
      return asio::post(io_, [self = shared_from_this(), why = error.message()] {
        self->Fail(/*definite=*/true, why);
      });
    }
    timer_.expires_after(timeout);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& cancelled) {
      if (!cancelled) self->Fail(/*definite=*/false, "no answer in time");
    });
    sent_ = FormatCommand(std::vector<std::string_view>(command.begin(), command.end()));
    asio::async_write(socket_, asio::buffer(sent_),
                      [self = shared_from_this()](const boost::system::error_code& failed, size_t) {
                        if (failed) self->Fail(/*definite=*/false, failed.message());
                      });
    Receive();
  }

 private:
  void Receive() {
    socket_.async_read_some(
        asio::buffer(buffer_),
        [self = shared_from_this()](const boost::system::error_code& error, size_t bytes) {
          if (error) return self->Fail(/*definite=*/false, error.message());
          self->Take({self->buffer_.data(), bytes});
        });
  }

  void Take(std::string_view bytes) {
    replies_.Feed(bytes);
    if (std::optional<CallResult> reply = replies_.Next()) return Finish(std::move(*reply));
    Receive();
  }

  void Fail(bool definite, std::string why) {
    Finish(tl::unexpected(CallFailure{.definite = definite, .message = std::move(why)}));
  }

  void Finish(CallResult result) {
    if (!answer_) return;
    timer_.cancel();
    boost::system::error_code ignored;
    socket_.close(ignored);
    std::exchange(answer_, nullptr)(std::move(result));
  }

  asio::io_context& io_;
  Stream::socket socket_;
  asio::steady_timer timer_;
  std::function<void(CallResult)> answer_;
  std::array<char, 4096> buffer_{};
  std::string sent_;
  ReplyReader replies_;
};

}  // namespace

void CallAsOperator(asio::io_context& io, const std::filesystem::path& socket,
                    const std::vector<std::string>& command, Duration timeout,
                    std::function<void(CallResult)> answer) {
  std::make_shared<Exchange>(io, std::move(answer))->Begin(socket, command, timeout);
}

}  // namespace doublehold
