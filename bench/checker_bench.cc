// Measures the time to judge the claim `exclusion` on a history file of any length.
//
//   bench_checker FOLDER OPERATIONS   writes its files to FOLDER and removes them
//                                     (two files at a time, about 40 bytes for each operation)
//
// Prints JSON: the seconds of each round, the seconds of a bare pass over the same mapped file
// before the round, and the memory that a pass took beside the file.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "checker/claims/lock/exclusion_scan.h"
#include "lib/base/check.h"
#include "lib/base/prng.h"
#include "lib/history/facts_json.h"
#include "lib/history/mapped.h"

namespace doublehold {
namespace {

constexpr int kRounds = 5;
constexpr uint32_t kClients = 8;
constexpr int64_t kLeaseNs = 500'000'000;

struct Shape {
  const char* name;
  uint32_t logs;  // number of logs; a single log is in time order
  uint32_t locks;
  uint32_t unknown;  // percentage of acquires with unknown outcome
};

// Writes the operations of clients that acquire and release a lock in turn: each cycle has two
// operations and four records.
class Writing {
 public:
  Writing(const Shape& shape, int64_t operations, const std::filesystem::path& file)
      : shape_(shape), cycles_(operations / 2), out_(file, std::ios::binary | std::ios::trunc) {}

  void Run() {
    RunFacts facts{
        .experiment = "bench", .lease = Lease{500ms}, .clients = kClients, .claims = {"exclusion"}};
    for (uint32_t i = 0; i < shape_.locks; ++i) facts.keys.push_back(fmt::format("item-{}", i));
    std::string text = FactsToJson(facts).dump();
    text.append((16 - text.size() % 16) % 16, ' ');
    const HistoryHeader header{kHistoryMagic, 0, text.size(), kClients, shape_.logs, 0};
    Put(&header, 1);
    std::vector<StreamSize> sizes(shape_.logs);
    const std::streampos table = out_.tellp();
    Put(sizes.data(), sizes.size());
    Put(text.data(), text.size());
    for (uint32_t client = 1; client <= kClients; ++client) {
      const RecordWriter writer{.hold_base = uint64_t{client} << 40U,
                                .client = static_cast<int32_t>(client)};
      Put(&writer, 1);
    }
    for (uint32_t log = 0; log < shape_.logs; ++log) sizes[log] = WriteLog(log);
    out_.seekp(table);
    Put(sizes.data(), sizes.size());
    out_.close();
    CHECK(static_cast<bool>(out_));
  }

 private:
  template <typename T>
  void Put(const T* all, size_t count) {
    out_.write(reinterpret_cast<const char*>(all), static_cast<std::streamsize>(count * sizeof(T)));
  }

  // Writes one log. Each cycle takes 1,000 ns, and the clients take turns. A log has the cycles of
  // one client, or of all clients.
  StreamSize WriteLog(uint32_t log) {
    std::vector<int64_t> words;
    std::vector<Record> records;
    Prng prng(7, "bench", log);
    uint64_t written = 0;
    for (int64_t cycle = log; cycle < cycles_; cycle += shape_.logs) {
      const auto client = static_cast<uint16_t>(cycle % kClients);
      const auto key = static_cast<uint16_t>(shape_.locks == 1 ? 0 : cycle * 7919 % shape_.locks);
      const auto hold = static_cast<uint32_t>(cycle / kClients + 1);
      const uint64_t ns = static_cast<uint64_t>(cycle) * 1000;
      const bool unknown = prng.Below(100) < shape_.unknown;
      const auto put = [&](uint64_t at, Op op, EventType type, uint32_t of, int64_t word) {
        const uint8_t has = word == 0 ? 0 : Record::ValueWord(0);
        records.push_back({Record::Pack(at, has, Record::What(op, type)), client, key, of});
        if (word != 0) words.push_back(word);
      };
      put(ns, Op::kAcquire, EventType::kInvoke, 0, kLeaseNs);
      if (unknown) {
        put(ns + 250, Op::kAcquire, EventType::kInfo, hold, 0);
      } else {
        put(ns + 250, Op::kAcquire, EventType::kOk, hold, static_cast<int64_t>(ns) + kLeaseNs);
      }
      put(ns + 500, Op::kRelease, EventType::kInvoke, hold, 0);
      put(ns + 750, Op::kRelease, unknown ? EventType::kInfo : EventType::kOk, hold, 0);
      if (records.size() >= 1 << 16) written += Flush(records);
    }
    written += Flush(records);
    const StreamSize size{written, words.size()};
    if (words.size() % 2 != 0) words.push_back(0);
    Put(words.data(), words.size());
    return size;
  }

