#include "compose/os/kept_programs.h"

#include "compose/os/program_files.h"
#include "lib/os/run_tool.h"

namespace doublehold {
namespace {

constexpr const char* kPython = "python3";

}  // namespace

Result<std::filesystem::path> FindInDrivers(const std::string& name) {
  const std::string file = "drivers/" + name;
  if (auto found = FirstThatExists(PlacesOfData(OwnProgram(), file))) return *std::move(found);
  return EnvironmentFailed(file + ": missing; install Doublehold again");
}

Result<std::string> RunInDrivers(const std::string& program, std::vector<std::string> arguments) {
  const std::filesystem::path path = TRY(FindInDrivers(program));
  arguments.insert(arguments.begin(), {kPython, path.string()});
  Result<std::string> printed = RunTool(arguments);
  if (printed) {
    if (printed->ends_with('\n')) printed->pop_back();
    return printed;
  }
  // The program's own line says what it is about.
  Error error = printed.error();
  const std::string ran = std::string(kPython) + ": ";
  if (error.message.starts_with(ran)) error.message.erase(0, ran.size());
  return tl::unexpected(std::move(error));
}

}  // namespace doublehold
