// Compares the modelled Redis with a real server: the same random command sequences at the same
// instants must get the same replies. DOUBLEHOLD_CONFORMANCE_SEQUENCES sets the number of
// sequences, DOUBLEHOLD_CONFORMANCE_SEED the first seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

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

constexpr int64_t kSequences = 10'000;  // in `make test-all`; other runs use a tenth

int64_t Setting(const char* name, int64_t fallback) {
  const char* value = std::getenv(name);
  return value == nullptr ? fallback : std::atoll(value);
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
      if (modelled[i] != real[i])
        return fmt::format("{}\n  the server: {}\n  the model:  {}", Describe(sequence[i]), real[i],
                           modelled[i]);
      if (by_native_scripts[i] != real[i])
        return fmt::format("{}\n  the server: {}\n  the model with native scripts: {}",
                           Describe(sequence[i]), real[i], by_native_scripts[i]);
    }
    return "";
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
    const Sequence sequence = RandomSequence(prng, scripts_);
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
