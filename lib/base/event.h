// One record of a history: what one process did, and when. Fixed size, so that it can be written
// into shared memory without a lock and read back by mapping a file.
#ifndef DOUBLEHOLD_LIB_BASE_EVENT_H_
#define DOUBLEHOLD_LIB_BASE_EVENT_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace doublehold {

// invoke: about to do it.  ok: it happened.  fail: it certainly did not.  info: perhaps, or (a
// process that is not a client) something that happened at this instant.
enum class EventType : uint8_t { kInvoke, kOk, kFail, kInfo };

// What the values of an event (Event::value) mean. Times ("_ns") count from the start of the run.
//
//   acquire  invoke: lease_ns   ok: valid_until_ns, token (0: none), shared (1: with other readers)
//            fail: retry_hint_ns (busy; 0: the node did not tell)
//   extend   invoke: lease_ns   ok: valid_until_ns                    fail: the lock was lost
//   release  invoke             ok: unchecked (1: freed whoever's lock it was)   fail: not the owner
//            (hold 0: by one that had never been granted the lock; info then: or left no queue yet)
//   leave    info: a section ended without a release: it threw, and the variant stays locked then
//   read     invoke             ok: stock read, -, -, token shown to the store (0: none)   fail (refused)
//   write    invoke: stock read, stock to write, -, token shown
//            ok: stock read, stock written, -, token shown    fail (refused), info: as invoke
//   order    invoke, ok, fail, info: stock read, stock written  (ok: the customer was told "sold")
//   wait     invoke             ok                                    fail: gave up  (around acquires)
//   save     invoke, ok, fail (it was saved before), info: task  (a result that may be saved once)
//   look     invoke             ok: first version, second version  (of a record in two halves)
//   final    ok: stock, orders in the store; of tasks: tasks with a result, results in the store
//   probe    invoke: budget_ns  ok, fail: waited_ns  (can the lock be had after the last fault?)
//            info: not had, and not all of its attempts were answered in time
//   expiry   ok: PTTL in ms of a lock key once everybody has gone home (-1: it never expires; -2: it is not there), node
//   fault    invoke (it starts): fault, asked_ns, client, node
//            ok (it is healed):  fault, measured_ns, client, node     (client, node: -1 when none)
//            fail (it is healed): the same, of one that met nothing to act on (measured_ns: 0)
//   stall    info: length_ns of an unplanned stall of this process that ended now; of a server, for how long it left a PING
//            of the supervisor unanswered
//   lost     info: records dropped because a segment was full
//   died     info: wait status of a client that ended by itself
//   late-reply
//            ok: time-out_ns, took_ns, of (0: an acquire, 1: a release, 2: an extend): a call of a
//            driver's was answered after its own time-out, which of a release and an extend is a
//            lease.  fail: never, in so long
//   lost-notification
//            info: came_ns: a driver had said by then, unasked, that the lock of this hold was lost
//   idle     invoke             ok                                    (of a session that is through with its work: it asks for nothing)
//   traffic  info: client, node: a command of that client arrived on its way to a server of locks;
//            of clients that are idle, or of all where such commands have a limit
//            fail: from now on none is recorded
//
// Every event of a grant carries its hold; an acquire carries it from its `ok` or `info` on.
enum class Op : uint8_t {
  kAcquire,
  kExtend,
  kRelease,
  kRead,
  kWrite,
  kOrder,
  kFinal,
  kProbe,
  kExpiry,
  kWait,
  kFault,
  kStall,
  kLost,
  kDied,
  kSave,
  kLook,
  kLeave,
  kLateReply,
  kLostNotification,
  kIdle,
  kTraffic,
};
constexpr Op kLastOp = Op::kTraffic;

// Who wrote the record within its process. A client's tasks run side by side, so each has its own
// open operation; a client may have several sessions, each a thread with its own watchdog.
enum class TaskKind : uint8_t { kSession, kWatchdog, kMeter };

constexpr int32_t kSupervisor = -1;  // Event::client of faults and of the supervisor's own stalls
constexpr int32_t kReferee = 0;      // the process that sets the stock up and reads it at the end
// What is said of a server itself. Node 0 is the store.
constexpr int32_t kMostServers = 1000;
constexpr int32_t OfServer(int32_t node) { return kSupervisor - 1 - node; }
constexpr bool IsServer(int32_t client) { return client < kSupervisor; }
constexpr int32_t ServerOf(int32_t client) { return kSupervisor - 1 - client; }

struct Event {
  int64_t at_ns = 0;   // monotonic, since the start of the run
  uint64_t hold = 0;   // which grant; unique in a run; 0: none
  int32_t client = 0;  // 1.. ; or kReferee, kSupervisor
  uint16_t key = 0;    // which lock key (item), 0..
  Op op = Op::kAcquire;
  EventType type = EventType::kInvoke;
  TaskKind task = TaskKind::kSession;
  uint8_t thread = 0;  // which of its client's sessions, 0..
  std::array<uint8_t, 6> reserved{};
  std::array<int64_t, 4> value{};

  bool operator==(const Event&) const = default;
};
// Who holds a lock: one session of one client.
struct SessionId {
  int32_t client = 0;
  uint8_t thread = 0;
  auto operator<=>(const SessionId&) const = default;  // NOLINT(modernize-use-nullptr): no null
};
inline SessionId SessionOf(const Event& event) { return {event.client, event.thread}; }

static_assert(sizeof(Event) == 64 && std::is_trivially_copyable_v<Event>);

std::string_view Name(EventType type);  // "invoke"
std::string_view Name(Op op);           // "acquire"
std::string_view Name(TaskKind task);   // "session"

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_EVENT_H_
