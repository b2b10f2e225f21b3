// Compares the modelled PostgreSQL with a real server: the same random statements of two sessions
// must give the same results. These are all the statements that the model knows, with the
// database's clock and with given times.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "lib/clients/clients.h"
#include "lib/sim/sql/postgres_statements.h"
#include "lib/sim/testing/testing_service.h"
#include "lib/testing/postgres_server.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

using testing::kPatience;
using testing::Observation;
using testing::RandomRequest;

constexpr int64_t kPostgresSequences = 1000;  // in `make test-all`; otherwise see NumTrials

// Statements about two rows and three advisory locks, which no other sequence uses.
class PostgresPlay {
 public:
  PostgresPlay(Env& env, int64_t sequence) : env_(env), sequence_(sequence) {
    for (Client& client : clients_) client.session = Open();
  }

  // Without the table, until the first statement that creates it.
  std::vector<Observation> Run(const std::vector<RandomRequest>& requests) {
    for (const RandomRequest& request : requests) {
      pick_ = request.pick;
      Do(request.kind, clients_.at(static_cast<size_t>(request.client)));
    }
    return std::move(observed_);
  }

  static constexpr int kKinds = 13;

 private:
  struct Client {
    std::unique_ptr<SqlSession> session;
    std::map<std::string, int> depths{};  // of the advisory locks that the session has
  };

  std::unique_ptr<SqlSession> Open() { return env_.clients().sql().OpenSession(NodeId{1}); }

  // Returns the same choice in both worlds.
  template <typename Choices>
  auto Choose(const Choices& choices) {
    const auto chosen = choices[pick_ % choices.size()];
    pick_ /= choices.size();
    return chosen;
  }
  // The server keeps the two halves of a number apart.
  std::string Number() {
    const auto number =
        Choose(std::array{sequence_, -sequence_ - 1, (sequence_ + 1) << int64_t{32}});
    return std::to_string(number);
  }
  std::string Name() { return fmt::format("{} {}", sequence_, Choose(std::array{"a", "b"})); }
  std::string Owner() { return Choose(std::array{"x", "y"}); }

  void Do(int kind, Client& client) {
    switch (kind) {
      case 0:
      case 1:
        return DoLock(client, sim::kTryAdvisoryLock, 1);
      case 2:
        return DoLock(client, sim::kAdvisoryUnlock, -1);
      case 3:
        return Note(client, sim::kFindAdvisoryLock, {Number()});
      case 4:
        return Close(client);
      case 5:
        return Note(client, sim::kSelectOne, {});
      case 6:
        return Note(client, sim::kCreateLockTable, {});
      case 7:
        return NoteLeaseLeft(client);
      case 8:
      case 9:
        return DoTimed(client, sim::kTakeLease, {Name(), Owner(), LeaseMs()});
      case 10:
      case 11:
        return DoTimed(client, sim::kExtendLease, {Name(), Owner(), LeaseMs()});
      default:
        return DoTimed(client, sim::kReleaseLease, {Name(), Owner()});
    }
  }
  void DoLock(Client& client, std::string_view statement, int by) {
    const std::string number = Number();
    Note(client, statement, {number});
    if (observed_.back().result == "[t]") client.depths[number] += by;
  }
  // By the database's clock, a lease is over at once or never.
  std::string LeaseMs() {
    constexpr std::array kLeases{"0", "10", "20", "-10", "1000000"};
    by_database_ = Choose(std::array{true, false, false});
    return by_database_ ? Choose(std::array{"0", "1000000"}) : Choose(kLeases);
  }
  // Given times are few, so that a lease often ends exactly at the time of a statement.
  void DoTimed(Client& client, const sim::TimedStatement& statement,
               std::vector<std::string> values) {
    if (by_database_) return Note(client, sim::ByDatabaseClock(statement), values);
    values.emplace_back(Choose(std::array{"10", "20", "30", "40"}));
    Note(client, sim::ByClientClock(statement), values);
  }
  void NoteLeaseLeft(Client& client) {
    const SqlResult left = Execute(*client.session, sim::kLeaseLeft, {Name()});
    observed_.push_back({"left", left && !left->empty() ? "some" : TextOf(left)});
  }
  // The server ends the session some time later.
  void Close(Client& client) {
    client.session = Open();
    const Deadline deadline = env_.Mono() + kPatience;
    for (const auto& [number, depth] : std::exchange(client.depths, {})) {
      if (depth == 0) continue;
      while (!TextOf(Execute(*client.session, sim::kFindAdvisoryLock, {number})).empty())
        ASSERT_LT(env_.Mono(), deadline);
    }
    observed_.push_back({"close", ""});
  }

  SqlResult Execute(SqlSession& session, std::string_view statement,
                    const std::vector<std::string>& values) {
    const std::vector<std::string_view> views(values.begin(), values.end());
    return session.Execute(statement, views, env_.Mono() + kPatience);
  }
  void Note(Client& client, std::string_view statement, const std::vector<std::string>& values) {
    std::string request(statement);
    for (const std::string& value : values) request += " | " + value;
    observed_.push_back({request, TextOf(Execute(*client.session, statement, values))});
  }
  static std::string TextOf(const SqlResult& result) {
    if (!result)
      return fmt::format("failure {} {}", static_cast<int>(result.error().kind),
                         result.error().sqlstate);
    std::string text;
    for (const auto& row : *result) text += fmt::format("[{}]", fmt::join(row, ", "));
    return text;
  }

  Env& env_;
  int64_t sequence_;
  uint64_t pick_ = 0;
  bool by_database_ = false;
  std::array<Client, 2> clients_;
  std::vector<Observation> observed_;
};

TEST(PostgresConformance, TheModelAndARealServerReplyAlike) {
  if (const std::string why = testing::WhyNoPostgres(); !why.empty()) GTEST_SKIP() << why;
  const testing::PostgresServer server;
  for (int64_t i = 0; i < NumTrials(kPostgresSequences); ++i) {
    SCOPED_TRACE(i);
    Prng prng(1, "postgres conformance", static_cast<uint64_t>(i));
    const auto requests = testing::RandomRequests(prng, PostgresPlay::kKinds, 2);
    EXPECT_EQ(testing::RunSql(*server.Open(), "DROP TABLE IF EXISTS doublehold_lock"), "");
    testing::ExpectTheSame("postgres", server.address(),
                           [&](Env& env) { return PostgresPlay(env, i).Run(requests); });
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace doublehold
