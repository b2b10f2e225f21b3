#include "compose/options/program_options.h"

#include <fmt/format.h>

namespace doublehold {

void AddProgramOptions(boost::program_options::options_description& options,
                       const std::string& when) {
  for (const std::string& service : NamesOfServices()) {
    const std::string program(FactsOfService(service).program);
    if (program.empty()) continue;
    options.add_options()(
        program.c_str(), boost::program_options::value<std::string>()->default_value(program),
        fmt::format("{}the {} program: a path, or a name of list servers", when, program).c_str());
  }
}

// A default is no choice: a service finds its usual program itself.
ChosenPrograms ReadProgramOptions(const ParsedLine& line) {
  ChosenPrograms chosen;
  for (const std::string& service : NamesOfServices()) {
    const auto value = line.values.find(std::string(FactsOfService(service).program));
    if (value != line.values.end() && !value->second.defaulted())
      chosen.emplace(service, value->second.as<std::string>());
  }
  return chosen;
}

Words ToWords(const ChosenPrograms& chosen) {
  Words words;
  for (const auto& [service, path] : chosen) {
    words.push_back(fmt::format("--{}", FactsOfService(service).program));
    words.push_back(path);
  }
  return words;
}

}  // namespace doublehold
