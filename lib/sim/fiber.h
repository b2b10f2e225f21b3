// A fiber: a function with a stack of its own, which runs when it is resumed and until it yields.
// On Boost.Context; told to AddressSanitizer, which would take a change of stacks for a mistake.
//
// Thread rule: all of a pool's fibers on one thread. A fiber has run to its end before it is
// destroyed.
#ifndef DOUBLEHOLD_LIB_SIM_FIBER_H_
#define DOUBLEHOLD_LIB_SIM_FIBER_H_

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <functional>
#include <vector>

namespace doublehold::sim {

// Stacks to be used again and again: to map one costs more than an execution. Outlives its fibers.
class StackPool {
 public:
  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  boost::context::stack_context Take();
  void GiveBack(const boost::context::stack_context& stack);

 private:
  std::vector<boost::context::stack_context> free_;
};

class Fiber {
 public:
  // Nothing runs before the first Resume.
  Fiber(StackPool& stacks, std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // From outside: runs it until it yields or ends.
  void Resume();
  // From inside: goes on where Resume was called.
  void Yield();
  [[nodiscard]] bool finished() const { return finished_; }

 private:
  StackPool& stacks_;
  boost::context::stack_context stack_;
  std::function<void()> body_;
  bool finished_ = false;
  boost::context::fiber inside_, outside_;
  // AddressSanitizer's: what it keeps of either side, and the bounds of the outer stack.
  void* fake_inside_ = nullptr;
  void* fake_outside_ = nullptr;
  const void* outer_bottom_ = nullptr;
  size_t outer_size_ = 0;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_FIBER_H_
