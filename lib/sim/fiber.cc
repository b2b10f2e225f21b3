#include "lib/sim/fiber.h"

#include <utility>

#include "lib/base/check.h"

#ifdef __SANITIZE_ADDRESS__
#define DOUBLEHOLD_ASAN_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DOUBLEHOLD_ASAN_FIBERS 1
#endif
#endif
#ifdef DOUBLEHOLD_ASAN_FIBERS
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace doublehold::sim {
namespace {

constexpr size_t kStackBytes = size_t{256} * 1024;

void Leave([[maybe_unused]] void** keep, [[maybe_unused]] const void* bottom,
           [[maybe_unused]] size_t size) {
#ifdef DOUBLEHOLD_ASAN_FIBERS
  __sanitizer_start_switch_fiber(keep, bottom, size);
#endif
}

void Arrive([[maybe_unused]] void* kept, [[maybe_unused]] const void** bottom,
            [[maybe_unused]] size_t* size) {
#ifdef DOUBLEHOLD_ASAN_FIBERS
  __sanitizer_finish_switch_fiber(kept, bottom, size);
#endif
}

// Passes the fiber's own stack to Boost as if Boost had allocated it; frees nothing.
struct GivenStack {
  boost::context::stack_context stack;
  boost::context::stack_context allocate() { return stack; }
  void deallocate(boost::context::stack_context& /*unused*/) {}
};

}  // namespace

// The last frames on this stack never return, so AddressSanitizer still poisons parts of them.
// Unpoisons the stack for the next fiber.
void StackPool::GiveBack(const boost::context::stack_context& stack) {
#ifdef DOUBLEHOLD_ASAN_FIBERS
  ASAN_UNPOISON_MEMORY_REGION(static_cast<const char*>(stack.sp) - stack.size, stack.size);
#endif
  free_.push_back(stack);
}

StackPool::~StackPool() {
  boost::context::protected_fixedsize_stack allocator(kStackBytes);
  for (boost::context::stack_context& stack : free_) allocator.deallocate(stack);
}

boost::context::stack_context StackPool::Take() {
  if (free_.empty()) return boost::context::protected_fixedsize_stack(kStackBytes).allocate();
  const boost::context::stack_context stack = free_.back();
  free_.pop_back();
  return stack;
}

Fiber::Fiber(StackPool& stacks, std::function<void()> body)
    : stacks_(stacks), stack_(stacks.Take()), body_(std::move(body)) {
  inside_ = boost::context::fiber(std::allocator_arg, GivenStack{stack_},
                                  [this](boost::context::fiber&& outside) {
                                    Arrive(nullptr, &outer_bottom_, &outer_size_);
                                    outside_ = std::move(outside);
                                    body_();
                                    finished_ = true;
                                    Leave(nullptr, outer_bottom_, outer_size_);
                                    return std::move(outside_);
                                  });
}

Fiber::~Fiber() {
  CHECK(finished_);
  stacks_.GiveBack(stack_);
}

void Fiber::Resume() {
  CHECK(!finished_);
  Leave(&fake_outside_, static_cast<const char*>(stack_.sp) - stack_.size, stack_.size);
  inside_ = std::move(inside_).resume();
  Arrive(fake_outside_, nullptr, nullptr);
}

void Fiber::Yield() {
  Leave(&fake_inside_, outer_bottom_, outer_size_);
  outside_ = std::move(outside_).resume();
  Arrive(fake_inside_, &outer_bottom_, &outer_size_);
}

}  // namespace doublehold::sim
