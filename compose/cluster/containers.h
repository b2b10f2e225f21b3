// The containers in which servers run that the run did not start. Stops, kills and starts them
// through the container engine, with the command `docker`.
//
// Thread rule: the supervisor's thread. Each container has a worker thread that runs its commands
// in order. Only Find, Await, Restore and the destructor block.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_CONTAINERS_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_CONTAINERS_H_

#include <map>
#include <memory>
#include <string>

#include "lib/base/result.h"

namespace doublehold {

class Containers {
 public:
  Containers();
  // Calls Restore.
  ~Containers();
  Containers(const Containers&) = delete;
  Containers& operator=(const Containers&) = delete;

  // Adds the container of a node. Refuses a container that does not run, or that would not be the
  // same after a kill and a start.
  Result<void> Find(int node, const std::string& name);

  // These do nothing if the container is in that state already. A killed container is not paused.
  void Pause(int node);
  void Resume(int node);
  void Kill(int node);
  void Start(int node);

  // Whether all commands for the container were carried out.
  [[nodiscard]] bool IsIdle(int node) const;
  // Blocks until they were. Returns the first error of all commands so far.
  Result<void> Await(int node);
  // Whether the container is killed and not started again.
  [[nodiscard]] bool IsDead(int node) const;
  // The number of pauses and kills so far, those before the run too.
  [[nodiscard]] int Acts(int node) const;

  // Lets every container run again, and waits until it does. Returns the first error of all
  // commands so far. Nothing may be paused or killed afterwards.
  Result<void> Restore();

 private:
  struct Container;
  std::map<int, std::unique_ptr<Container>> containers_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_CONTAINERS_H_
