// An event of a history: what one process did, and when. Events have a fixed size, so that they can
// be written to shared memory without a lock, and read by mapping a file.
#ifndef DOUBLEHOLD_LIB_BASE_EVENT_H_
#define DOUBLEHOLD_LIB_BASE_EVENT_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace doublehold {

// invoke: an operation begins.
// ok:     the operation succeeded.
// fail:   the operation certainly had no effect.
// info:   from a client: the operation may have had an effect. From any other process: something
//         happened at this instant.
enum class EventType : uint8_t { kInvoke, kOk, kFail, kInfo };

// The meaning of Event::value. Times ("_ns") count from the start of the run.
//
//   acquire  invoke: lease_ns, keys (of the attempt; 0: one key)
//            ok: valid_until_ns, token (0: none), shared (1: with other readers)
//            fail: retry_hint_ns (the lock is busy; 0 if the node gave no hint, or of several keys)
//            An attempt on several keys has each of these events once for each key.
//   extend   invoke: lease_ns   ok: valid_until_ns                    fail: the lock was lost
//   release  invoke             ok: unchecked (1: freed without comparing the owner)
//            fail: nothing was freed: not the owner; unchecked: 1: no key was found by a bare DEL
//            (hold 0: released by a client without a grant. info: perhaps freed, or still queued)
//   leave    info: a section threw and its variant stayed locked, so nothing was released
//   read     invoke             ok: stock read, -, -, token shown to the store (0: none)
//            fail: refused by the store
//   write    invoke: stock read, stock to write, -, token shown
//            ok: stock read, stock written, -, token shown    fail (refused), info: as invoke
//   order    invoke, ok, fail, info: stock read, stock written  (ok: the customer was told "sold")
//   wait     invoke: due_ns     ok               fail: gave up  (surrounds the acquires)
//            due_ns: when the customer came, if customers come by a schedule (0: they do not)
//   save     invoke, ok, fail (already saved), info: task  (a result that may be saved once)
//   look     invoke             ok: first version, second version  (of a record in two halves)
//   final    ok: stock, orders in the store; of tasks: tasks with a result, results in the store
//   probe    invoke: budget_ns  ok, fail: waited_ns  (is the lock available after the last fault?)
//            info: not granted, and some attempt was not answered in time
//   expiry   ok: PTTL in ms of a lock key after all clients have ended (-1: no expiry; -2: no key),
//            node
//   fault    invoke (it starts): fault, asked_ns, client, node
//            ok (it is healed):  fault, measured_ns, client, node     (client, node: -1 when none)
//            fail (it is healed): as ok, but it found nothing to act on (measured_ns: 0)
//   stall    info: length_ns of an unplanned stall of this process, or of its driver, that ended
//            now. For a server: how long a PING of the supervisor was unanswered
//   lost     info: records dropped because a segment was full
//   died     info: wait status of a client that ended by itself, or of a killed supervisor
//   late-reply
//            ok: timeout_ns, took_ns, kind (0: acquire, 1: release, 2: extend): a driver's call was
//            answered after its own timeout. The timeout of a release or an extend is a lease.
//            fail: the call had no reply after took_ns
//   driver-error
//            info: took_ns, kind (as in late-reply), definite (1: nothing was done): a driver
//            answered a call with an error. LibraryFact::errors has the first texts.
//   lost-notification
//            info: came_ns: when the driver reported, unasked, that this hold's lock was lost
//   idle     invoke             ok               (surrounds the idle time of a session)
//   traffic  info: client, node: a command of that client to a lock server; recorded for idle
//            clients, or for all clients if a limit on commands is judged
//            fail: no further `info` is recorded
//            ok: client, node, commands, bytes: all commands of that client to that server since
//            the clients began, and the bytes both ways
//
// Every event of a grant has the grant's hold number. An acquire has hold 0 in its `invoke` and
// `fail`.
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
  kDriverError,
};
constexpr Op kLastOp = Op::kDriverError;

// The task that wrote the event. A client's tasks run concurrently, so each has its own open
// operation. A client may have several sessions, each a thread with its own watchdog.
enum class TaskKind : uint8_t { kSession, kWatchdog, kMeter };

// A stall shorter than lease / kShortestStallsPerLease cannot change a verdict, so clients record
// none.
constexpr int kShortestStallsPerLease = 10;

constexpr int32_t kSupervisor = -1;  // Event::client of faults and of the supervisor's own stalls
constexpr int32_t kReferee = 0;      // the process that sets the stock up, and reads it at the end
// Event::client of events about a server itself. Node 0 is the store.
constexpr int32_t kMostServers = 1000;
constexpr int32_t OfServer(int32_t node) { return kSupervisor - 1 - node; }
constexpr bool IsServer(int32_t client) { return client < kSupervisor; }
constexpr int32_t ServerOf(int32_t client) { return kSupervisor - 1 - client; }

struct Event {
  int64_t at_ns = 0;   // monotonic, since the start of the run
  uint64_t hold = 0;   // number of the grant, unique in a run; 0 if there is none
  int32_t client = 0;  // a client's number from 1, kReferee, kSupervisor or OfServer(node)
  uint16_t key = 0;    // index of the lock key (item)
  Op op = Op::kAcquire;
  EventType type = EventType::kInvoke;
  TaskKind task = TaskKind::kSession;
  uint8_t thread = 0;  // index among its client's sessions
  std::array<uint8_t, 6> reserved{};
  std::array<int64_t, 4> value{};

  bool operator==(const Event&) const = default;
};
// The holder of a lock: one session of one client.
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
