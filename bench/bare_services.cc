#include "bench/bare_services.h"

#define THREADED  // for the synchronous calls of ZooKeeper's client
#include <curl/curl.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <mysql.h>
#include <zookeeper/zookeeper.h>

#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "lib/base/check.h"

namespace doublehold {
namespace {

using nlohmann::json;

constexpr int kSessionMs = 10'000;
constexpr const char* kQueue = "/bare";

}  // namespace

std::function<void()> BarePostgres(const NodeAddress& server, std::vector<SqlStatement> cycle) {
  const std::string folder = server.unix_path.substr(0, server.unix_path.rfind('/'));
  const std::string settings = fmt::format("host={} dbname=doublehold user=doublehold", folder);
  std::shared_ptr<PGconn> connection(PQconnectdb(settings.c_str()), PQfinish);
  CHECK(PQstatus(connection.get()) == CONNECTION_OK);
  return [connection, cycle = std::move(cycle)] {
    for (const SqlStatement& statement : cycle) {
      std::vector<const char*> values;
      for (const std::string& value : statement.values) values.push_back(value.c_str());
      PGresult* const answer =
          PQexecParams(connection.get(), statement.text.c_str(), static_cast<int>(values.size()),
                       nullptr, values.data(), nullptr, nullptr, 0);
      CHECK(PQresultStatus(answer) == PGRES_TUPLES_OK);
      PQclear(answer);
    }
  };
}

std::function<void()> BareMariaDb(const NodeAddress& server, std::vector<std::string> cycle) {
  std::shared_ptr<MYSQL> connection(mysql_init(nullptr), mysql_close);
  CHECK(mysql_real_connect(connection.get(), nullptr, "root", "", nullptr, 0,
                           server.unix_path.c_str(), 0) != nullptr);
  return [connection, cycle = std::move(cycle)] {
    for (const std::string& statement : cycle) {
      CHECK(mysql_real_query(connection.get(), statement.data(), statement.size()) == 0);
      mysql_free_result(mysql_store_result(connection.get()));
    }
  };
}

std::function<void()> BareZooKeeper(const NodeAddress& server) {
  zoo_set_debug_level(static_cast<ZooLogLevel>(0));
  const std::string host = fmt::format("127.0.0.1:{}", server.port);
  std::shared_ptr<zhandle_t> session(
      zookeeper_init(host.c_str(), nullptr, kSessionMs, nullptr, nullptr, 0), zookeeper_close);
  const auto create = [session](const char* path, int flags, char* made, int room) {
    Stat stat{};
    return zoo_create2(session.get(), path, "", 0, &ZOO_OPEN_ACL_UNSAFE, flags, made, room, &stat);
  };
  // The handle connects in its own thread.
  for (int made = ZCONNECTIONLOSS; made != ZOK && made != ZNODEEXISTS;)
    made = create(kQueue, 0, nullptr, 0);
  return [session, create] {
    char made[128];
    const std::string prefix = fmt::format("{}/lock-", kQueue);
    CHECK(create(prefix.c_str(), ZOO_EPHEMERAL | ZOO_SEQUENCE, made, sizeof made) == ZOK);
    String_vector names{};
    CHECK(zoo_get_children(session.get(), kQueue, 0, &names) == ZOK);
    deallocate_String_vector(&names);
    CHECK(zoo_delete(session.get(), made, -1) == ZOK);
  };
}

std::function<void()> BareEtcd(const NodeAddress& server) {
  std::shared_ptr<CURL> handle(curl_easy_init(), curl_easy_cleanup);
  const std::string base = fmt::format("http://127.0.0.1:{}", server.port);
  const auto post = [handle, base](const char* path, const std::string& body) {
    std::string reply;
    const std::string url = base + path;
    curl_easy_setopt(handle.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle.get(), CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(
        handle.get(), CURLOPT_WRITEFUNCTION,
        +[](char* bytes, size_t size, size_t count, std::string* into) {
          into->append(bytes, size * count);
          return size * count;
        });
    curl_easy_setopt(handle.get(), CURLOPT_WRITEDATA, &reply);
    CHECK(curl_easy_perform(handle.get()) == CURLE_OK);
    return reply;
  };
  return [post] {
    const json lease = json::parse(post("/v3/lease/grant", R"({"TTL":"10"})")).at("ID");
    // Each lease has a key of its own, as in concurrency.Mutex. The server searches all keys that
    // it ever had for the first one of a prefix, so it would do less for a loop with a single key.
    // In base64: "bare/1", and digits, which stand for other bytes.
    const std::string name = fmt::format("YmFyZS8x{:0>20}", lease.get<std::string>());
    const json own{{"request_range", {{"key", name}}}};
    const json first{{"request_range",
                      {{"key", "YmFyZS8="},
                       {"range_end", "YmFyZTA="},
                       {"limit", "1"},
                       {"sort_order", "ASCEND"},
                       {"sort_target", "CREATE"}}}};
    const json put{{"request_put", {{"key", name}, {"lease", lease}}}};
    const json compare{
        {"key", name}, {"target", "CREATE"}, {"result", "EQUAL"}, {"create_revision", "0"}};
    (void)post("/v3/kv/txn", json{{"compare", json::array({compare})},
                                  {"success", json::array({put, own, first})},
                                  {"failure", json::array({own, first})}}
                                 .dump());
    (void)post("/v3/lease/revoke", json{{"ID", lease}}.dump());
  };
}

}  // namespace doublehold
