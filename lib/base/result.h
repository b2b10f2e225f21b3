// Result<T>: a value, or an Error that says in one line what went wrong, where, and what to do.
#ifndef DOUBLEHOLD_LIB_BASE_RESULT_H_
#define DOUBLEHOLD_LIB_BASE_RESULT_H_

#include <string>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

namespace doublehold {

// Why the program ends. The value is the program's exit status.
enum class ExitCode : int {
  kAsExpected = 0,   // all claims as expected, or no claim violated
  kViolated = 1,     // a claim not as expected, or violated
  kUnknown = 2,      // a claim could not be decided
  kBadInput = 3,     // invalid option, file or value of the user
  kEnvironment = 4,  // a server or client did not start, or died by itself
};

struct Error {
  ExitCode code = ExitCode::kBadInput;
  std::string message;  // one line, no class name, no trailing newline
  // The setting at fault, by its name within its table ("delay"), or empty. The caller adds the
  // place where the user set it.
  std::string setting{};
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> BadInput(std::string message, std::string setting = {}) {
  return tl::unexpected(Error{ExitCode::kBadInput, std::move(message), std::move(setting)});
}
inline tl::unexpected<Error> EnvironmentFailed(std::string message) {
  return tl::unexpected(Error{ExitCode::kEnvironment, std::move(message), {}});
}

template <typename T>
T TakeValue(Result<T>&& result) {
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace doublehold

// TRY(call) evaluates to the value of a call that returns a Result. If the call failed, the
// function that contains TRY returns the call's error.
#define TRY(call)                                                            \
  __extension__({                                                            \
    auto try_result = (call);                                                \
    if (!try_result) return ::tl::unexpected(std::move(try_result).error()); \
    ::doublehold::TakeValue(std::move(try_result));                          \
  })

#endif  // DOUBLEHOLD_LIB_BASE_RESULT_H_
