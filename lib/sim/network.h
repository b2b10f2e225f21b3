// The messages of a simulated world, and the nodes that receive them.
//
// A connection delivers messages in order. Messages of different connections are ordered by time
// only. A node executes every request that arrives, even if its sender has given up waiting.
//
// Thread rule: one thread; belongs to its World.
#ifndef DOUBLEHOLD_LIB_SIM_NETWORK_H_
#define DOUBLEHOLD_LIB_SIM_NETWORK_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/env.h"
#include "lib/base/fault_forms.h"
#include "lib/clients/redis.h"
#include "lib/sim/argument_arena.h"
#include "lib/sim/fault_sites.h"
#include "lib/sim/outside_faults.h"
#include "lib/sim/redis/redis_model.h"
#include "lib/sim/replica_log.h"
#include "lib/sim/service/service_model.h"
#include "lib/sim/skewed_clock.h"

namespace doublehold::sim {

class World;

constexpr std::string_view kNoScript =
    "NOSCRIPT";  // prefix of the error reply to EVALSHA with an unknown digest

// The owner of a connection that has several calls in flight, and gets messages of the server.
class LinkUser {
 public:
  virtual ~LinkUser() = default;
  // The reply to a message; the user may move from it.
  virtual void HandleReply(uint32_t message, CallResult& reply) = 0;
  virtual void HandleNews() = 0;
  // The connection has broken. Calls in flight get no reply.
  virtual void HandleClose() = 0;
};

class Network {
 public:
  explicit Network(ScriptEngine& scripts) : scripts_(scripts) {}

  // Resets the network for a new world, and reuses the allocated memory. Lock nodes are Redis
  // servers if `make_service` is null.
  void Begin(World& world, int nodes, MakeService make_service);

  // Returns the index of the connection from this task of `process` to `node`. Opens the connection
  // on first use, and again after it broke.
  uint32_t Connect(uint32_t task, int process, int node);
  // The same for a connection of `user`, which must outlive it. Its channel has the index as name.
  uint32_t ConnectUser(uint32_t task, int process, int node, LinkUser& user);
  // Ends a user's connection. Requests in flight are executed.
  void Leave(uint32_t link);
  // Returns the index of the message.
  uint32_t Send(uint32_t link, Argv command);
  // Sends EVALSHA.
  void SendScript(uint32_t link, const Script& script, Argv keys, Argv args);
  // Sends EVAL with the text of the last SendScript on this connection.
  void SendText(uint32_t link);
  // Returns a reply that has arrived on this connection, or null. Returns each reply once. The
  // caller may move from the result.
  CallResult* Take(uint32_t link);
  // Closes the connection. A reply to the pending call is dropped.
  void Break(uint32_t link);
  [[nodiscard]] bool IsOpen(uint32_t link) const;

  // Listens on a channel over a connection of its own. The confirmation of the subscription arrives
  // as news. Messages published before the node has subscribed the listener are missed.
  uint32_t Listen(uint32_t task, int process, int node, std::string channel);
  void Subscribe(uint32_t listener);  // by SUBSCRIBE
  // Subscribes to a channel of another service than Redis. The reply 0 is no news.
  void Subscribe(uint32_t listener, Argv request) { Send(listeners_[listener].link, request); }
  void Unsubscribe(uint32_t listener);
  // Whether the listener's connection is open: from Subscribe until the connection breaks.
  [[nodiscard]] bool IsListening(uint32_t listener) const {
    return IsOpen(listeners_[listener].link);
  }
  // Adds the state of all connections and nodes.
  void MixState(StateDigest& digest) const;
  // Adds what a request or a reply holds.
  void MixRequest(uint32_t message, StateDigest& digest) const;
  void MixReply(uint32_t message, StateDigest& digest) const;
  // Whether news arrived since the last call. Arriving news also wakes the waiting task.
  bool TakeNews(uint32_t listener);

  // These deliver the request or the reply of a message that is due.
  void DeliverRequest(uint32_t message);
  void DeliverReply(uint32_t message);
  // Delivers a published message to a listener, or the end of the listener's connection.
  void DeliverNews(uint32_t listener, uint64_t what);

  // When the next session or lease ends on a node; MonoTime::max() if none does.
  [[nodiscard]] MonoTime NextExpiry() const {
    return make_service_ == nullptr ? MonoTime::max() : FindNextExpiry();
  }
  // Ends the sessions and leases whose time has come.
  void Expire();
  // Ends the cuts of a node whose time has come: the former masters answer nobody any more.
  void EndSplits(int node);

