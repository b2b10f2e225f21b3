#include "compose/cluster/lone_server.h"

#include <fmt/format.h>
#include <signal.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <functional>
#include <future>
#include <system_error>
#include <thread>
#include <utility>

#include "compose/cluster/asking_connection.h"
#include "compose/os/scratch.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

constexpr int kLoneNode = 1;
constexpr LinkId kLoneLink{1, kLoneNode};
constexpr Duration kLonePatience = std::chrono::seconds(15);  // until the server is ready
constexpr Duration kLoneAnswer = std::chrono::seconds(1);     // timeout of one question
constexpr Duration kLonePause = std::chrono::milliseconds(10);

// The proxy leads from a TCP port to the server, which may listen on a unix socket. It runs on a
// thread of its own; the server is a child of the caller's thread.
class ServedAlone final : public LoneServer {
 public:
  ServedAlone(std::string_view service, const ServerProgram& program, Scratch scratch)
      : scratch_(std::move(scratch)),
        proxy_(io_, Prng(1, "lone-server")),
        links_(proxy_, nullptr, nullptr),
        entry_(FindService(service)),
        service_(entry_.make({.io = io_,
                              .plan = plan_,
                              .program = program,
                              .folder = scratch_.folder(),
                              .links = links_,
                              .start = {}})) {}

  ~ServedAlone() override {
    if (thread_.joinable()) {
      OnThread([this] { proxy_.Close(); });
      io_.stop();
      thread_.join();
    }
    if (pid_ == 0) return;
    kill(-pid_, SIGKILL);
    AwaitEnd(pid_);
  }

  Result<void> Begin() {
    std::error_code code;
    std::filesystem::create_directory(service_->FolderOf(kLoneNode), code);
    TRY(service_->Prepare());
    TRY(StartServer());
    port_ = TRY(links_.Add(kLoneLink, service_->ClientAddressOf(kLoneNode), entry_.protocol));
    thread_ = std::thread([this] { io_.run(); });
    return {};
  }

  [[nodiscard]] NodeAddress address() const override {
    return {.unix_path = {}, .host = links_.host(), .port = port_};
  }

  void CloseConnections() override {
    OnThread([this] { proxy_.ResetConnections(kLoneLink); });
  }

  Result<void> LoseLocks(Duration cut) override {
    if (entry_.facts.name == kRedisService) return Operate({"FLUSHALL"});
    const auto lead_to = [this](const NodeAddress& server) {
      OnThread([&] {
        links_.Redirect(kLoneLink, server);
        proxy_.ResetConnections(kLoneLink);
      });
    };
    lead_to({.unix_path = (scratch_.folder() / "nobody.sock").string()});
    std::this_thread::sleep_for(cut);
    lead_to(service_->ClientAddressOf(kLoneNode));
    return {};
  }

 private:
  // Runs on the proxy's thread, and waits for its end.
  void OnThread(const std::function<void()>& call) {
    std::promise<void> done;
    boost::asio::post(io_, [&] {
      call();
      done.set_value();
    });
    done.get_future().wait();
  }

  Result<void> Operate(const std::vector<std::string>& command) {
    const auto answered = std::make_shared<std::promise<CallResult>>();
    OnThread([&] {
      service_->Operate(kLoneNode, command, kLoneAnswer,
                        [answered](CallResult result) { answered->set_value(std::move(result)); });
    });
    if (answered->get_future().get()) return {};
    return EnvironmentFailed(fmt::format("the server did not answer {}", command.front()));
  }

  Result<void> StartServer() {
    SpawnRequest command = TRY(service_->CommandOf(kLoneNode));
    command.log = scratch_.folder() / "server.log";
    pid_ = TRY(Spawn(command));
    const MonoTime give_up = RealMono() + kLonePatience;
    while (!IsReady()) {
      if (RealMono() >= give_up)
        return EnvironmentFailed("the server was not ready in time: " + LogTail(command.log));
      std::this_thread::sleep_for(kLonePause);
    }
    return {};
  }

  [[nodiscard]] bool IsReady() const {
    return AskNow(service_->AddressOf(kLoneNode), service_->Ping(), kLoneAnswer) ==
               Answered::kYes &&
           service_->FindMissing().empty();
  }

  const Plan plan_ = [] {
    Plan plan;
    plan.topology = "single";
    return plan;
  }();
  Scratch scratch_;
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  Proxy proxy_;
  Links links_;
  const ServiceEntry& entry_;
  std::unique_ptr<Service> service_;
  uint16_t port_ = 0;
  pid_t pid_ = 0;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<LoneServer>> LoneServer::Start(std::string_view service,
                                                      const ServerProgram& program) {
  auto server = std::make_unique<ServedAlone>(service, program, TRY(Scratch::Create()));
  TRY(server->Begin());
  return server;
}

}  // namespace doublehold
