// What the proxy says to a node first, in the client's place.
#ifndef DOUBLEHOLD_FAULTS_PROXY_GREETING_H_
#define DOUBLEHOLD_FAULTS_PROXY_GREETING_H_

#include <string>

namespace doublehold {

// For example AUTH and SELECT, so that clients need no password. The node answers each command with
// a line "+OK". Any other answer resets the connection. No commands: no greeting.
struct Greeting {
  std::string bytes{};
  int commands = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_GREETING_H_
