// The hidden subcommand that a client, or the referee, is: this program again, under the clock
// shim.
#ifndef DOUBLEHOLD_COMPOSE_CLIENT_CLIENT_MAIN_H_
#define DOUBLEHOLD_COMPOSE_CLIENT_CLIENT_MAIN_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/redis/route.h"

namespace doublehold {

// What the supervisor tells a client on its command line.
struct ClientArguments {
  std::string plan_file;
  int number = 0;  // 0: the referee
  int memory_fd = -1;
  int clock_pages = 0;
  int step_fd = -1;
  std::vector<NodeAddress> addresses;     // by node number
  std::vector<NodeAddress> driver_nodes;  // of the lock's nodes, for its driver, from node 1 on
  Roster roster;
};

constexpr std::string_view kClientCommand = "client";  // argv[1] of a client
// On the step channel a byte is a Step, or this: the process is ready to start (the referee: the
// stock is set up).
constexpr uint8_t kReadyByte = 0xFF;

std::vector<std::string> ToWords(const ClientArguments& arguments);

// `words` as ToWords wrote them. Returns the exit status.
int ClientMain(std::span<const std::string> words);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLIENT_CLIENT_MAIN_H_
