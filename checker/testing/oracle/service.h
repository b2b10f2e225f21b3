// For tests: the lock server and the store of a random run, with the defects of its RunOptions.
#ifndef DOUBLEHOLD_CHECKER_TESTING_ORACLE_SERVICE_H_
#define DOUBLEHOLD_CHECKER_TESTING_ORACLE_SERVICE_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "checker/testing/oracle/random_run.h"

namespace doublehold::brute {

constexpr int64_t kStock = 5;

using Values = std::array<int64_t, 4>;

struct Request {
  int32_t client = 0;
  Op op = Op::kAcquire;
  uint64_t hold = 0;
  Values asked{};
  int64_t until = 0;     // the end of the requested lease, as the client computes it
  int64_t validity = 0;  // if not 0, the server counts this lease from the arrival
  bool shared = false;
  bool lost = false;  // the client does not get the answer
};

class Service {
 public:
  Service(const Dice& dice, const RunOptions& options);

  // Returns the values of the answer, or nullopt if the request is refused.
  std::optional<Values> Execute(Request request, int64_t now);

  // The clients with an entry at this time.
  [[nodiscard]] uint32_t Holders(int64_t now) const;
  void RemoveKeys();
  void Save();  // what a restart returns to
  void Restore();
  void MoveClock(int64_t by);  // leases end earlier by this

  int64_t stock = kStock;
  std::array<int64_t, 2> record{1, 1};         // version of each half
  std::array<int64_t, 2> record_before{1, 1};  // previous version of each half
  std::map<int64_t, int64_t> saves;            // number of results by task

 private:
  std::optional<Values> Carry(const Request& request);
  std::optional<Values> Acquire(const Request& asked);
  std::optional<Values> Release(const Request& asked);
  std::optional<Values> Extend(const Request& asked);
  std::optional<Values> Save(int64_t task);
  std::optional<Values> CheckToken(const Request& shown);
  std::optional<Values> UseRecord(const Request& asked);

  const Dice& dice_;
  const RunOptions& options_;
  std::vector<Request> entries_;  // granted acquires, until they are released or expire
  std::vector<Request> saved_;
  std::vector<int32_t> queue_;
  int64_t token_ = 0, token_seen_ = 0;
};

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_SERVICE_H_
