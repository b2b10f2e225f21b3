// Compares the modelled Redis with a real server: the same random command sequences at the same
// instants must get the same replies. DOUBLEHOLD_CONFORMANCE_SEQUENCES sets the number of
// sequences, DOUBLEHOLD_CONFORMANCE_SEED the first seed, DOUBLEHOLD_CONFORMANCE_SERVER the server's
// program.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "lib/sim/redis/native_scripts.h"
#include "lib/sim/redis/redis_model.h"
#include "lib/sim/testing/testing_model.h"
#include "lib/sim/testing/testing_real_redis.h"
#include "lib/sim/testing/testing_scripts.h"
#include "lib/sim/testing/testing_sequences.h"
#include "lib/testing/trials.h"

namespace doublehold::sim {
namespace {

using testing::kSequenceStartMs;
using testing::RandomSequence;
using testing::RealRedis;
using testing::Sequence;
using testing::SequenceStep;
using testing::Show;

constexpr int64_t kSequences = 10'000;  // in `make test-all`; otherwise see NumTrials

int64_t Setting(const char* name, int64_t fallback) {
  const char* value = std::getenv(name);
  return value == nullptr ? fallback : std::atoll(value);
}

bool IsOtherServer() { return std::getenv("DOUBLEHOLD_CONFORMANCE_SERVER") != nullptr; }

// The model is of Redis 7.0, and has its replies word for word. Other servers word some errors
// differently.
bool AreErrors(const std::string& modelled, const std::string& real) {
  const auto is_error = [](const std::string& reply) {
    return reply.starts_with("error ") || reply.find("status ERR ") != std::string::npos ||
           reply.find("@user_script") != std::string::npos;
  };
  return is_error(modelled) && is_error(real);
}

// Whether the replies differ only in how they write a number: "1e+17", "-0".
bool DifferInNumbersAlone(const std::string& modelled, const std::string& real) {
  std::istringstream left(modelled);
  std::istringstream right(real);
  std::string a;
  std::string b;
  while (left >> a) {
    if (!(right >> b)) return false;
    if (a == b) continue;
    char* end = nullptr;
    const double number = std::strtod(a.c_str(), &end);
    if (end == a.c_str() || number != std::strtod(b.c_str(), nullptr)) return false;
  }
  return !(right >> b);
}

// What other servers do differently. What follows in a sequence is not compared.
bool IsKnownDifference(const std::string& modelled, const std::string& real) {
  return
      // Redis 8 and Valkey write fractions differently, and Redis 6 -0.
      DifferInNumbersAlone(modelled, real) ||
      // Redis 6 discards a transaction that watches a key whose time is over.
      (real == "nil" && modelled.starts_with('[')) ||
      // Redis 6 has no options of EXPIRE and PEXPIRE.
      real.find("wrong number of arguments") != std::string::npos ||
      // Redis 8 and Valkey refuse a longer wait than time can count.
      real.find("timeout is out of range") != std::string::npos ||
      // Valkey discards a transaction that has a WATCH or a MULTI in it.
      (real.find("EXECABORT") != std::string::npos &&
       modelled.find("EXECABORT") == std::string::npos);
}

class Conformance : public ::testing::Test {
 protected:
  Conformance() {
    UseNativeScripts(with_native_scripts_);
    real_.Load(scripts_);
  }

  std::vector<std::string> RunModel(ScriptEngine& engine, const Sequence& sequence) {
    RedisModel model(engine);
    for (const Script& script : scripts_) model.LoadScript(script);
    int64_t now_ms = kSequenceStartMs;
    std::vector<std::string> replies;
    for (const SequenceStep& step : sequence) {
      now_ms += step.move_ms;
      const std::vector<std::string_view> words(step.words.begin(), step.words.end());
      if (words.empty()) {
        replies.emplace_back();
        continue;
      }
      replies.push_back(Show(model.Execute(step.connection, words, now_ms)));
    }
    return replies;
  }

  // Describes the first difference between model and server. Returns "" when they agree.
  std::string Difference(const Sequence& sequence) {
    const std::vector<std::string> modelled = RunModel(engine_, sequence);
    const std::vector<std::string> by_native_scripts = RunModel(with_native_scripts_, sequence);
    const std::vector<std::string> real = real_.Run(sequence);
    for (size_t i = 0; i < sequence.size(); ++i) {
      for (const auto& [name, model] :
           {std::pair("the model", &modelled), std::pair("native scripts", &by_native_scripts)}) {
        const std::string& expected = (*model)[i];
        if (expected == real[i]) continue;
        if (IsOtherServer() && IsKnownDifference(expected, real[i])) return "";
        if (IsOtherServer() && AreErrors(expected, real[i])) continue;
        return fmt::format("{}\n  the server: {}\n  {}:  {}", Describe(sequence[i]), real[i], name,
                           expected);
      }
    }
    return "";
  }

  // Removes the scripts that no lock sends: versions of Redis differ in them.
  void KeepShippedScripts(Sequence& sequence) const {
    std::erase_if(sequence, [&](const SequenceStep& step) {
      const std::vector<std::string>& words = step.words;
      return words.size() > 1 && words[0] == "EVAL" &&
             std::ranges::find(scripts_, words[1], &Script::text) == scripts_.end();
    });
  }

  // Shrinks a sequence: removes steps until every remaining step is needed to reproduce the
  // difference.
  Sequence Shrunk(Sequence sequence) {
    for (size_t i = sequence.size(); i-- > 0;) {
      Sequence without = sequence;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      if (Difference(without).empty()) continue;
      sequence = std::move(without);
      i = std::min(i + 1, sequence.size());
    }
    return sequence;
  }

  std::vector<Script> scripts_ = testing::ShippedScripts();
  ScriptEngine engine_;               // runs the texts of all scripts
  ScriptEngine with_native_scripts_;  // runs native scripts instead of some texts
  RealRedis real_;
};

TEST_F(Conformance, ShippedScriptsAreFoundInTheSources) {
  EXPECT_GE(scripts_.size(), 20u);
  for (const Script& script : scripts_) EXPECT_TRUE(engine_.Compile(script)) << script.text;
}

TEST_F(Conformance, EveryNativeScriptBelongsToAScriptThatIsSent) {
  for (const NativeScriptEntry& entry : NativeScripts())
    EXPECT_NE(std::ranges::find(scripts_, entry.text, &Script::text), scripts_.end()) << entry.text;
}

TEST_F(Conformance, TheModelAndARealServerReplyAlike) {
  const auto seed = static_cast<uint64_t>(Setting("DOUBLEHOLD_CONFORMANCE_SEED", 1));
  const int64_t count = Setting("DOUBLEHOLD_CONFORMANCE_SEQUENCES", NumTrials(kSequences));
  for (int64_t i = 0; i < count; ++i) {
    Prng prng(seed, "conformance", static_cast<uint64_t>(i));
    Sequence sequence = RandomSequence(prng, scripts_);
    if (IsOtherServer()) KeepShippedScripts(sequence);
    if (Difference(sequence).empty()) continue;
    const Sequence shortest = Shrunk(sequence);
    std::string story;
    for (const SequenceStep& step : shortest) story += Describe(step) + "\n";
    FAIL() << "seed " << seed << ", sequence " << i << ":\n"
           << story << "they differ at " << Difference(shortest);
  }
}

}  // namespace
}  // namespace doublehold::sim
