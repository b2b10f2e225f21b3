// Asks one server from the supervisor's event loop, over a connection of its own that bypasses the
// proxy.
//
// Thread rule: runs on the io_context's thread. No method waits.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_ASKING_CONNECTION_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_ASKING_CONNECTION_H_

#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "compose/cluster/question.h"
#include "lib/base/address.h"
#include "lib/base/time.h"

namespace doublehold {

// A connection for one question at a time. Pending handlers keep the object alive.
class AskingConnection : public std::enable_shared_from_this<AskingConnection> {
 public:
  // `why` describes a failure.
  using Answer = std::function<void(Answered, const std::string& why)>;

  AskingConnection(boost::asio::io_context& io, NodeAddress server)
      : io_(io), server_(std::move(server)), socket_(io), timer_(io) {}

  // Connects if there is no connection, and sends the question. Calls `answer` once from the event
  // loop, within `timeout`. Never calls `answer` if the loop ends first. If the server listens on a
  // unix socket, the question has been sent when this returns. Requires that no other question is
  // pending.
  void Ask(Question question, Duration timeout, Answer answer);
  // Closes the connection. A pending `answer` is not called any more.
  void Close();

 private:
  void Send(int call);
  void Receive(int call);
  // Ends the question with this number, and closes the connection. Does nothing if that question
  // has ended.
  void Fail(int call, Answered how, const std::string& why);

  boost::asio::io_context& io_;
  NodeAddress server_;
  boost::asio::generic::stream_protocol::socket socket_;
  boost::asio::steady_timer timer_;
  Question question_;
  Answer answer_;
  int call_ = 0;  // number of the question; a late handler of an earlier one is ignored
  std::array<char, 4096> buffer_{};
};

// Asks over a new connection, and waits for the answer for at most `timeout`.
Answered AskNow(const NodeAddress& server, const Question& question, Duration timeout);

// Asks over a new connection; see AskingConnection::Ask.
void AskOnce(boost::asio::io_context& io, const NodeAddress& server, Question question,
             Duration timeout, AskingConnection::Answer answer);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_ASKING_CONNECTION_H_
