#include "compose/driver/conformance.h"

#include <fmt/format.h>

#include <thread>
#include <utility>
#include <vector>

#include "compose/driver/driver_pair.h"
#include "lib/base/words.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

using AnswerKind = DriverAnswer::Kind;

constexpr Lease kLease = kTrialLease;
constexpr Duration kRunOut = kLease * 3;  // after this time a lock with this lease has expired
constexpr Duration kTryInterval = 50ms;
constexpr Duration kReconnection = kDriverPatience / 2;

class Trial : private DriverParties {
 public:
  Trial(const std::string& command, const DriverOptions& options, const TrialServer& server,
        const std::function<void(const TrialStep&)>& on_step)
      : command_(command), options_(options), server_(server), on_step_(on_step) {}

  void Run() {
    if (!Begin()) return;
    const std::vector<std::pair<const char*, void (Trial::*)()>> steps{
        {"a second client is refused, and granted after the release", &Trial::Excludes},
        {"a second client is refused while it waits", &Trial::RefusesWhileItWaits},
        {"a waiting session delays no other, and is granted in the end", &Trial::ServesAtOnce},
        {"different keys are different locks", &Trial::LocksByKey},
        {"a release of a lock that is not held answers no", &Trial::RefusesReleaseIfNotHeld},
        {"tokens rise from grant to grant", &Trial::GivesRisingTokens},
        {"readers enter together, and exclude writers", &Trial::AdmitsReadersTogether},
        {"the owner may enter again, and the lock is free after the last release",
         &Trial::Reenters},
        {"several keys are granted together, or none", &Trial::TakesKeysTogether},
        {"a lease expires", &Trial::LetsLeasesEnd},
        {"a watchdog keeps the lock", &Trial::KeepsTheLockByWatchdog},
        {"an extension lengthens the lease", &Trial::Extends},
        {"the driver reconnects after the server closed its connection", &Trial::Reconnects},
        {"the driver reports a lost lock", &Trial::ReportsLostLocks}};
    for (const auto& [what, step] : steps) {
      NextStep();
      skipped_ = false;
      (this->*step)();
      if (const std::string end = End(); !end.empty()) return ReportStep(what, "the driver " + end);
      if (!skipped_) ReportStep(what, wrong());
    }
    ReportStep("an unknown option is refused", FindUnknownOptionError());
    if (!Close())
      return ReportStep("the driver exits after bye",
                        fmt::format("it still ran {} after bye", FormatDuration(kDriverPatience)));
    ReportStep("the driver exits after bye", "");
  }

 private:
  void ReportStep(const std::string& what, const std::string& wrong) { on_step_({what, wrong}); }

  bool Begin() {
    if (!Start(command_, options_, server_.address)) {
      on_step_({asked(), wrong(), NoneRan()});
      return false;
    }
    const std::vector<std::string>& can = hello().can;
    ReportStep(fmt::format("hello: {} {}, can: {}", hello().name, hello().version,
                           can.empty() ? "nothing more" : fmt::format("{}", fmt::join(can, ", "))),
               "");
    return true;
  }

  // Starts another process with an option that no driver has. Returns what is wrong with its
  // answer, or an empty text.
  std::string FindUnknownOptionError() {
    const MemoryLog log;
    const auto driver =
        DriverChannel::Start({.command = command_, .log = log.path(), .own_group = true});
    if (!driver) return driver.error().message;
    DriverOptions options = options_;
    options["no-such-option"] = "1";
    const Result<DriverHello> hello = SayHello(**driver, options, log.path());
    if (hello) return "hello with 'no-such-option': the answer must be an error, but is ok";
    if (hello.error().code == ExitCode::kBadInput) return "";
    return "hello with 'no-such-option': the driver " + hello.error().message;
  }

  // ---- the steps -------------------------------------------------------------------------------

  void Excludes() {
    const DriverAnswer first = Must(AnswerKind::kOk, "acquire of a free key", Acquire(kA));
    Must(AnswerKind::kNo, "acquire of a key that another holds", Acquire(kB));
    Must(AnswerKind::kNo, "acquire of a key that another session of the same client holds",
         Acquire(kSecondOfA));
    Must(AnswerKind::kOk, "release by the holder", Release(kA, first.grant));
    const DriverAnswer second =
        Must(AnswerKind::kOk, "acquire of a key that was released", AcquireSoon(kB));
    Must(AnswerKind::kOk, "release by the second holder", Release(kB, second.grant));
  }

  void RefusesWhileItWaits() {
    const DriverAnswer first = Must(AnswerKind::kOk, "acquire of a free key", Acquire(kA));
    Must(AnswerKind::kNo, "acquire with wait_ms of a key that another holds",
         Acquire(kB, {.wait = kLease / 4}));
    Must(AnswerKind::kOk, "release by the holder", Release(kA, first.grant));
  }

