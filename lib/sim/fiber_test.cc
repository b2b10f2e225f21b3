#include "lib/sim/fiber.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace doublehold::sim {
namespace {

TEST(Fiber, RunsFromResumeUntilItYields) {
  StackPool stacks;
  std::string said;
  Fiber* self = nullptr;
  Fiber fiber(stacks, [&] {
    said += "a";
    self->Yield();
    said += "b";
  });
  self = &fiber;
  EXPECT_EQ(said, "");
  fiber.Resume();
  EXPECT_EQ(said, "a");
  EXPECT_FALSE(fiber.finished());
  fiber.Resume();
  EXPECT_EQ(said, "ab");
  EXPECT_TRUE(fiber.finished());
}

TEST(Fiber, AFiberMayResumeAnotherFiber) {
  StackPool stacks;
  std::string said;
  Fiber* inner_self = nullptr;
  Fiber inner(stacks, [&] {
    said += "i";
    inner_self->Yield();
    said += "j";
  });
  inner_self = &inner;
  Fiber outer(stacks, [&] {
    said += "o";
    inner.Resume();
    said += "p";
  });
  outer.Resume();
  EXPECT_EQ(said, "oip");
  inner.Resume();
  EXPECT_EQ(said, "oipj");
}

// A task that throws an exception catches it itself, even if other fibers run in between.
TEST(Fiber, ExceptionsStayOnTheirOwnStack) {
  StackPool stacks;
  std::string said;
  Fiber* self = nullptr;
  Fiber fiber(stacks, [&] {
    try {
      self->Yield();
      throw std::runtime_error("inside");
    } catch (const std::runtime_error& error) {
      said = error.what();
    }
  });
  self = &fiber;
  fiber.Resume();
  try {
    throw std::runtime_error("outside");
  } catch (const std::runtime_error&) {
    fiber.Resume();
  }
  EXPECT_EQ(said, "inside");
}

TEST(StackPool, ReusesStacks) {
  StackPool stacks;
  const void* first = nullptr;
  for (int i = 0; i < 3; ++i) {
    const void* seen = nullptr;
    Fiber fiber(stacks, [&seen] {
      const int here = 0;
      seen = &here;
    });
    fiber.Resume();
    if (first == nullptr) first = seen;
    EXPECT_EQ(seen, first);
  }
}

}  // namespace
}  // namespace doublehold::sim
