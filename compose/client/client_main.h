// The hidden subcommand `client`, with which the supervisor starts this program as a client or as
// the referee, under the clock shim.
#ifndef DOUBLEHOLD_COMPOSE_CLIENT_CLIENT_MAIN_H_
#define DOUBLEHOLD_COMPOSE_CLIENT_CLIENT_MAIN_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/redis/route.h"

namespace doublehold {

// The arguments that the supervisor gives a client on its command line.
struct ClientArguments {
  std::string plan_file;
  int number = 0;  // 0: the referee
  int memory_fd = -1;
  int clock_pages = 0;
  int step_fd = -1;
  std::vector<NodeAddress> addresses;  // indexed by node number
  // Addresses of the lock nodes for the client's driver, from node 1 on.
  std::vector<NodeAddress> driver_nodes;
  Roster roster;
};

constexpr std::string_view kClientCommand = "client";  // argv[1] of a client
// A byte on the step channel is a Step or kReadyByte. kReadyByte says that the process is ready to
// start, and that the referee has set up the stock. A client with a driver then warms the driver
// up, and sends a second kReadyByte.
constexpr uint8_t kReadyByte = 0xFF;

std::vector<std::string> ToWords(const ClientArguments& arguments);

// Requires words that ToWords made. Returns the exit status.
int ClientMain(std::span<const std::string> words);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLIENT_CLIENT_MAIN_H_
