// Commands that the proxy sends to a node before those of the client.
#ifndef DOUBLEHOLD_FAULTS_PROXY_GREETING_H_
#define DOUBLEHOLD_FAULTS_PROXY_GREETING_H_

#include <string>

namespace doublehold {

// For example AUTH and SELECT, so that clients need no password. The node must answer each command
// with a line "+OK"; any other answer resets the connection. With 0 commands there is no greeting.
struct Greeting {
  std::string bytes{};
  int commands = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_GREETING_H_
