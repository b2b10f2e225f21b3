// The messages of a simulated world, and the nodes that they go to.
//
// A connection delivers in order; between connections there is no order but that of time. A request
// that was sent is carried out whether or not anybody waits for it any more. Thread rule: one
// thread; belongs to its World.
#ifndef DOUBLEHOLD_LIB_SIM_NETWORK_H_
#define DOUBLEHOLD_LIB_SIM_NETWORK_H_

#include <optional>
#include <string>
#include <vector>

#include "lib/base/connection.h"
#include "lib/base/env.h"
#include "lib/base/fault_forms.h"
#include "lib/sim/argument_arena.h"
#include "lib/sim/fault_sites.h"
#include "lib/sim/redis/redis_model.h"
#include "lib/sim/replica_log.h"
#include "lib/sim/skewed_clock.h"

namespace doublehold::sim {

class World;

constexpr std::string_view kNoScript =
    "NOSCRIPT";  // so begins the answer to a digest that a server does not know

class Network {
 public:
  explicit Network(ScriptEngine& scripts) : scripts_(scripts) {}

  // As new, in that world; what it has allocated is used again.
  void Begin(World& world, int nodes);

  // A connection of a task of a process, by its number. Opened when first used, and again when it
  // broke.
  uint32_t Connect(uint32_t task, int process, int node);
  void Send(uint32_t link, Argv command);
  // By its digest.
  void SendScript(uint32_t link, const Script& script, Argv keys, Argv args);
  // The script that was sent last on it, now with its text.
  void SendText(uint32_t link);
  // What came back on it, once, to be taken from there; null when nothing did.
  CallResult* Take(uint32_t link);
  // Nobody waits for what comes on it any more.
  void Break(uint32_t link);
  [[nodiscard]] bool IsOpen(uint32_t link) const { return links_[link].number != 0; }

  // Who listens on a channel, by a connection of its own. The confirmation that it is subscribed is
  // news like any other: what was published before it is missed.
  uint32_t Listen(uint32_t task, int process, int node, std::string channel);
  void Subscribe(uint32_t listener);
  void Unsubscribe(uint32_t listener);
  // Whether there is such a connection: not before Subscribe, nor after its node was gone.
  [[nodiscard]] bool IsListening(uint32_t listener) const {
    return IsOpen(listeners_[listener].link);
  }
  // Of a message: who waits for it, and whom it asks.
  [[nodiscard]] int ProcessOf(uint32_t message) const {
    return links_[messages_[message].link].process;
  }
  [[nodiscard]] int NodeOf(uint32_t message) const { return links_[messages_[message].link].node; }
  // Whether anything came since it was asked last; whoever waits for it is woken.
  bool TakeNews(uint32_t listener);

  // A message that is due.
  void DeliverRequest(uint32_t message);
  void DeliverReply(uint32_t message);
  // What was published, to who listens on that connection; or the end of that.
  void DeliverNews(uint32_t listener, uint64_t what);

 private:
  struct Node {
    explicit Node(ScriptEngine& scripts) : redis(scripts) {}
    RedisModel redis;
    SkewedClock clock{};
    MonoTime still_until{};
    MonoTime down_until{};  // nothing listens there
    int restarts = 0;       // how often its connections broke
    bool knows_all = true;  // scripts
    std::optional<ReplicaLog> replicas{};
  };
  struct Link {
    uint32_t task = 0;
    int process = 0;
    int node = 0;
    int number = 0;  // of the connection, as the node sees it; 0: not open
    MonoTime last_request{}, last_reply{};
    uint32_t sent = 0;      // the last message on it
    uint32_t awaited = 0;   // the message whose answer is awaited; 0: none
    uint32_t answered = 0;  // the message whose answer is there, until it is taken; 0: none
    std::optional<uint32_t> listener{};  // whose connection it is
  };
  struct Message {
    uint32_t link = 0;
    int number = 0;    // of the connection that it was sent on
    int restarts = 0;  // of its node until then
    const Script* script = nullptr;
    bool with_text = false;
    Argv words{}, args{};  // of a script: keys, and arguments
    CallResult reply{};
    bool carried_out = false;
    bool replied = false;             // that is on its way, or there
    bool closes = false;              // the connection is gone with it
    std::optional<Announced> step{};  // that its sender announced as it sent it
  };
  struct Listener {
    uint32_t link = 0;
    std::string channel;
    int number = 0;  // of the connection by which the node knows of it; 0: it does not
    bool has_news = false;
    bool gone = false;
  };

  Message& Add(uint32_t link);
  void NotePlace(Point point, uint32_t message);
  void Send(uint32_t index);
  void Again(uint32_t index, const Node& node);
  bool StrikeNode(FaultForm fault, int number);
  void CarryOut(Message& message, Node& node);
  void Publish(int node);
  void TellListener(uint32_t listener, Link& link, bool closes, MonoTime at);
  void CountListeners(int node, const std::string& channel);
  void Answer(uint32_t index, MonoTime at);  // with the message's reply
  void Lose(uint32_t index, bool definite, std::string why);
  void Forsake(int node);
  std::optional<Duration> AwaitReplicas(Message& message, const Node& node);
  static std::string_view Name(const Message& message);

  ScriptEngine& scripts_;
  World* world_ = nullptr;
  std::vector<Node> nodes_;
  std::vector<Link> links_;
  WordStore words_;
  std::vector<Message> messages_;  // [0] is none
  size_t message_count_ = 1;       // of the world that there is now
  std::vector<Listener> listeners_;
  int connections_ = 0;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_NETWORK_H_
