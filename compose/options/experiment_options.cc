#include "compose/options/experiment_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "compose/plan/plan_builder.h"
#include "faults/plans/nemesis.h"
#include "lib/base/words.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

struct Flag {
  const char* option;
  const char* setting;
  const char* help;  // "{}" is replaced by the members of a nemesis
};
// Short forms of the most used settings; --set reaches all settings.
constexpr std::array kFlags{
    Flag{"lock", "lock.name",
         "the lock to test (list locks), or a library (list drivers), such as redis-py@4.5.5; "
         "options in brackets: redlock[ask=in-turn]"},
    Flag{"driver", "lock.driver", "a command that serves the lock (docs/driver-protocol.md)"},
    Flag{"lease", "lock.lease", "how long a grant lasts, such as 500ms"},
    Flag{"nodes", "topology.nodes", "number of redis-servers that keep lock keys"},
    Flag{"topology", "topology.name", "how the servers are arranged (doublehold list topologies)"},
    Flag{"endpoint", "topology.endpoints",
         "a server that runs already, such as redis://10.0.0.5:6379; several: with commas"},
    Flag{"container", "topology.containers",
         "with --endpoint: the server's container, for faults on it; several: with commas, in "
         "order"},
    Flag{"server", "topology.server", "the servers' program, such as redis@6.2 (list servers)"},
    Flag{"net", "topology.net",
         "how links are cut: proxy, or namespaces (drops packets; needs root)"},
    Flag{"workload", "workload.name", "what clients do with the lock"},
    Flag{"clients", "workload.clients", "number of client processes"},
    Flag{"threads", "workload.threads", "number of threads of each client"},
    Flag{"duration", "workload.duration", "how long the clients work, such as 5s"},
    Flag{"stock", "workload.stock", "initial stock of each item"},
    Flag{"seed", "seed", "seed of every random choice"},
    Flag{"speed", "speed", "run all clocks and waits so many times as fast as real time"},
    Flag{"nemesis", "nemesis.faults", "draw random faults of these kinds: {}"},
    Flag{"every", "nemesis.every", "draw one fault of the nemesis per interval, such as 500ms"},
    Flag{"claims", "claims",
         "the claims to judge, such as exclusion,release-result; default: the workload's claims"},
};

}  // namespace

void AddExperimentOptions(po::options_description& options, po::options_description& hidden,
                          const Words& refused) {
  const auto add = [&](const char* name, const po::value_semantic* value, const std::string& help) {
    const bool is_refused = std::ranges::find(refused, name) != refused.end();
    (is_refused ? hidden : options).add_options()(name, value, help.c_str());
  };
  const std::string members = fmt::format("{}", fmt::join(ListNames(NemesisMembers()), ", "));
  for (const Flag& flag : kFlags) {
    add(flag.option, po::value<std::string>(), fmt::format(fmt::runtime(flag.help), members));
  }
  add("limit", po::value<Words>()->composing(),
      "add a limit, judged as a claim: --limit max-wait=5s, --limit commands-per-grant=50");
  add("option", po::value<Words>()->composing(),
      "set an option of the driver: --option name=value");
  add("set", po::value<Words>()->composing(),
      "set any key of an experiment file: --set lock.lease=300ms");
}

std::string ExperimentOptionIn(const ParsedLine& line) {
  for (const Flag& flag : kFlags) {
    if (line.values.contains(flag.option)) return flag.option;
  }
  for (const char* other : {"set", "option", "limit"}) {
    if (line.values.contains(other)) return other;
  }
  return {};
}

Result<Settings> ReadExperiment(const ParsedLine& line) {
  if (line.rest.size() > 1) {
    return BadInput(fmt::format("'{}': name only one experiment file", line.rest[1]));
  }
  Settings settings;
  if (!line.rest.empty()) {
    const std::string& name = line.rest.front();
    if (FindLock(name) != nullptr && !std::filesystem::exists(name))
      return BadInput(
          fmt::format("'{0}' is a lock, not an experiment file; did you mean --lock {0}?", name));
    Result<Settings> file = Settings::ReadToml(name);
    if (!file) return file;
    settings = std::move(*file);
    if (!settings.Has("name")) {
      const std::filesystem::path path = name;
      settings.Set("name", path.stem().string(), path.string());
    }
    if (!settings.TablesBelow("row").empty() || !settings.TablesBelow("column").empty()) {
      return BadInput(fmt::format("{0}: is a suite; run it with: doublehold suite {0}", name));
    }
  }
  for (const Flag& flag : kFlags) {
    if (!line.values.contains(flag.option)) continue;
    settings.Set(flag.setting, line.values[flag.option].as<std::string>(),
                 fmt::format("--{}", flag.option));
  }
  if (line.values.contains("i-own-this-server"))
    settings.Set("topology.i-own-this-server", "true", "--i-own-this-server");
  if (line.values.contains("direct")) settings.Set("topology.direct", "true", "--direct");
  if (line.values.contains("faults"))
    settings.Set("faults", line.values["faults"].as<std::string>(), "--faults");
  TRY(ReadAssignments(line, settings));
  return settings;
}

Result<void> ReadAssignments(const ParsedLine& line, Settings& settings) {
  // --option fair=yes is short for --set lock.options.fair=yes.
  for (const auto& [flag, table] : {std::pair("set", ""), std::pair("option", "lock.options."),
                                    std::pair("limit", "limits.")}) {
    if (!line.values.contains(flag)) continue;
    std::set<std::string> names;
    for (const std::string& assignment : line.values[flag].as<Words>()) {
      const auto given = TRY(ParseAssignment(flag, assignment));
      // Of other settings the last one counts, but the last limit may be the weaker one.
      if (!names.insert(given.first).second && flag == std::string_view("limit"))
        return BadInput(fmt::format("--limit {}: {} has a limit already", assignment, given.first));
      settings.Set(table + given.first, given.second, fmt::format("--{} {}", flag, assignment));
    }
  }
  return {};
}

}  // namespace doublehold
