// Finds the Python that has matplotlib and Jinja2, and the program that makes reports.
#ifndef DOUBLEHOLD_COMPOSE_CLI_PYTHON_H_
#define DOUBLEHOLD_COMPOSE_CLI_PYTHON_H_

#include <filesystem>
#include <string>

#include "lib/base/result.h"

namespace doublehold {

// Returns the first Python that can import both packages: `python3` on PATH, or Debian's own.
Result<std::string> FindPython();
// Returns the path of reports/report.py, beside the build folder.
Result<std::filesystem::path> FindReportProgram();

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLI_PYTHON_H_
