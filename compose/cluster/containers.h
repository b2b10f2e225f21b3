// The containers in which servers run that the run did not start. Stops, kills and starts them
// through the container engine: the program `docker`, which Podman has too.
//
// Thread rule: the supervisor's thread. The commands for one container are carried out in order, by
// a thread of their own. No method waits, except Find and Restore.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_CONTAINERS_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_CONTAINERS_H_

#include <map>
#include <memory>
#include <string>

#include "lib/base/result.h"
#include "lib/base/time.h"

namespace doublehold {

class Containers {
 public:
  Containers();
  // Calls Restore.
  ~Containers();
  Containers(const Containers&) = delete;
  Containers& operator=(const Containers&) = delete;

  // Adds the container of a node. Refuses a container that does not run, and one that publishes
  // ports of which none is `port`, the node's.
  Result<void> Find(int node, const std::string& name, int port);

  // These do nothing if the container is in that state already. A killed container is not paused.
  void Pause(int node);
  void Resume(int node);
  void Kill(int node);
  void Start(int node);

  // Whether all commands for the container were carried out.
  [[nodiscard]] bool IsIdle(int node) const;
  // Whether the run has ever killed the container.
  [[nodiscard]] bool WasKilled(int node) const;

  // Lets every container run again, and waits until it does. Returns the first error of all
  // commands so far. Nothing may be paused or killed afterwards.
  Result<void> Restore();

 private:
  struct Container;
  std::map<int, std::unique_ptr<Container>> containers_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_CONTAINERS_H_