  uint64_t Flush(std::vector<Record>& records) {
    Put(records.data(), records.size());
    const uint64_t count = records.size();
    records.clear();
    return count;
  }

  Shape shape_;
  int64_t cycles_;
  std::ofstream out_;
};

// Returns the resident memory of this process that maps no file, in bytes.
int64_t AnonymousBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stoll(line.substr(8)) * 1024;
  }
  return 0;
}

double Seconds() {  // CPU seconds, because other programs use the machine too
  rusage usage{};
  CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

// Measures the lower bound for a pass over the file: loads each word once and sums the words.
double SecondsOfBarePass(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  CHECK(descriptor >= 0);
  const auto size = static_cast<size_t>(std::filesystem::file_size(file));
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  CHECK(mapped != MAP_FAILED);
  close(descriptor);
  const double begun = Seconds();
  const std::span words(static_cast<const uint64_t*>(mapped), size / sizeof(uint64_t));
  const volatile uint64_t sum = std::accumulate(words.begin(), words.end(), uint64_t{0});
  static_cast<void>(sum);
  const double seconds = Seconds() - begun;
  munmap(mapped, size);
  return seconds;
}

// A history file, which this object removes at its end, and the measurements on it.
class Scanned {
 public:
  Scanned(const Shape& shape, int64_t operations, const std::filesystem::path& folder)
      : operations_(operations), file_(folder / fmt::format("bench-{}.bin", shape.name)) {
    Writing(shape, operations, file_).Run();
  }
  ~Scanned() { std::filesystem::remove(file_); }
  Scanned(const Scanned&) = delete;
  Scanned& operator=(const Scanned&) = delete;

  void Round() {
    bare_seconds_.push_back(SecondsOfBarePass(file_));
    const int64_t before = AnonymousBytes();
    const Result<MappedHistory> history = MappedHistory::Open(file_);
    CHECK(history.has_value());
    const double begun = Seconds();
    const ExclusionScan scan = ScanExclusion(*history);
    seconds_.push_back(Seconds() - begun);
    CHECK(scan.gave_up.empty());
    CHECK(scan.holds > operations_ / 3);
    most_bytes_ = std::max(most_bytes_, AnonymousBytes() - before);
  }

  [[nodiscard]] nlohmann::json Measured() const {
    return {{"operations", operations_},
            {"seconds", seconds_},
            {"bare_seconds", bare_seconds_},
            {"memory_mb", static_cast<double>(most_bytes_) / 1e6}};
  }

 private:
  int64_t operations_;
  std::filesystem::path file_;
  std::vector<double> seconds_, bare_seconds_;
  int64_t most_bytes_ = 0;
};

// The two compared measurements take turns, and each goes first in every second round. A change of
// the machine's speed then affects both.
void MeasureScans(int64_t operations, const std::filesystem::path& folder, nlohmann::json& result) {
  {
    const Shape certain{"in_order", 1, 1, 0}, uncertain{"unknown", 1, 1, 1};
    Scanned without(certain, operations, folder), with(uncertain, operations, folder);
    for (int round = 0; round < kRounds; ++round) {
      (round % 2 == 0 ? without : with).Round();
      (round % 2 == 0 ? with : without).Round();
    }
    result[certain.name] = without.Measured();
    result[uncertain.name] = with.Measured();
  }
  const Shape many{"merged", 8, 10'000, 0};
  Scanned merged(many, operations, folder);
  for (int round = 0; round < kRounds; ++round) merged.Round();
  result[many.name] = merged.Measured();
}

int Main(int argc, char** argv) {
  int64_t operations = 0;
  if (argc != 3 ||
      std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), operations).ec != std::errc{} ||
      operations < 1000) {
    fmt::print(stderr, "bench_checker FOLDER OPERATIONS\n");
    return 3;
  }
  const std::filesystem::path folder = argv[1];
  nlohmann::json result;
  MeasureScans(operations, folder, result);
  fmt::print("{}\n", result.dump());
  return 0;
}

}  // namespace
}  // namespace doublehold

int main(int argc, char** argv) { return doublehold::Main(argc, argv); }
