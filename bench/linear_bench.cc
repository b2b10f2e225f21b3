// Measures the search for a linearization, on the histories that Porcupine gets too
// (bench/porcupine). Writes each history to a file. For each line of its input, searches one
// history and prints the time and the memory. So this program and Porcupine can take turns.
//
//   bench_linear FOLDER [LOG...]
//     LOG: a log of Jepsen's etcd register tests (.log), or of Porcupine's key-value tests (.txt)
//
// A line of a history file is an operation: client, function, argument, second argument, result,
// invoked, returned. -1 is nil; a return time of -1 means unknown. In key-value histories the
// values are words, and "-" is nil.
//
// Prints a line of JSON that lists the histories. Then prints a line for each line "TIMES FILE" of
// its input: {"seconds": [...], "outcome": "valid", "memory_mb": 0.5}.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "checker/linear/from_log.h"
#include "checker/linear/search.h"
#include "lib/base/check.h"
#include "lib/base/prng.h"
#include "lib/base/time.h"
#include "lib/os/spawn.h"

namespace doublehold {
namespace {

using nlohmann::json;

constexpr int kClients = 8;
constexpr uint8_t kRead = 0, kWrite = 1, kCas = 2;

struct Named {
  std::string name;
  std::string model;
  std::vector<Operation> operations;
};

// Returns a history of a register. Each operation takes effect at one instant between its call and
// return.
Named Register(int64_t count) {
  Prng prng(20261121, "register");
  std::vector<std::pair<int64_t, Operation>> by_effect;
  for (int32_t client = 0; client < kClients; ++client) {
    int64_t at = 0;
    for (int64_t i = 0; i < count / kClients; ++i) {
      const auto wait = [&] { return at += 1 + static_cast<int64_t>(prng.Below(50)); };
      Operation operation{.function = static_cast<uint8_t>(prng.Below(3)), .process = client};
      operation.invoked = wait();
      const int64_t effect = wait();
      operation.returned = wait();
      const auto value = [&] { return static_cast<int64_t>(prng.Below(5)); };
      if (operation.function == kWrite) operation.argument = {value()};
      if (operation.function == kCas) operation.argument = {value(), value()};
      by_effect.emplace_back(effect, std::move(operation));
    }
  }
  std::ranges::stable_sort(by_effect, {}, [](const auto& one) { return one.first; });
  int64_t value = kNil;
  Named named{fmt::format("cas-register {}", count), "cas-register", {}};
  for (auto& [effect, operation] : by_effect) {
    if (operation.function == kWrite) value = operation.argument[0];
    if (operation.function == kRead) operation.result = {value};
    if (operation.function == kCas) {
      if (operation.argument[0] != value) continue;
      value = operation.argument[1];
    }
    named.operations.push_back(std::move(operation));
  }
  return named;
}

// Returns a history of a register whose writes often stay without an answer, as in the histories of
// Dragonboat (github.com/lni/knossos-data). Each value is written once. A write without an answer
// takes effect much later, or never, and its client goes on under a new number.
Named UnknownWrites(int64_t number) {
  constexpr int kCalls = 57;
  Prng prng(20261121, fmt::format("unknown writes {}", number));
  std::vector<std::pair<int64_t, Operation>> by_effect;
  int32_t fresh = kClients;
  for (int i = 0; i < kCalls; ++i) {
    const auto some = [&](uint64_t most) { return 1 + static_cast<int64_t>(prng.Below(most)); };
    Operation operation{.function = prng.Below(3) == 0 ? kRead : kWrite, .process = i % kClients};
    operation.invoked = 10 * i;
    int64_t effect = operation.invoked + some(19);
    operation.returned = effect + some(19);
    if (operation.function == kWrite) {
      operation.argument = {i};
      operation.indeterminate = prng.Below(3) == 0;
    }
    if (operation.indeterminate) {
      operation.process = fresh++;
      effect = operation.invoked + some(20 * kCalls);
    }
    by_effect.emplace_back(effect, std::move(operation));
  }
  std::ranges::stable_sort(by_effect, {}, [](const auto& one) { return one.first; });
  int64_t value = kNil;
  Named named{"unknown writes", "register", {}};
  for (auto& [effect, operation] : by_effect) {
    if (operation.function == kWrite) value = operation.argument[0];
    if (operation.function == kRead) operation.result = {value};
    named.operations.push_back(std::move(operation));
  }
  return named;
}

// Returns a history of one lock. All clients compete for the lock all the time.
Named OneLock(int64_t count) {
  Prng prng(20261121, "lock");
  Named named{fmt::format("one lock {}", count), "owner-mutex", {}};
  std::vector<int64_t> wants(kClients);  // when each client's acquire was invoked
  int64_t now = 0;
  for (int64_t i = 0; i < count / 2; ++i) {
    const auto client = static_cast<size_t>(prng.Below(kClients));
    const auto some = [&] { return 1 + static_cast<int64_t>(prng.Below(20)); };
    const int64_t granted = std::max(now, wants[client]) + some();
    const int64_t releases = granted + some();
    named.operations.push_back({.function = 0,
                                .process = static_cast<int32_t>(client),
                                .invoked = wants[client],
                                .returned = granted});
    named.operations.push_back({.function = 1,
                                .process = static_cast<int32_t>(client),
                                .invoked = releases,
                                .returned = releases + 10});
    wants[client] = releases + 11;
    now = releases;
  }
  return named;
}

// Reads a log of Jepsen's etcd tests, or of Porcupine's key-value tests. The latter have many
// objects.
void AddLog(const std::filesystem::path& file, std::vector<Named>& to) {
  const bool is_etcd = file.extension() == ".log";
  const std::string model = is_etcd ? "cas-register" : "key-value";
  TextSource source = std::move(*TextSource::Open(file));
  Result<LoggedHistory> history = ReadObjects(source, FormatOf(source), *FindModel(model), {});
  if (!history) fmt::print(stderr, "{}\n", history.error().message);
  CHECK(history.has_value());
  if (history->objects.empty()) to.push_back({file.stem().string(), model, {}});
  for (LoggedObject& object : history->objects)
    to.push_back({file.stem().string(), model, std::move(object.operations)});
}

int64_t Number(const LinearValue& value, size_t i) {
  return i >= value.size() || value[i] == kNil ? -1 : value[i];
}

// Returns the value as one word without blanks: "x_0_1_y", or "-" for nil.
std::string Word(const Model& model, const LinearValue& value) {
  std::string word = value.empty() ? "" : model.describe({value.begin(), value.end()});
  std::erase(word, '"');
  std::ranges::replace(word, ' ', '_');
  return word.empty() ? "-" : word;
}

void Write(const Named& named, const std::filesystem::path& file) {
  std::ofstream out(file);
  const Model& model = *FindModel(named.model);
  for (const Operation& one : named.operations) {
    const std::string values =
        model.packs_text
            ? fmt::format("{} - {}", Word(model, one.argument), Word(model, one.result))
            : fmt::format("{} {} {}", Number(one.argument, 0), Number(one.argument, 1),
                          Number(one.result, 0));
    out << fmt::format("{} {} {} {} {}\n", one.process, one.function, values, one.invoked,
                       one.indeterminate ? -1 : one.returned);
  }
}

// Measures in a child process, so that the peak of memory is the peak of the search.
json Measured(const Named& named, int times) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = ForkBound();
  CHECK(child >= 0);
  if (child == 0) {
    json result;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const int64_t before_kb = usage.ru_maxrss;
    for (int i = 0; i < times; ++i) {
      // Uses the same clock as the measurement of Porcupine.
      const auto begun = std::chrono::steady_clock::now();
      const SearchResult found = FindOrder(*FindModel(named.model), {}, named.operations);
      result["seconds"].push_back(ToSeconds(std::chrono::steady_clock::now() - begun));
      result["outcome"] = Name(found.outcome);
    }
    getrusage(RUSAGE_SELF, &usage);
    result["memory_mb"] = static_cast<double>(usage.ru_maxrss - before_kb) / 1024;
    const std::string text = result.dump();
    CHECK(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    _exit(0);
  }
  close(ends[1]);
  std::string text(4096, '\0');
  const ssize_t got = read(ends[0], text.data(), text.size());
  close(ends[0]);
  CHECK(AwaitEnd(child) == 0 && got > 0);
  return json::parse(text.substr(0, static_cast<size_t>(got)));
}

int Main(const std::filesystem::path& folder, const std::vector<std::string>& logs) {
  std::vector<Named> histories;
  for (const int64_t count : {1'000, 10'000, 100'000}) {
    histories.push_back(OneLock(count));
    histories.push_back(Register(count));
  }
  for (int64_t number = 0; number < 10; ++number) histories.push_back(UnknownWrites(number));
  for (const std::string& log : logs) AddLog(log, histories);
  json all = json::array();
  std::map<std::string, const Named*> by_file;
  for (const Named& named : histories) {
    const std::string file = folder / fmt::format("history-{}.txt", by_file.size());
    Write(named, file);
    by_file[file] = &named;
    all.push_back({{"name", named.name},
                   {"model", named.model},
                   {"file", file},
                   {"operations", named.operations.size()}});
  }
  std::cout << all << std::endl;
  int times = 0;
  for (std::string file; std::cin >> times >> file;)
    std::cout << Measured(*by_file.at(file), times) << std::endl;
  return 0;
}

}  // namespace
}  // namespace doublehold

int main(int argc, char** argv) {
  if (argc < 2) return 3;
  return doublehold::Main(argv[1], {argv + 2, argv + argc});
}
