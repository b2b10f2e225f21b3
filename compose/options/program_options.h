// The options that choose the programs of servers: --redis-server PATH, --etcd etcd@3.6.16. A
// service has such an option if its facts name its program.
#ifndef DOUBLEHOLD_COMPOSE_OPTIONS_PROGRAM_OPTIONS_H_
#define DOUBLEHOLD_COMPOSE_OPTIONS_PROGRAM_OPTIONS_H_

#include <string>

#include "compose/options/command_line.h"
#include "compose/plan/service_rules.h"

namespace doublehold {

// The description of each option begins with `when`.
void AddProgramOptions(boost::program_options::options_description& options,
                       const std::string& when = "");
// Returns the programs that the line names. Whether they exist is not checked.
ChosenPrograms ReadProgramOptions(const ParsedLine& line);
// Returns the options that choose these programs.
Words ToWords(const ChosenPrograms& chosen);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OPTIONS_PROGRAM_OPTIONS_H_
