#include "checker/claims/library/idle_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/claim_checker.h"
#include "checker/evidence/client_commands.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"
#include "checker/evidence/names.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

// Without a stall of the machine, a message is in transit for at most a fifth of a lease.
constexpr int64_t kTransitPerLease = 5;
// A watchdog renews several times in a lease, so an idle time below half a lease proves nothing.
constexpr int64_t kIdlePerLease = 2;

struct IdleTime {
  int64_t from_ns = kForeverNs;  // kForeverNs: the session was never idle
  int64_t to_ns = kForeverNs;
};

struct ClientTraffic {
  std::map<uint8_t, IdleTime> sessions;
  const Call* open = nullptr;  // a call of unknown outcome
  const Hold* last = nullptr;  // the client's last hold
  int64_t unreleased = 0;      // number of holds without a release
  bool extending = false;      // an extension has an unknown outcome

  // Returns the time in which all sessions of the client were idle; empty if there is none.
  [[nodiscard]] Span Idle() const {
    Span idle{0, kForeverNs};
    for (const auto& [thread, session] : sessions) {
      idle.from_ns = std::max(idle.from_ns, session.from_ns);
      idle.to_ns = std::min(idle.to_ns, session.to_ns);
    }
    return idle.to_ns == kForeverNs || idle.to_ns < idle.from_ns ? Span{} : idle;
  }
};

class IdleTrafficChecker : ClaimChecker {
 public:
  IdleTrafficChecker(const Evidence& evidence, const Limits& limits)
      : ClaimChecker(evidence, limits, "clients") {}

  ClaimVerdict Verdict() && {
    if (const auto why = WhyIncomplete("not all may have been released"))
      return std::move(found_).Undecided(*why);
    Gather();
    if (sent_.recorded_until_ns() < kForeverNs)
      return std::move(found_).Undecided("not all commands were kept");
    for (const auto& [client, traffic] : clients_) Judge(client, traffic);
    return std::move(found_).Conclude(
        {.nothing_judged =
             hidden_ ? "no client that was idle could have been seen to send for long enough"
                     : "no client that had been granted a key was idle for long enough",
         .judged = Counted(found_.judged(), "client"),
         .violated = "went on sending after all was released",
         .valid = "none of {} sent anything after all was released"});
  }

 private:
  void Gather() {
    for (const Event& event : evidence_.history().events) {
      if (event.client <= kReferee || event.task != TaskKind::kSession) continue;
      IdleTime& session = clients_[event.client].sessions[event.thread];
      if (event.op != Op::kIdle) continue;
      (event.type == EventType::kInvoke ? session.from_ns : session.to_ns) = event.at_ns;
    }
    for (const Call& call : calls_.all) {
      const bool asks = call.op == Op::kAcquire || call.op == Op::kRelease;
      if (asks && call.outcome == EventType::kInfo) clients_[call.session.client].open = &call;
    }
    for (const Hold& hold : holds_.all) {
      ClientTraffic& traffic = clients_[hold.client];
      if (!hold.released) ++traffic.unreleased;
      traffic.extending = traffic.extending || hold.tried_outcome == EventType::kInfo;
      if (traffic.last == nullptr || hold.asked_ns > traffic.last->asked_ns) traffic.last = &hold;
    }
  }

  void Judge(int32_t client, const ClientTraffic& traffic) {
    const Span idle = traffic.Idle();
    if (traffic.last == nullptr) return;
    if (idle.to_ns - idle.from_ns < lease_ns_ / kIdlePerLease) return found_.PassedOver();
    std::vector<ClientCommand> late = sent_.Of(client);
    std::erase_if(late, [&](const ClientCommand& sent) {
      return sent.at_ns < idle.from_ns + lease_ns_ / kTransitPerLease || sent.at_ns > idle.to_ns;
    });
    if (late.empty()) {
      if (RecordedNs(client, idle) >= lease_ns_ / kIdlePerLease) return found_.Judged();
      hidden_ = true;
      return found_.PassedOver();
    }
    if (const std::string why = ExplainUncertainty(client, traffic, idle); !why.empty()) {
      return found_.Doubt(fmt::format("client {} sent something at {}, but {}", client,
                                      At(late.front().at_ns), why));
    }
    found_.Judged();
    found_.Violated(late.back().at_ns,
                    [&] { return DescribeViolation(client, traffic, idle, late); });
  }

  // Returns the time within `when` in which a command of the client would have been recorded.
  [[nodiscard]] int64_t RecordedNs(int32_t client, const Span& when) const {
    int64_t recorded_ns = when.to_ns - when.from_ns;
    for (const Span& span : evidence_.disturbed().FindSpansWithoutRequests(client)) {
      const Span part{std::max(span.from_ns, when.from_ns), std::min(span.to_ns, when.to_ns)};
      recorded_ns -= std::max<int64_t>(part.to_ns - part.from_ns, 0);
    }
    return recorded_ns;
  }

  [[nodiscard]] std::string ExplainUncertainty(int32_t client, const ClientTraffic& traffic,
                                               const Span& idle) const {
    if (traffic.unreleased > 0) return "it had not released all";
    if (traffic.open != nullptr)
      return fmt::format("what came of a call of {} is not known",
                         OwnerName(disturbances_, traffic.open->session));
    if (traffic.extending) return "what came of an extension of its lock is not known";
    const Span meanwhile{traffic.last->asked_ns - lease_ns_, idle.to_ns};
    const auto why = evidence_.disturbed().FindDisturbanceOf(client, meanwhile);
    return why ? WhyClause(disturbances_, *why) : "";
  }

  [[nodiscard]] Violation DescribeViolation(int32_t client, const ClientTraffic& traffic,
                                            const Span& idle,
                                            const std::vector<ClientCommand>& late) const {
    Violation violation{.key = KeyName(facts_, traffic.last->key),
                        .from_ns = late.front().at_ns,
                        .to_ns = late.back().at_ns};
    violation.first = traffic.last->Ref();
    violation.sentence = fmt::format(
        "client {} had released all by {}, and went on to send {} to lock servers, the first "
        "to node {} at {}",
        client, At(idle.from_ns), Counted(static_cast<int64_t>(late.size()), "command"),
        late.front().node, At(late.front().at_ns));
    return violation;
  }

  const int64_t lease_ns_ = ToNs(facts_.lease);
  const ClientCommands& sent_ = evidence_.client_commands();
  std::map<int32_t, ClientTraffic> clients_;
  bool hidden_ = false;  // an idle client might have sent commands without a record
};

}  // namespace

ClaimVerdict CheckIdleTraffic(const Evidence& evidence, const Limits& limits) {
  return IdleTrafficChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
