#include "lib/testing/variants.h"

#include <memory>
#include <vector>

namespace doublehold::testing {
namespace {

struct Farm {
  TempFolder folder;
  std::vector<std::unique_ptr<Server>> servers;
};

// Servers that run from the first to the last test of a program.
class SharedServers final : public ::testing::Environment {
 public:
  static Farm& Get() {
    static SharedServers* const environment = [] {
      auto* made = new SharedServers;
      // GoogleTest takes ownership, and destroys the object after the last test.
      ::testing::AddGlobalTestEnvironment(made);
      return made;
    }();
    if (!environment->farm_) environment->farm_ = Make();
    return *environment->farm_;
  }
  void TearDown() override { farm_.reset(); }

 private:
  static std::unique_ptr<Farm> Make() {
    auto farm = std::make_unique<Farm>();
    for (int i = 1; i <= kServers; ++i)
      farm->servers.push_back(std::make_unique<Server>(farm->folder.path() / std::to_string(i)));
    return farm;
  }

  std::unique_ptr<Farm> farm_;
};

std::vector<NodeAddress> Addresses() {
  std::vector<NodeAddress> addresses{{}};  // no store
  for (const auto& server : SharedServers::Get().servers) addresses.push_back(server->address());
  return addresses;
}

}  // namespace

std::string NameOf(const Variant& variant) {
  std::string name = variant.lock;
  for (const auto& [option, value] : variant.options) name += " " + option + "=" + value;
  return name;
}

Client::Client(int number, const Variant& variant, Lease lease, int thread)
    : LockClient(Addresses(), number, variant, lease, thread) {}

void OnServers::Empty() {
  for (int node = 1; node <= kServers; ++node) ASSERT_EQ(AskNode(node, {"FLUSHALL"}), "OK");
}

Server& OnServers::Node(int number) {
  return *SharedServers::Get().servers.at(static_cast<size_t>(number - 1));
}

std::string OnServers::AskNode(int node, std::initializer_list<std::string_view> command) {
  return Ask(Node(node).address(), command);
}

}  // namespace doublehold::testing
