#include "lib/sim/testing/testing_sequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <iomanip>
#include <set>
#include <span>
#include <sstream>
#include <string_view>

#include "lib/sim/testing/testing_scripts.h"

namespace doublehold::testing {
namespace {

using Words = std::vector<std::string_view>;

// A word of one capital letter is a placeholder for a random word. The lists below contain the
// words for each letter. The first two lists are keys.
constexpr std::string_view kTemplates[] = {"SET K V",
                                           "SET K V",
                                           "SET K V NX",
                                           "SET K V XX",
                                           "SET K V NX PX M",
                                           "SET K V PX M",
                                           "SET K V NX XX",
                                           "SET K V PX",
                                           "SETNX K V",
                                           "GET K",
                                           "GET K",
                                           "GETSET K V",
                                           "GETSET K V",
                                           "MGET K K K",
                                           "MSET K V K V",
                                           "MSET K V K",
                                           "INCR K",
                                           "DECR K",
                                           "DEL K",
                                           "DEL K K K",
                                           "EXISTS K",
                                           "EXISTS K K K",
                                           "EXPIRE K E",
                                           "PEXPIRE K M",
                                           "PEXPIRE K M",
                                           "PTTL K",
                                           "PTTL K",
                                           "TYPE K",
                                           "DBSIZE",
                                           "HSET H mode read",
                                           "HSET H mode write",
                                           "HSET H F C",
                                           "HSET H F C F C",
                                           "HSET H F C F",
                                           "HGET H F",
                                           "HGETALL H",
                                           "HKEYS H",
                                           "HLEN H",
                                           "HEXISTS H F",
                                           "HDEL H F",
                                           "HDEL H F F F",
                                           "HINCRBY H F C",
                                           "HINCRBY H F C",
                                           "RPUSH L F",
                                           "RPUSH L F F F",
                                           "LPOP L",
                                           "LPOP L N",
                                           "LLEN L",
                                           "LINDEX L N",
                                           "LRANGE L N N",
                                           "LRANGE L 0 -1",
                                           "LREM L N F",
                                           "LPOS L F",
                                           "LPOS L F RANK N",
                                           "ZADD Z S F",
                                           "ZADD Z S F S F",
                                           "ZINCRBY Z S F",
                                           "ZRANGE Z 0 -1",
                                           "ZRANGE Z N N WITHSCORES",
                                           "ZREM Z F",
                                           "ZREM Z F F",
                                           "ZSCORE Z F",
                                           "WATCH K",
                                           "WATCH K H",
                                           "WATCH K",
                                           "UNWATCH",
                                           "MULTI",
                                           "MULTI",
                                           "MULTI",
                                           "EXEC",
                                           "EXEC",
                                           "EXEC",
                                           "EXEC",
                                           "EXEC",
                                           "PUBLISH V V",
                                           "WAIT 0 N",
                                           "NOSUCH V V",
                                           "EVALSHA V 0",
                                           "EVAL V 0",
                                           "EVAL V N K"};

struct Kind {
  char letter;
  std::vector<std::string_view> words;
};

const std::vector<Kind>& Kinds() {
  static const std::vector<Kind> kinds{
      {'K', {"s0", "s1", "s0", "s1", "s0", "s1", "h0", "l0", "z0"}},
      {'H', {"h0", "h1", "h0", "h1", "h0", "h1", "s0"}},
      {'L', {"l0", "l1", "l0", "l1", "l0", "l1", "s0"}},
      {'Z', {"z0", "z1", "z0", "z1", "z0", "z1", "s0"}},
      {'V', {"a", "b", "a", "7", "0", "-3", "", "07", "9223372036854775807", "a b\r\nc", "1.5"}},
      {'C', {"0", "1", "2", "1", "-1", "3", "x"}},  // loop counters of scripts
      {'F', {"a", "b", "c", "a", "b", "7"}},
      {'N',
       {"0", "1", "2", "1", "-1", "-2", "3", "9223372036854775807", "x", "-9223372036854775807"}},
      {'M', {"1", "2", "3", "5", "5", "100", "1000", "0", "-1", "x", "9223372036854775807"}},
      {'E', {"1", "2", "1", "0", "-1", "1.5", "9223372036854775"}},
      {'A', {"1700000000001", "1700000000003", "1700000000", "1700000001", "1", "0", "-5"}},
      {'S', {"1", "2", "1", "-1", "-0", "0.1", "1e3", "inf", "-inf", "x", "1700000000005", "3.25"}},
  };
  return kinds;
}

std::string_view Any(Prng& prng, std::span<const std::string_view> words) {
  return words[prng.Below(words.size())];
}

std::vector<std::string> Split(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string AnyWord(Prng& prng, char letter) {
  const auto kind = std::ranges::find(Kinds(), letter, &Kind::letter);
  return std::string(Any(prng, kind->words));
}

// Returns the largest n of "KEYS[n]" (or ARGV[n]) in a script. This is the number of words that the
// script reads.
size_t LargestIndex(const std::string& text, const std::string& name) {
  size_t largest = 0;
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    largest = std::max(largest, static_cast<size_t>(text[at + name.size()] - '0'));
  return largest;
}

// Returns the data type that a script expects under a key, from a command that uses the key.
char KindOfKey(const std::string& text, size_t number) {
  const size_t key = text.find(fmt::format(", KEYS[{}]", number));
  const size_t quote = key == std::string::npos ? key : text.rfind('\'', key - 2);
  if (quote == std::string::npos) return 'K';
  // Scripts on hashes may begin with EXISTS, so the first command does not show the type.
  if (text.find(fmt::format("'hexists', KEYS[{}]", number)) != std::string::npos ||
      text.find(fmt::format("'hget', KEYS[{}]", number)) != std::string::npos)
    return 'H';
  switch (text[quote + 1]) {
    case 'h':
      return 'H';
    case 'l':
      return 'L';
    case 'z':
      return 'Z';
    default:
      return 'K';
  }
}

std::vector<std::string> CallOf(Prng& prng, const Script& script, bool known) {
  std::vector<std::string> words{"EVAL", script.text};
  if (known) words = {"EVALSHA", script.sha1};
  const size_t keys = LargestIndex(script.text, "KEYS[");
  const size_t args = LargestIndex(script.text, "ARGV[");
  words.push_back(std::to_string(keys));
  for (size_t i = 1; i <= keys; ++i)
    words.push_back(AnyWord(prng, prng.Below(8) == 0 ? 'K' : KindOfKey(script.text, i)));
  constexpr char kArguments[] = {'F', 'M', 'F', 'M', 'N', 'V', 'S', 'A'};
  for (size_t i = 0; i < args; ++i)
    words.push_back(AnyWord(prng, kArguments[prng.Below(sizeof(kArguments))]));
  return words;
}

// Occasionally makes a command malformed. No lock would send such a command.
void Spoil(Prng& prng, std::vector<std::string>& words) {
  if (words[0] == "WAIT" || prng.Below(30) != 0) return;
  switch (prng.Below(4)) {
    case 0:
      if (words.size() > 1) words.pop_back();
      return;
    case 1:
      words.push_back(AnyWord(prng, 'F'));
      return;
    case 2:
      words[prng.Below(words.size())] = AnyWord(prng, 'F');
      return;
    default:
      for (char& c : words[0]) c = static_cast<char>(c ^ (prng.Below(2) == 0 ? 0 : 0x20));
  }
}

std::vector<std::string> AnyCommand(Prng& prng, const std::vector<Script>& scripts) {
  const uint64_t choice = prng.Below(8);
  if (choice == 0) return CallOf(prng, Script(Any(prng, ProbeScripts())), false);
  if (choice <= 2) return CallOf(prng, scripts[prng.Below(scripts.size())], prng.Below(2) == 0);
  std::vector<std::string> words = Split(Any(prng, kTemplates));
  for (std::string& word : words) {
    const bool stands_for =
        word.size() == 1 && std::ranges::find(Kinds(), word[0], &Kind::letter) != Kinds().end();
    if (stands_for) word = AnyWord(prng, word[0]);
  }
  Spoil(prng, words);
  return words;
}

}  // namespace

Sequence RandomSequence(Prng& prng, const std::vector<Script>& scripts) {
  constexpr int64_t kMoves[] = {1, 1, 1, 2, 3, 5, 95, 100, 1000, -1, -3, -1000};
  Sequence sequence;
  int connection = 0;
  const size_t steps = 5 + prng.Below(25);
  for (size_t i = 0; i < steps; ++i) {
    if (prng.Below(8) == 0) {
      sequence.push_back({.move_ms = kMoves[prng.Below(std::size(kMoves))]});
      continue;
    }
    if (prng.Below(5) == 0) connection = static_cast<int>(prng.Below(kSequenceConnections));
    sequence.push_back({.connection = connection, .words = AnyCommand(prng, scripts)});
  }
  // Ends each transaction by EXEC, so that the final reads are not queued.
  std::set<int> used;
  for (const SequenceStep& step : sequence) {
    if (!step.words.empty() && step.words[0].starts_with("MULTI")) used.insert(step.connection);
  }
  for (const int each : used) sequence.push_back({.connection = each, .words = {"EXEC"}});
  const auto look = [&](std::vector<std::string> words) {
    sequence.push_back({.connection = connection, .words = std::move(words)});
  };
  look({"DBSIZE"});
  for (const std::string key : {"s0", "s1", "h0", "h1", "l0", "l1", "z0", "z1"}) {
    look({"TYPE", key});
    look({"PTTL", key});
    switch (key[0]) {
      case 's':
        look({"GET", key});
        break;
      case 'h':
        look({"HGETALL", key});
        break;
      case 'l':
        look({"LRANGE", key, "0", "-1"});
        break;
      default:
        look({"ZRANGE", key, "0", "-1", "WITHSCORES"});
    }
  }
  return sequence;
}

std::string Describe(const SequenceStep& step) {
  if (step.words.empty()) return fmt::format("clock {:+} ms", step.move_ms);
  std::string text = fmt::format("c{}:", step.connection);
  std::ostringstream words;
  for (const std::string& word : step.words) words << ' ' << std::quoted(word);
  return text + words.str();
}

}  // namespace doublehold::testing
