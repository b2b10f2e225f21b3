// Names the cases of a parameterised test after their parameters.
#ifndef DOUBLEHOLD_LIB_TESTING_CASE_NAME_H_
#define DOUBLEHOLD_LIB_TESTING_CASE_NAME_H_

#include <gtest/gtest.h>

#include <cctype>
#include <concepts>
#include <string>
#include <string_view>

namespace doublehold::testing {

// The last argument of INSTANTIATE_TEST_SUITE_P. A case is called by the words that PrintTo prints
// of its parameter, and by its number, because two parameters may print the same words.
struct CaseName {
  template <typename Param>
  std::string operator()(const ::testing::TestParamInfo<Param>& info) const {
    constexpr size_t kLongest = 60;
    std::string text;
    if constexpr (std::convertible_to<Param, std::string_view>) {
      text = std::string_view(info.param);
    } else {
      text = ::testing::PrintToString(info.param);
    }
    std::string name;
    for (const char c : text.substr(0, kLongest)) {
      const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
      if (is_word) name.push_back(c);
      if (!is_word && !name.empty() && name.back() != '_') name.push_back('_');
    }
    if (!name.empty() && name.back() != '_') name.push_back('_');
    return name + std::to_string(info.index);
  }
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_CASE_NAME_H_
