// A fiber: a function with a stack of its own. It runs from Resume until it yields or ends. Built
// on Boost.Context. Announces each change of the stack to AddressSanitizer, which would otherwise
// report an error.
//
// Thread rule: all fibers of a pool run on one thread. A fiber must have finished before it is
// destroyed.
#ifndef DOUBLEHOLD_LIB_SIM_FIBER_H_
#define DOUBLEHOLD_LIB_SIM_FIBER_H_

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <functional>
#include <vector>

namespace doublehold::sim {

// Reuses stacks, because mapping a stack costs more than an execution. Outlives its fibers.
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
  // Does not run `body` before the first Resume.
  Fiber(StackPool& stacks, std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs the fiber until it yields or ends. Call from outside the fiber.
  void Resume();
  // Returns to the caller of Resume. Call from inside the fiber.
  void Yield();
  [[nodiscard]] bool finished() const { return finished_; }

 private:
  StackPool& stacks_;
  boost::context::stack_context stack_;
  std::function<void()> body_;
  bool finished_ = false;
  boost::context::fiber inside_, outside_;
  // State of AddressSanitizer: a fake stack for each side, and the bounds of the outer stack.
  void* fake_inside_ = nullptr;
  void* fake_outside_ = nullptr;
  const void* outer_bottom_ = nullptr;
  size_t outer_size_ = 0;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_FIBER_H_
