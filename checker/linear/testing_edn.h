// For tests: writes the events of a log as EDN.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_TESTING_EDN_H_
#define DOUBLEHOLD_CHECKER_LINEAR_TESTING_EDN_H_

#include <string>
#include <string_view>

namespace doublehold::testing {

// Leaves out an empty value and a negative time.
inline std::string EdnEvent(int process, std::string_view type, std::string_view f,
                            std::string_view value = "", int time = -1) {
  std::string text = "{:process " + std::to_string(process);
  text.append(", :type :").append(type).append(", :f :").append(f);
  if (!value.empty()) text.append(", :value ").append(value);
  if (time >= 0) text.append(", :time ").append(std::to_string(time));
  return text + "}\n";
}

// Both events have the value.
inline std::string InvokeAndOk(int process, std::string_view f, std::string_view value = "") {
  return EdnEvent(process, "invoke", f, value) + EdnEvent(process, "ok", f, value);
}

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_CHECKER_LINEAR_TESTING_EDN_H_
