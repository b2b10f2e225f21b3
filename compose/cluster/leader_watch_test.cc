// Tests whom the watch takes for the leader, against servers that answer as a test says.
#include "compose/cluster/leader_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <string>

#include "compose/os/scratch.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

using Local = boost::asio::local::stream_protocol;

// Answers each question with "y" or "n". An empty answer: it is stopped, and does not answer.
class ScriptedMember {
 public:
  ScriptedMember(boost::asio::io_context& io, std::string path)
      : path_(std::move(path)), acceptor_(io, Local::endpoint(path_)) {
    Accept();
  }

  void Die() {
    acceptor_.close();
    for (const auto& socket : sockets_) socket->close();
    unlink(path_.c_str());
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] size_t connections() const { return sockets_.size(); }

  std::string answer = "n";

 private:
  void Accept() {
    acceptor_.async_accept([this](const boost::system::error_code& error, Local::socket socket) {
      if (error) return;
      sockets_.push_back(std::make_unique<Local::socket>(std::move(socket)));
      Hear(*sockets_.back());
      Accept();
    });
  }

  void Hear(Local::socket& socket) {
    socket.async_read_some(boost::asio::buffer(heard_),
                           [this, &socket](const boost::system::error_code& error, size_t) {
                             if (error) return;
                             if (!answer.empty()) write(socket.native_handle(), answer.data(), 1);
                             Hear(socket);
                           });
  }

  std::string path_;
  Local::acceptor acceptor_;
  std::array<char, 64> heard_{};
  std::vector<std::unique_ptr<Local::socket>> sockets_;
};

class LeaderWatchTest : public ::testing::Test {
 protected:
  LeaderWatchTest() {
    watch_.Watch(1, {.unix_path = first_.path()});
    watch_.Watch(2, {.unix_path = second_.path()});
    watch_.Begin();
  }

  // Runs the event loop until the condition is met.
  void Await(const std::function<bool()>& met) {
    const MonoTime give_up = RealMono() + std::chrono::seconds(20);
    while (!met() && RealMono() < give_up) io_.run_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(met());
  }
  void AwaitLeader(std::optional<int> node) {
    Await([&] { return watch_.leader() == node; });
  }

  const Scratch scratch_ = *Scratch::Create();
  boost::asio::io_context io_;
  ScriptedMember first_{io_, scratch_.folder() / "1.sock"},
      second_{io_, scratch_.folder() / "2.sock"};
  LeaderWatch watch_{io_, [] {
                       return Question{.bytes = "?", .hear = [](std::string_view bytes, bool) {
                                         return bytes == "y" ? Question::Heard::kYes
                                                             : Question::Heard::kNo;
                                       }};
                     }};
};

TEST_F(LeaderWatchTest, TheServerThatAnswersWithYesLeads) {
  EXPECT_EQ(watch_.leader(), std::nullopt);
  first_.answer = "y";
  AwaitLeader(1);
  first_.answer = "n";
  AwaitLeader(std::nullopt);
  second_.answer = "y";
  AwaitLeader(2);
}

TEST_F(LeaderWatchTest, AStoppedLeaderLeadsUntilAnotherServerDoes) {
  first_.answer = "y";
  AwaitLeader(1);
  first_.answer = "";
  Await([&, before = first_.connections()] { return first_.connections() > before; });
  EXPECT_EQ(watch_.leader(), 1) << "a question was given up";
  second_.answer = "y";
  AwaitLeader(2);
  first_.answer = "y";  // it goes on, and does not know of the election
  Await([&, before = first_.connections()] { return first_.connections() > before; });
  EXPECT_EQ(watch_.leader(), 2);
  second_.answer = "n";
  AwaitLeader(1);
}

TEST_F(LeaderWatchTest, ADeadLeaderLeadsNoLonger) {
  first_.answer = "y";
  AwaitLeader(1);
  first_.Die();
  AwaitLeader(std::nullopt);
}

}  // namespace
}  // namespace doublehold