  void ServesAtOnce() {
    const DriverAnswer first = Must(AnswerKind::kOk, "acquire of a free key", Acquire(kA));
    const uint64_t waits = SendAcquire(kSecondOfA, {.wait = kDriverPatience / 2});
    Must(AnswerKind::kOk, "release while another session of this client waits",
         Release(kA, first.grant));
    const DriverAnswer second = Must(AnswerKind::kOk, "acquire that waited for the release",
                                     Answered(kSecondOfA, waits, "acquire that waits"));
    Must(AnswerKind::kOk, "release by the session that waited", Release(kSecondOfA, second.grant));
  }

  void LocksByKey() {
    const DriverAnswer first = Must(AnswerKind::kOk, "acquire of a free key", Acquire(kA));
    const DriverAnswer other =
        Must(AnswerKind::kOk, "acquire of another free key", Acquire(kB, {.key_of = 1}));
    Must(AnswerKind::kOk, "release", Release(kA, first.grant));
    Must(AnswerKind::kOk, "release of the other key", Release(kB, other.grant));
  }

  void RefusesReleaseIfNotHeld() {
    if (hello().Can("blind-release")) return Skip();
    const DriverAnswer first = Must(AnswerKind::kOk, "acquire of a free key", Acquire(kA));
    Must(AnswerKind::kOk, "release by the holder", Release(kA, first.grant));
    Must(AnswerKind::kNo, "a second release of the same grant", Release(kA, first.grant));
    const DriverAnswer unknown = Release(kA, "no-such-grant");
    if (unknown.kind == AnswerKind::kOk)
      Note("release of an unknown grant: the answer must not be ok");
  }

  void GivesRisingTokens() {
    if (!hello().Can("token")) return Skip();
    int64_t last = 0;
    for (const Caller caller : {kA, kB, kSecondOfA, kA}) {
      const DriverAnswer granted = Must(AnswerKind::kOk, "acquire of a free key", Acquire(caller));
      if (granted.token <= last)
        Note(fmt::format("token {} comes after token {}", granted.token, last));
      last = granted.token;
      Must(AnswerKind::kOk, "release by the holder", Release(caller, granted.grant));
    }
  }

  void AdmitsReadersTogether() {
    if (!hello().Can("read-write")) return Skip();
    const DriverAnswer first =
        Must(AnswerKind::kOk, "read of a free key", Acquire(kA, {.reads = true}));
    const DriverAnswer second =
        Must(AnswerKind::kOk, "read of a key that a reader has", Acquire(kB, {.reads = true}));
    Must(AnswerKind::kNo, "acquire of a key that readers have", Acquire(kSecondOfA));
    Must(AnswerKind::kOk, "release by a reader", Release(kA, first.grant));
    Must(AnswerKind::kNo, "acquire of a key that one reader still has", Acquire(kSecondOfA));
    Must(AnswerKind::kOk, "release by the last reader", Release(kB, second.grant));
    const DriverAnswer writer = Must(AnswerKind::kOk, "acquire of a key that readers have released",
                                     AcquireSoon(kSecondOfA));
    Must(AnswerKind::kNo, "read of a key that a writer has", Acquire(kB, {.reads = true}));
    Must(AnswerKind::kOk, "release by the writer", Release(kSecondOfA, writer.grant));
  }

  void Reenters() {
    if (!hello().Can("reentrant")) return Skip();
    const DriverAnswer outer = Must(AnswerKind::kOk, "acquire of a free key", Acquire(kA));
    const DriverAnswer inner =
        Must(AnswerKind::kOk, "acquire by the session that holds the key", Acquire(kA));
    if (inner.grant == outer.grant)
      Note(fmt::format("two grants have the same name, '{}'", Shortened(inner.grant)));
    Must(AnswerKind::kNo, "acquire by another session of the same client", Acquire(kSecondOfA));
    Must(AnswerKind::kOk, "release of the inner grant", Release(kA, inner.grant));
    Must(AnswerKind::kNo, "acquire by another client before the last release", Acquire(kB));
    Must(AnswerKind::kOk, "the last release", Release(kA, outer.grant));
    const DriverAnswer next =
        Must(AnswerKind::kOk, "acquire after the last release", AcquireSoon(kB));
    Must(AnswerKind::kOk, "release", Release(kB, next.grant));
  }

  void TakesKeysTogether() {
    if (!hello().Can("keys-together")) return Skip();
    const AcquireRequest two{.also_of = {1}};
    const DriverAnswer both = Must(AnswerKind::kOk, "acquire of two free keys", Acquire(kA, two));
    for (const int of : {0, 1}) {
      Must(AnswerKind::kNo,
           fmt::format("acquire of key {} while another client holds both keys", of + 1),
           Acquire(kB, {.key_of = of}));
    }
    Must(AnswerKind::kOk, "release of both", Release(kA, both.grant));
    const DriverAnswer second =
        Must(AnswerKind::kOk, "acquire of key 2 after the release of both keys",
             AcquireSoon(kB, {.key_of = 1}));
    Must(AnswerKind::kNo, "acquire of both keys while another client holds key 2",
         Acquire(kA, two));
    const DriverAnswer first =
        Must(AnswerKind::kOk, "acquire of key 1 after the refusal of both keys", Acquire(kB));
    Must(AnswerKind::kOk, "release of the first", Release(kB, first.grant));
    Must(AnswerKind::kOk, "release of the second", Release(kB, second.grant));
  }

