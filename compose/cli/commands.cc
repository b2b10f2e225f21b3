#include "compose/cli/commands.h"

#include <array>

namespace doublehold {

std::span<const CommandEntry> Commands() {
  static constexpr std::array kCommands{
      CommandEntry{"run", "[EXPERIMENT.toml] [options]", "run one experiment and judge it",
                   RunCommand},
      CommandEntry{"suite", "SUITE.toml [options]", "run a matrix of experiments", SuiteCommand},
      CommandEntry{"plan-shards", "SUITE.toml --minutes N",
                   "how many machines run a suite in that time", PlanShardsCommand},
      CommandEntry{"merge", "DIR... [options]", "merge the parts of a suite (suite --shard)",
                   MergeCommand},
      CommandEntry{"compare", "--locks LOCK,LOCK [options]",
                   "run locks in pairs: what each violates, and what it costs", CompareCommand},
      CommandEntry{"bisect", "SUITE.toml --cell ROW/COLUMN",
                   "find the versions of a library that show a violation", BisectCommand},
      CommandEntry{"sweep", "--lock LOCK [options]",
                   "run a lock with each fault at each step of its protocol", SweepCommand},
      CommandEntry{"explore", "--lock LOCK [options]",
                   "simulate every placement of up to --depth faults", ExploreCommand},
      CommandEntry{"replay", "REPLAY-STRING|TRACE.json|FOLDER",
                   "show one simulated execution step by step", ReplayCommand},
      CommandEntry{"check", "RUN|HISTORY", "judge a stored history, or check another tool's",
                   CheckCommand},
      CommandEntry{"export", "RUN --format edn", "write a history for Jepsen, Perfetto or as CSV",
                   ExportCommand},
      CommandEntry{"report", "DIR|FILE... [options]", "write an HTML page of runs or suites",
                   ReportCommand},
      CommandEntry{"serve", "[RUNS] [--port PORT]", "show a folder of runs as local web pages",
                   ServeCommand},
      CommandEntry{"list", "[locks|workloads|faults|...]", "list the words that settings accept",
                   ListCommand},
      CommandEntry{"driver", "check -- COMMAND...", "test the driver of a lock library",
                   DriverCommand},
      CommandEntry{"doctor", "", "report what this machine supports and lacks", DoctorCommand},
      CommandEntry{"completion", "bash|zsh|fish", "print a completion for a shell",
                   CompletionCommand},
      CommandEntry{"man", "", "print the manual page: doublehold man | man -l -", ManCommand},
  };
  return kCommands;
}

}  // namespace doublehold
