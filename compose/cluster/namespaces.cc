#include "compose/cluster/namespaces.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "compose/cluster/iptables_partition.h"
#include "lib/base/check.h"
#include "lib/plan/topology.h"

namespace doublehold {
namespace {

using ProcessKind = ProcessRef::Kind;

int OpenCurrent() { return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC); }

void Enter(int place) { CHECK(setns(place, CLONE_NEWNET) == 0); }

// Returns the error of an operation that the process may not perform or the kernel does not
// support.
tl::unexpected<Error> NamespacesUnsupported(std::string_view what, int error) {
  const bool refused = error == EPERM || error == EACCES;
  const std::string why = refused ? "it needs root (CAP_SYS_ADMIN and CAP_NET_ADMIN)"
                                  : fmt::format("{}: {}", what, std::strerror(error));
  return EnvironmentFailed(
      fmt::format("net = \"namespaces\": {}; net = \"proxy\" works without it", why));
}

// Moves the calling thread to a new, empty namespace and returns its descriptor.
Result<int> EnterNew() {
  if (unshare(CLONE_NEWNET) != 0) return NamespacesUnsupported("unshare", errno);
  const int fd = OpenCurrent();
  if (fd < 0) return NamespacesUnsupported("/proc", errno);
  return fd;
}

// Returns an address for an end of a veth pair, from the block that is reserved for network tests
// (RFC 2544).
std::string AddressAt(int index) { return fmt::format("198.18.{}.{}", index / 256, index % 256); }

Result<void> EnableRouting() {
  // This file belongs to the calling thread's namespace.
  const char* file = "/proc/sys/net/ipv4/ip_forward";
  const int fd = open(file, O_WRONLY | O_CLOEXEC);
  const bool written = fd >= 0 && write(fd, "1", 1) == 1;
  const int error = errno;
  if (fd >= 0) close(fd);
  return written ? Result<void>{} : NamespacesUnsupported(file, error);
}

}  // namespace

Result<std::unique_ptr<Namespaces>> Namespaces::Create(const std::vector<ProcessRef>& members,
                                                       Duration delay) {
  std::unique_ptr<Namespaces> made(new Namespaces(delay));
  TRY(made->Build(members));
  return made;
}

Result<std::unique_ptr<Namespaces>> Namespaces::CreateFor(const Plan& plan) {
  if (plan.net != kNamespaces) return nullptr;
  std::vector<ProcessRef> members;
  for (int node = 0; node <= ServersOf(plan); ++node) members.push_back({ProcessKind::kNode, node});
  const bool watched = FindTopology(plan.topology)->lead == Lead::kSentinel;
  for (int number = 1; watched && number <= kSentinels; ++number)
    members.push_back({ProcessKind::kSentinel, number});
  for (int client = 1; client <= plan.clients; ++client)
    members.push_back({ProcessKind::kClient, client});
  return Create(members, plan.packet_delay);
}

Namespaces::~Namespaces() {
  if (network_ >= 0) Enter(home_);
  for (const auto& [member, place] : places_) close(place.fd);
  for (const int fd : {own_.fd, network_, home_}) {
    if (fd >= 0) close(fd);
  }
}

Result<void> Namespaces::Build(const std::vector<ProcessRef>& members) {
  home_ = OpenCurrent();
  if (home_ < 0) return NamespacesUnsupported("/proc", errno);
  network_ = TRY(EnterNew());
  TRY(EnableRouting());
  int number = 0;
  for (const ProcessRef& member : members) {
    places_[member] = TRY(Join(number++));
  }
  own_ = TRY(Join(number));
  TRY(RunInNetwork({"ip", "-batch", "-"}, routes_));
  return delay_ > Duration::zero() ? DelayPackets() : Result<void>{};
}

// Both ends of a veth pair delay the packets that they send.
Result<void> Namespaces::DelayPackets() {
  std::string far_ends;
  for (const auto& [member, place] : places_) {
    if (member.kind != ProcessKind::kClient) continue;
    const auto netem = [this](const std::string& device) {
      return fmt::format("qdisc add dev {} root netem delay {}us\n", device,
                         std::chrono::duration_cast<std::chrono::microseconds>(delay_).count());
    };
    far_ends += netem(place.device);
    Enter(place.fd);
    const Result<std::string> near = RunTool({"tc", "-batch", "-"}, netem("eth0"));
    Enter(own_.fd);
    TRY(near);
  }
  TRY(RunInNetwork({"tc", "-batch", "-"}, far_ends));
  return {};
}

// Makes a new namespace with an address, and moves the calling thread into it.
Result<Namespaces::Place> Namespaces::Join(int number) {
  const int fd = TRY(EnterNew());
  const std::string router = AddressAt(2 * number);
  Place place{.fd = fd, .address = AddressAt(2 * number + 1), .device = fmt::format("v{}", number)};
  const std::string batch = fmt::format(
      "link set lo up\n"
      "link add eth0 type veth peer name v{0} netns /proc/{1}/fd/{2}\n"
      "address add {3}/31 dev eth0\n"
      "link set eth0 up\n"
      "route add default via {4}\n",
      number, getpid(), network_, place.address, router);
  routes_ += fmt::format("address add {0}/31 dev v{1}\nlink set v{1} up\n", router, number);
  if (auto ok = RunTool({"ip", "-batch", "-"}, batch); !ok) {
    close(fd);
    return tl::unexpected(ok.error());
  }
  return place;
}

Result<std::string> Namespaces::RunInNetwork(const std::vector<std::string>& argv,
                                             std::string_view input) {
  Enter(network_);
  Result<std::string> printed = RunTool(argv, input);
  Enter(own_.fd);
  return printed;
}

Result<void> TryNamespaces() {
  std::unique_ptr<Namespaces> made = TRY(Namespaces::Create({{ProcessKind::kNode, 0}}));
  Result<void> tried{};
  PacketCuts cuts(*made, [&tried](const Error& why) { tried = tl::unexpected(why); });
  const LinkId link{.client = 1, .node = 1};
  cuts.AddLink(link, 1);
  const RuleId cut = cuts.Cut(link, Direction::kRequest);
  cuts.Commit();
  if (tried && cuts.Mend(cut).frames == 0) cuts.Commit();
  return tried;
}

Result<void> TryNetem() {
  Result<std::unique_ptr<Namespaces>> made =
      Namespaces::Create({{ProcessKind::kClient, 1}}, std::chrono::milliseconds(1));
  if (made) return {};
  return EnvironmentFailed(
      fmt::format("packet-delay needs the kernel's module sch_netem ({}); without it, use the "
                  "fault 'delay', which delays commands in the proxy",
                  made.error().message));
}

Result<void> CheckMachine(const Plan& plan) {
  if (plan.net != kNamespaces) return {};
  Result<void> ok = TryNamespaces();
  return ok && plan.packet_delay > Duration::zero() ? TryNetem() : ok;
}

}  // namespace doublehold