  void LetsLeasesEnd() {
    if (!hello().Can("lease") || hello().Can("watchdog")) return Skip();
    const MonoTime sent = RealMono();
    const DriverAnswer first =
        Must(AnswerKind::kOk, "acquire of a free key", Acquire(kA, {.lease = kLease}));
    const MonoTime end = first.from.value_or(sent) + first.validity.value_or(kLease);
    const DriverAnswer second =
        Must(AnswerKind::kOk,
             fmt::format("acquire of a key whose lease of {} has ended", FormatDuration(kLease)),
             AcquireWithin(kRunOut, kB));
    if (const Duration early = end - RealMono(); early > Duration::zero())
      Note(fmt::format("another client was granted the lock {} before the reported lease ended",
                       FormatDuration(early)));
    if (!hello().Can("blind-release") && !hello().Can("silent-release"))
      Must(AnswerKind::kNo,
           "release of a lock whose lease has ended, and which another client holds",
           Release(kA, first.grant));
    Must(AnswerKind::kOk, "release by the second holder", Release(kB, second.grant));
  }

  void KeepsTheLockByWatchdog() {
    if (!hello().Can("watchdog")) return Skip();
    const DriverAnswer first =
        Must(AnswerKind::kOk, "acquire of a free key", Acquire(kA, {.lease = kLease}));
    std::this_thread::sleep_for(kLease * 2);
    Must(AnswerKind::kNo, "acquire of a key that a watchdog has kept for two leases", Acquire(kB));
    Must(AnswerKind::kOk, "release by the holder", Release(kA, first.grant));
  }

  void Extends() {
    if (!hello().Can("extend")) return Skip();
    const DriverAnswer first = Must(AnswerKind::kOk, "acquire of a free key", Acquire(kA));
    Must(AnswerKind::kOk, "extend by the holder", Extend(kA, first.grant));
    Must(AnswerKind::kOk, "release by the holder", Release(kA, first.grant));
    Must(AnswerKind::kNo, "extend of a released grant", Extend(kA, first.grant));
  }

  // The first request on the closed connection may fail although the server executed it.
  void Reconnects() {
    server_.close_connections();
    for (const Caller caller : {kA, kSecondOfA, kB}) {
      const MonoTime give_up = RealMono() + kReconnection;
      DriverAnswer granted = Acquire(caller, {.lease = kLease});
      while (granted.kind != AnswerKind::kOk && wrong().empty() && RealMono() < give_up) {
        std::this_thread::sleep_for(kTryInterval);
        granted = Acquire(caller, {.lease = kLease});
      }
      if (!wrong().empty()) return;
      Must(AnswerKind::kOk,
           fmt::format("acquire {} after the server closed its connections",
                       FormatDuration(kReconnection)),
           granted);
      if (granted.kind == AnswerKind::kOk) (void)Release(caller, granted.grant);
    }
  }

  void ReportsLostLocks() {
    if (!hello().Can("lost")) return Skip();
    // A driver that extends its lease notices the loss at the next extension. With a long lease,
    // that would be too late. A library may notice only after it has connected again.
    const DriverAnswer first =
        Must(AnswerKind::kOk, "acquire of a free key", AcquireSoon(kA, {.lease = kLease}));
    if (const Result<void> lost = server_.lose_locks(kRunOut); !lost) Note(lost.error().message);
    const MonoTime give_up = RealMono() + kReconnection;
    while (!IsLost(kA.party, first.grant) && RealMono() < give_up)
      std::this_thread::sleep_for(kTryInterval);
    if (!IsLost(kA.party, first.grant))
      Note(fmt::format("the server lost the lock, and the driver did not report that within {}",
                       FormatDuration(kReconnection)));
  }

  // Tries again while the driver refuses the key.
  DriverAnswer AcquireWithin(Duration patience, Caller caller, const AcquireRequest& wanted = {}) {
    const MonoTime give_up = RealMono() + patience;
    DriverAnswer answer = Acquire(caller, wanted);
    while (answer.kind == AnswerKind::kNo && RealMono() < give_up) {
      std::this_thread::sleep_for(kTryInterval);
      answer = Acquire(caller, wanted);
    }
    return answer;
  }
  // A library that was refused a key may refuse it by itself until it hears of the release. A key
  // that was left behind does not expire this soon.
  DriverAnswer AcquireSoon(Caller caller, const AcquireRequest& wanted = {}) {
    return AcquireWithin(kLease / 2, caller, wanted);
  }

  void Skip() { skipped_ = true; }

  static constexpr Caller kA{0, 0}, kSecondOfA{0, 1}, kB{1, 0};

  const std::string& command_;
  const DriverOptions& options_;
  const TrialServer& server_;
  const std::function<void(const TrialStep&)>& on_step_;
  bool skipped_ = false;
};

}  // namespace

void TryDriver(const std::string& command, const std::map<std::string, std::string>& options,
               const TrialServer& server, const std::function<void(const TrialStep&)>& on_step) {
  Trial(command, options, server, on_step).Run();
}

}  // namespace doublehold
