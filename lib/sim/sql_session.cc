// Sessions of a simulated PostgreSQL. A session is one connection, which is opened once.
#include <string_view>
#include <utility>
#include <vector>

#include "lib/sim/network.h"
#include "lib/sim/sim_env.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {

namespace {

using SqlKind = SqlFailure::Kind;

}  // namespace

class SimEnv::PostgresSession final : public SqlSession {
 public:
  PostgresSession(World& world, World::Task& task, NodeId node)
      : world_(world),
        task_(task),
        link_(world.network().Connect(task.number, task.process->number, node.number)) {}
  // The end of a killed process closes its connections, too.
  ~PostgresSession() override { world_.network().Break(link_); }
  PostgresSession(const PostgresSession&) = delete;
  PostgresSession& operator=(const PostgresSession&) = delete;

  SqlResult Execute(std::string_view statement, SqlValues values, Deadline deadline) override {
    Network& network = world_.network();
    const bool is_broken = has_begun_ && !network.IsOpen(link_);
    if (ended_ || is_broken || task_.process->gone)
      return End(SqlKind::kNotSent, "the session has ended");
    has_begun_ = true;
    std::vector<std::string_view> words{statement.substr(0, statement.find(' ')), statement};
    words.insert(words.end(), values.begin(), values.end());
    network.Send(link_, words);
    while (!task_.process->gone) {
      if (CallResult* reply = network.Take(link_)) return Read(std::move(*reply));
      if (world_.now() >= deadline) {
        network.Break(link_);
        return End(SqlKind::kNoReply, "no reply in time");
      }
      world_.Block(task_, deadline);
    }
    return End(SqlKind::kNoReply, "the client was killed");
  }
  [[nodiscard]] bool HasEnded() const override { return ended_; }

 private:
  SqlResult Read(CallResult reply) {
    if (reply && reply->IsNil()) return SqlRows{};
    if (reply) return SqlRows{{std::move(reply->text)}};
    CallFailure& failure = reply.error();
    if (!world_.network().IsOpen(link_))
      return End(failure.definite ? SqlKind::kNotSent : SqlKind::kNoReply, failure.message);
    return tl::unexpected(SqlFailure{.kind = SqlKind::kRefused, .sqlstate = failure.message});
  }
  tl::unexpected<SqlFailure> End(SqlKind kind, std::string why) {
    ended_ = true;
    return tl::unexpected(SqlFailure{.kind = kind, .message = std::move(why)});
  }

  World& world_;
  World::Task& task_;
  uint32_t link_;
  bool has_begun_ = false;  // whether a statement was sent
  bool ended_ = false;
};

std::unique_ptr<SqlSession> SimEnv::OpenSession(NodeId node) {
  return std::make_unique<PostgresSession>(world_, task_, node);
}

}  // namespace doublehold::sim
