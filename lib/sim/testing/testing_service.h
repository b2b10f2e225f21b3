// For tests that compare a modelled service with a real server: the same requests in both worlds.
#ifndef DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SERVICE_H_
#define DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SERVICE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/address.h"
#include "lib/base/env.h"
#include "lib/base/prng.h"

namespace doublehold::testing {

struct RandomRequest {
  int kind = 0;
  int client = 0;
  uint64_t pick = 0;  // chooses what the request is about
};
std::vector<RandomRequest> RandomRequests(Prng& prng, int kinds, int clients);

// What a request gave.
struct Observation {
  std::string request, result;
  int64_t transaction = 0;  // 0: none
};
using PlayRequests = std::function<std::vector<Observation>(Env&)>;

// Fails the test unless the model of the service and the server give the same results. Transactions
// are compared by their order only.
void ExpectTheSame(std::string_view service, const NodeAddress& server, const PlayRequests& play);

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_SIM_TESTING_TESTING_SERVICE_H_
