// The reports are made by a Python that has matplotlib and Jinja2: where it is, and where the
// reports' program is.
#ifndef DOUBLEHOLD_COMPOSE_CLI_PYTHON_H_
#define DOUBLEHOLD_COMPOSE_CLI_PYTHON_H_

#include <filesystem>
#include <string>

#include "lib/base/result.h"

namespace doublehold {

// The first of `python3` on PATH and Debian's own that can import both packages.
Result<std::string> FindPython();
// reports/report.py, beside the build folder.
Result<std::filesystem::path> FindReportProgram();

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLI_PYTHON_H_
