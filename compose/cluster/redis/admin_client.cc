#include "compose/cluster/redis/admin_client.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <memory>
#include <utility>

#include "lib/redis/wire/resp_framer.h"

namespace doublehold {
namespace {

namespace asio = boost::asio;
using Stream = asio::local::stream_protocol;

constexpr int kMostNested = 8;

std::string Encode(const std::vector<std::string>& words) {
  std::string text = fmt::format("*{}\r\n", words.size());
  for (const std::string& word : words) text += fmt::format("${}\r\n{}\r\n", word.size(), word);
  return text;
}

// Takes replies off the front of a text.
class ReplyReader {
 public:
  explicit ReplyReader(std::string_view text) : left_(text) {}

  [[nodiscard]] bool AtEnd() const { return left_.empty(); }

  std::optional<CallResult> Next(int depth = 0) {
    const size_t end = left_.find("\r\n");
    if (end == std::string_view::npos || end == 0 || depth > kMostNested) return std::nullopt;
    const char type = left_[0];
    const std::string_view line = left_.substr(1, end - 1);
    left_.remove_prefix(end + 2);
    if (type == '+') return Reply{.kind = Reply::Kind::kStatus, .text = std::string(line)};
    if (type == '-')
      return tl::unexpected(CallFailure{.definite = true, .message = std::string(line)});
    int64_t number = 0;
    const auto [stop, status] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (status != std::errc{} || stop != line.data() + line.size()) return std::nullopt;
    if (type == ':') return Reply{.kind = Reply::Kind::kInteger, .integer = number};
    if (number < 0) return Reply{};
    if (type == '$') return Bulk(static_cast<size_t>(number));
    return type == '*' ? Array(number, depth) : std::nullopt;
  }

 private:
  std::optional<CallResult> Bulk(size_t bytes) {
    if (left_.size() < 2 || left_.size() - 2 < bytes) return std::nullopt;
    Reply reply{.kind = Reply::Kind::kString, .text = std::string(left_.substr(0, bytes))};
    left_.remove_prefix(bytes + 2);
    return reply;
  }

  std::optional<CallResult> Array(int64_t count, int depth) {
    Reply reply{.kind = Reply::Kind::kArray};
    for (int64_t i = 0; i < count; ++i) {
      const std::optional<CallResult> item = Next(depth + 1);
      if (!item) return std::nullopt;
      // As in lib/redis: an error inside an array is a status.
      reply.items.push_back(
          *item ? **item : Reply{.kind = Reply::Kind::kStatus, .text = item->error().message});
    }
    return reply;
  }

  std::string_view left_;
};

// Kept alive by what it waits for.
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
      // Not from inside the call that began it.
      return asio::post(io_, [self = shared_from_this(), why = error.message()] {
        self->Fail(/*definite=*/true, why);
      });
    }
    timer_.expires_after(timeout);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& cancelled) {
      if (!cancelled) self->Fail(/*definite=*/false, "no answer in time");
    });
    sent_ = Encode(command);
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
    received_ += bytes;
    while (!bytes.empty()) {
      const RespFramer::Piece piece = framer_.Next(bytes);
      bytes.remove_prefix(piece.bytes);
      if (!piece.ends) continue;
      if (std::optional<CallResult> reply = ParseReply(received_)) {
        return Finish(std::move(*reply));
      }
      return Fail(/*definite=*/false, "not the Redis protocol");
    }
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
  RespFramer framer_{RespFramer::Side::kReplies};
  std::array<char, 4096> buffer_{};
  std::string sent_;
  std::string received_;
};

}  // namespace

void CallAsOperator(asio::io_context& io, const std::filesystem::path& socket,
                    const std::vector<std::string>& command, Duration timeout,
                    std::function<void(CallResult)> answer) {
  std::make_shared<Exchange>(io, std::move(answer))->Begin(socket, command, timeout);
}

std::optional<CallResult> ParseReply(std::string_view frame) {
  ReplyReader reader(frame);
  std::optional<CallResult> reply = reader.Next();
  if (!reader.AtEnd()) return std::nullopt;
  return reply;
}

}  // namespace doublehold