 private:
  struct Deposed;
  struct Node {
    explicit Node(ScriptEngine& scripts) : redis(scripts) {}
    RedisModel redis;
    SkewedClock clock{};
    MonoTime still_until{};
    MonoTime down_until{};  // until then, the node's port refuses connections
    int life = 0;  // changes when the server ends or hands over; unique among a node's servers
    bool knows_all = true;  // whether every script counts as loaded
    std::optional<ReplicaLog> replicas{};
    std::unique_ptr<ServiceModel> service{};  // null: the node is `redis`
    std::vector<Deposed> deposed{};           // former masters that still answer somebody
  };
  // A master that is cut off with one client. The client takes it for the node until the cut ends.
  struct Deposed {
    Node server;
    int client = 0;
    MonoTime until{};
  };
  struct Link {
    uint32_t task = 0;
    int process = 0;
    int node = 0;
    int number = 0;      // the node's number for this connection, or 0 if it is not open
    int life = 0;        // of the server when the connection was opened
    bool moved = false;  // whether the server will refer the next request to another one
    MonoTime last_request{}, last_reply{};
    int opened = 0;         // how often it was opened
    uint32_t sent = 0;      // index of the last message on this connection
    uint32_t messages = 0;  // sent on it so far
    uint32_t awaited = 0;   // the message whose reply is pending, or 0
    uint32_t answered = 0;  // the message whose reply has arrived but is not yet taken, or 0
    std::optional<uint32_t> listener{};  // the listener that owns this connection
    LinkUser* user = nullptr;
  };
  struct Message {
    uint32_t link = 0;
    uint32_t nth = 0;  // of the link's messages, from 1
    int number = 0;    // number of the connection when the message was sent
    int life = 0;      // of the server when the connection was opened
    // The trips that it has yet to make after this one, because the server refers it to another:
    // to the client and back.
    int trips = 0;
    const Script* script = nullptr;
    bool with_text = false;
    Argv words{}, args{};  // `words` has the keys of a script, `args` its arguments
    CallResult reply{};
    bool in_flight = false;  // the node may still execute it
    bool replied = false;    // the reply was sent
    bool closes = false;     // the connection closes with this reply
    size_t frame = 0;        // 1 + index of its last frame among WorldTerms::frames; 0: none
    bool is_copy = false;    // the second copy of a request; its reply is dropped
    std::optional<Announced> step{};  // the step that the sender had announced
  };
  struct Listener {
    uint32_t link = 0;
    std::string channel;
    int number = 0;  // number of the subscribed connection, or 0
    bool has_news = false;
    bool gone = false;
  };

  Message& Add(uint32_t link);
  [[nodiscard]] int64_t NowMs(const Node& node) const;  // of the node's wall clock
  void MixNode(const Node& node, StateDigest& digest) const;
  void NotePlace(Point point, uint32_t message);
  void RecordFrame(Message& message, bool is_reply);
  void NoteArrival(const Message& message);
  void SendMessage(uint32_t index);
  void Again(uint32_t index, const Node& server);
  void Follow(uint32_t index);
  // The server that a link's client takes for the link's node.
  [[nodiscard]] const Node& ServerOf(const Link& link) const {
    const Node& node = nodes_[static_cast<size_t>(link.node)];
    for (const Deposed& deposed : node.deposed) {
      if (deposed.client == link.process) return deposed.server;
    }
    return node;
  }
  Node& ServerOf(const Link& link) {
    return const_cast<Node&>(std::as_const(*this).ServerOf(link));
  }
  Fate ChooseFate(Point point, uint32_t which, const Link& link, const Message* message);
  void SendCopy(uint32_t message);
  void ExecuteCopy(Message& copy);
  [[nodiscard]] bool CanRepeat(const Message& message) const;
  bool StartNodeFault(FaultForm fault, Message& message);
  bool StartMasterFault(FaultForm fault, Message& message);
  void Promote(Node& node, MonoTime at);
  void BeginAsMaster(Node& node);
  [[nodiscard]] bool Execute(Message& message, Node& node);
  [[nodiscard]] bool ExecuteOnService(Message& message, Node& node);
  void Publish(Node& server);
  void PublishOfService(Node& server);
  void PublishTo(const Node& server, const std::string& channel);
  void CloseChannel(const Node& server, const std::string& channel);
  void SendToListener(uint32_t listener, Link& link, bool closes, MonoTime at);
  void CountListeners(Node& server, const std::string& channel);
  void SendReply(uint32_t index, MonoTime at);  // a fault may hit the reply
  void Answer(uint32_t index, MonoTime at);     // sends the message's reply
  void Lose(uint32_t index, bool definite, std::string why);
  void DeliverToUser(uint32_t index);
  void EndConnections(Node& server);
  void MoveConnections(Node& server);
  void CloseConnection(const Link& link, int number);  // at the server
  std::optional<Duration> AwaitReplicas(Message& message, Node& server);
  static std::string_view Name(const Message& message);
  static std::string_view CommandOf(const Message& message);  // as a real client sends it
  [[nodiscard]] MonoTime FindNextExpiry() const;

  ScriptEngine& scripts_;
  World* world_ = nullptr;
  MakeService make_service_ = nullptr;
  std::vector<Node> nodes_;
  std::vector<Link> links_;
  WordStore words_;
  std::vector<Message> messages_;  // index 0 is unused
  size_t message_count_ = 1;       // messages of the current world
  std::vector<Listener> listeners_;
  int lives_ = 0;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_NETWORK_H_
