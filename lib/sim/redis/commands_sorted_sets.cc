#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "lib/sim/redis/commands.h"
#include "lib/sim/redis/replies.h"

namespace doublehold::sim {
namespace {

struct FoundSet {
  Entry* entry = nullptr;
  SortedSet* set = nullptr;

  [[nodiscard]] bool IsOther() const { return entry != nullptr && set == nullptr; }
  [[nodiscard]] const Member* Get(std::string_view name) const {
    if (set == nullptr) return nullptr;
    const auto member = std::ranges::find(*set, name, &Member::name);
    return member == set->end() ? nullptr : &*member;
  }
};

FoundSet FindSet(const ServerCall& call) {
  Entry* entry = call.Find(call.argv[1]);
  return {entry, entry == nullptr ? nullptr : std::get_if<SortedSet>(&entry->value)};
}

tl::unexpected<ServerError> NoFloat() { return Error("ERR value is not a valid float"); }

bool IsBefore(const Member& left, const Member& right) {
  return std::tie(left.score, left.name) < std::tie(right.score, right.name);
}

enum class PutResult : uint8_t { kSame, kAdded, kUpdated, kNoNumber };

// Adds or updates a member. `score` replaces the member's score. With `increments`, `score` is
// added to it. Sets `score` to the resulting score.
PutResult PutMember(SortedSet& set, bool increments, double& score, std::string_view name) {
  const auto found = std::ranges::find(set, name, &Member::name);
  const bool is_new = found == set.end();
  if (!is_new) {
    if (increments) score += found->score;
    if (std::isnan(score)) return PutResult::kNoNumber;
    if (score == found->score) return PutResult::kSame;
    set.erase(found);
  }
  // Redis stores -0 as 0.
  Member member{score == 0 ? 0 : score, std::string(name)};
  set.insert(std::ranges::upper_bound(set, member, IsBefore), std::move(member));
  return is_new ? PutResult::kAdded : PutResult::kUpdated;
}

tl::expected<std::vector<double>, ServerError> ReadScores(Argv pairs) {
  std::vector<double> scores;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    const auto score = ReadDouble(pairs[i]);
    if (!score) return NoFloat();
    scores.push_back(*score);
  }
  return scores;
}

ServerReply Add(const ServerCall& call, bool increments) {
  const Argv pairs = call.argv.subspan(2);
  const auto scores = ReadScores(pairs);
  if (!scores) return tl::unexpected(scores.error());
  const FoundSet found = FindSet(call);
  if (found.IsOther()) return WrongType();
  SortedSet& set = found.set != nullptr
                       ? *found.set
                       : std::get<SortedSet>(call.server.keys.Add(call.argv[1], SortedSet{}).value);
  int64_t added = 0;
  bool changed = false;
  double score = 0;
  for (size_t i = 0; i < scores->size(); ++i) {
    score = (*scores)[i];
    const PutResult put = PutMember(set, increments, score, pairs[2 * i + 1]);
    // Only ZINCRBY, with its single pair, can fail here. So no member has changed.
    if (put == PutResult::kNoNumber) return Error("ERR resulting score is not a number (NaN)");
    if (put == PutResult::kAdded) ++added;
    if (put != PutResult::kSame) changed = true;
  }
  if (changed) call.Touch(call.argv[1]);
  if (increments) return Text(DoubleText(score));
  return Integer(added);
}

}  // namespace

// Supports no options. An option is an error, because it is not a score.
ServerReply ZAdd(const ServerCall& call) {
  if (call.argv.size() % 2 == 1) return SyntaxError();
  return Add(call, /*increments=*/false);
}

ServerReply ZIncrBy(const ServerCall& call) { return Add(call, /*increments=*/true); }

ServerReply ZScore(const ServerCall& call) {
  const FoundSet found = FindSet(call);
  if (found.IsOther()) return WrongType();
  const Member* member = found.Get(call.argv[2]);
  if (member == nullptr) return Nil();
  return Text(DoubleText(member->score));
}

ServerReply ZRem(const ServerCall& call) {
  const FoundSet found = FindSet(call);
  if (found.IsOther()) return WrongType();
  if (found.set == nullptr) return Integer(int64_t{0});
  size_t gone = 0;
  for (const std::string_view name : call.argv.subspan(2))
    gone += std::erase_if(*found.set, [&](const Member& member) { return member.name == name; });
  if (found.set->empty()) {
    call.server.keys.Erase(call.argv[1], call.now_ms);
  } else if (gone > 0) {
    call.Touch(call.argv[1]);
  }
  return Integer(gone);
}

// Supports WITHSCORES; any other option is an error.
ServerReply ZRange(const ServerCall& call) {
  const Argv options = call.argv.subspan(4);
  for (const std::string_view word : options) {
    if (!IsOption(word, "WITHSCORES")) return SyntaxError();
  }
  const auto first = ReadInteger(call.argv[2]);
  const auto last = ReadInteger(call.argv[3]);
  if (!first || !last) return NoInteger();
  const FoundSet found = FindSet(call);
  if (found.IsOther()) return WrongType();
  Reply reply = Array();
  if (found.set == nullptr) return reply;
  const Range range = CutRange(*first, *last, found.set->size());
  for (size_t i = range.first; i < range.end; ++i) {
    const Member& member = (*found.set)[i];
    reply.items.push_back(Text(member.name));
    if (!options.empty()) reply.items.push_back(Text(DoubleText(member.score)));
  }
  return reply;
}

}  // namespace doublehold::sim
