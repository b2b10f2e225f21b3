// evict: limits the memory of nodes (maxmemory, allkeys-lru) and writes filler keys until Redis has
// evicted the lock's key. Healing removes the limit and the filler.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "faults/kinds/redis/operator_commands.h"
#include "faults/targets.h"

namespace doublehold {
namespace {

// Redis measures idle time in seconds, so within a second any key may be evicted. Only a few keys
// fit into the limit, so each eviction is likely to remove the lock's key. It is practically
// impossible that this many fillers leave the key in place.
constexpr int kMaxFillers = 4000;
constexpr size_t kFillerBytes = 65'536;
constexpr int64_t kHeadroomBytes = 4 * int64_t{kFillerBytes};
constexpr const char* kFiller = "doublehold:filler:";
constexpr const char* kCountFillers = "return #redis.call('keys', 'doublehold:filler:*')";

// The eviction on one node. Keeps itself alive while a reply is outstanding.
class Eviction : public std::enable_shared_from_this<Eviction> {
 public:
  Eviction(Cluster& cluster, int node, std::string key, CommandsDone done)
      : cluster_(cluster), node_(node), key_(std::move(key)), done_(std::move(done)) {}

  void Start() {
    Ask({"EXISTS", key_}, [](Eviction& self, const CallResult& there) {
      if (!there || !there->IsInteger(1)) return self.done_(false);
      self.Limit();
    });
  }

  // Restores the node and stops writing.
  void Heal() {
    healed_ = true;
    if (!limited_) return;
    const auto ignore = [](const CallResult&) {};
    cluster_.Operate(node_, {"CONFIG", "SET", "maxmemory", "0"}, ignore);
    cluster_.Operate(node_, {"CONFIG", "SET", "maxmemory-policy", "noeviction"}, ignore);
    std::vector<std::string> unlink{"UNLINK"};
    for (int i = 1; i <= written_; ++i) unlink.push_back(kFiller + std::to_string(i));
    if (written_ > 0) cluster_.Operate(node_, std::move(unlink), ignore);
  }

 private:
  using Next = void (*)(Eviction&, const CallResult&);

  void Ask(std::vector<std::string> command, Next next) {
    cluster_.Operate(node_, std::move(command),
                     [self = shared_from_this(), next](const CallResult& answer) {
                       if (!self->healed_) next(*self, answer);
                     });
  }

  void Limit() {
    limited_ = true;
    Ask({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"},
        [](Eviction& self, const CallResult&) {
          self.Ask({"INFO"}, [](Eviction& that, const CallResult& info) {
            const int64_t used = NumberInInfo(info, "used_memory");
            if (used == 0) return that.done_(false);
            that.evicted_before_ = NumberInInfo(info, "evicted_keys");
            that.Ask({"CONFIG", "SET", "maxmemory", std::to_string(used + kHeadroomBytes)},
                     [](Eviction& it, const CallResult&) { it.Fill(); });
          });
        });
  }

  // Writes another filler, then asks whether the key still exists. Ignores the reply to SET: Redis
  // evicts keys even for a SET that it then refuses.
  void Fill() {
    if (++written_ > kMaxFillers) return done_(false);
    Ask({"SET", kFiller + std::to_string(written_), std::string(kFillerBytes, 'x')},
        [](Eviction& self, const CallResult&) {
          self.Ask({"EXISTS", self.key_}, [](Eviction& that, const CallResult& there) {
            if (!there) return that.done_(false);
            if (there->IsInteger(1)) return that.Fill();
            that.Conclude();
          });
        });
  }

  // The key no longer exists. Decides whether Redis evicted it or its holder released it: Redis
  // evicted it if more keys were evicted than fillers are missing.
  void Conclude() {
    Ask({"EVAL", kCountFillers, "0"}, [](Eviction& self, const CallResult& left) {
      if (!left) return self.done_(false);
      self.fillers_left_ = left->integer;
      self.Ask({"INFO", "stats"}, [](Eviction& that, const CallResult& info) {
        const int64_t evicted = NumberInInfo(info, "evicted_keys") - that.evicted_before_;
        that.done_(evicted > that.written_ - that.fillers_left_);
      });
    });
  }

  Cluster& cluster_;
  int node_;
  std::string key_;
  CommandsDone done_;
  bool limited_ = false;
  bool healed_ = false;
  int written_ = 0;
  int64_t evicted_before_ = 0;
  int64_t fillers_left_ = 0;
};

Healer StartEvict(Cluster& cluster, const FaultStart& start, Prng&) {
  auto evictions = std::make_shared<std::vector<std::shared_ptr<Eviction>>>();
  auto commands = std::make_shared<Healer>(
      StartOnNodes(cluster, start, [&](int node, const CommandsDone& done) {
        evictions->push_back(std::make_shared<Eviction>(cluster, node, start.plan.key, done));
        evictions->back()->Start();
      }));
  return Healer([evictions, commands] {
    for (const auto& eviction : *evictions) eviction->Heal();
    return commands->Heal();
  });
}

}  // namespace

FaultEntry EvictFault() {
  return {.name = "evict",
          .summary = "makes nodes run out of memory and evict a key (maxmemory, allkeys-lru)",
          .traits = {FaultTrait::kTakesKeys, FaultTrait::kBusies},
          .keys = {"nodes", "key"},
          .service = "redis",
          .validate = ValidateOperatorFault,
          .start = StartEvict,
          .asked_ns = NoAskedLength,
          .ends_itself = true,
          .trial = {{"fault.0.on", "client 1 after-acquire"}},
          .what = [](const FaultPlan& plan) {
            return fmt::format("key {} evicted from {}", plan.key, NameNodes(plan));
          }};
}

}  // namespace doublehold
