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

struct AddOptions {
  bool nx = false;
  bool xx = false;
  bool gt = false;
  bool lt = false;
  bool counts_changed = false;
  bool increments = false;
  size_t pairs_at = 2;
};

AddOptions ReadAddOptions(Argv argv) {
  AddOptions options;
  for (; options.pairs_at < argv.size(); ++options.pairs_at) {
    const std::string_view word = argv[options.pairs_at];
    if (IsOption(word, "NX")) {
      options.nx = true;
    } else if (IsOption(word, "XX")) {
      options.xx = true;
    } else if (IsOption(word, "GT")) {
      options.gt = true;
    } else if (IsOption(word, "LT")) {
      options.lt = true;
    } else if (IsOption(word, "CH")) {
      options.counts_changed = true;
    } else if (IsOption(word, "INCR")) {
      options.increments = true;
    } else {
      break;
    }
  }
  return options;
}

enum class PutResult : uint8_t { kNothing, kSame, kAdded, kUpdated, kNoNumber };

// Adds or updates a member. Sets `score` to the member's score afterwards.
PutResult PutMember(SortedSet& set, const AddOptions& options, double& score,
                    std::string_view name) {
  const auto found = std::ranges::find(set, name, &Member::name);
  const bool is_new = found == set.end();
  if (is_new ? options.xx : options.nx) return PutResult::kNothing;
  if (!is_new) {
    if (options.increments) score += found->score;
    if (std::isnan(score)) return PutResult::kNoNumber;
    if ((options.lt && score >= found->score) || (options.gt && score <= found->score))
      return PutResult::kNothing;
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

ServerReply Add(const ServerCall& call, const AddOptions& options) {
  const Argv pairs = call.argv.subspan(options.pairs_at);
  const auto scores = ReadScores(pairs);
  if (!scores) return tl::unexpected(scores.error());
  const FoundSet found = FindSet(call);
  if (found.IsOther()) return WrongType();
  if (found.set == nullptr && options.xx) return options.increments ? Nil() : Integer(int64_t{0});
  SortedSet& set = found.set != nullptr
                       ? *found.set
                       : std::get<SortedSet>(call.server.keys.Add(call.argv[1], SortedSet{}).value);
  int64_t added = 0;
  int64_t updated = 0;
  double score = 0;
  PutResult last = PutResult::kNothing;
  for (size_t i = 0; i < scores->size(); ++i) {
    score = (*scores)[i];
    last = PutMember(set, options, score, pairs[2 * i + 1]);
    if (last == PutResult::kNoNumber) break;
    if (last == PutResult::kAdded) ++added;
    if (last == PutResult::kUpdated) ++updated;
  }
  if (added + updated > 0) call.Touch(call.argv[1]);
  if (last == PutResult::kNoNumber) return Error("ERR resulting score is not a number (NaN)");
  if (!options.increments) return Integer(options.counts_changed ? added + updated : added);
  if (last == PutResult::kNothing) return Nil();
  return Text(DoubleText(score));
}

}  // namespace

ServerReply ZAdd(const ServerCall& call) {
  const AddOptions options = ReadAddOptions(call.argv);
  const size_t words = call.argv.size() - options.pairs_at;
  if (words == 0 || words % 2 == 1) return SyntaxError();
  if (options.nx && options.xx)
    return Error("ERR XX and NX options at the same time are not compatible");
  if ((options.gt && options.nx) || (options.lt && options.nx) || (options.gt && options.lt))
    return Error("ERR GT, LT, and/or NX options at the same time are not compatible");
  if (options.increments && words > 2)
    return Error("ERR INCR option supports a single increment-element pair");
  return Add(call, options);
}

ServerReply ZIncrBy(const ServerCall& call) { return Add(call, {.increments = true}); }

ServerReply ZCard(const ServerCall& call) {
  const FoundSet found = FindSet(call);
  if (found.IsOther()) return WrongType();
  return Integer(found.set == nullptr ? size_t{0} : found.set->size());
}

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

// Supports ranges by index only; any other option is an error.
ServerReply ZRange(const ServerCall& call) {
  bool with_scores = false;
  bool backwards = false;
  for (const std::string_view word : call.argv.subspan(4)) {
    if (IsOption(word, "WITHSCORES")) {
      with_scores = true;
    } else if (IsOption(word, "REV")) {
      backwards = true;
    } else if (IsOption(word, "BYSCORE") || IsOption(word, "BYLEX") || IsOption(word, "LIMIT")) {
      return Error("ERR the modelled server knows ZRANGE by index only");
    } else {
      return SyntaxError();
    }
  }
  const auto first = ReadInteger(call.argv[2]);
  const auto last = ReadInteger(call.argv[3]);
  if (!first || !last) return NoInteger();
  const FoundSet found = FindSet(call);
  if (found.IsOther()) return WrongType();
  Reply reply = Array();
  if (found.set == nullptr) return reply;
  const size_t size = found.set->size();
  const Range range = CutRange(*first, *last, size);
  for (size_t i = range.first; i < range.end; ++i) {
    const Member& member = (*found.set)[backwards ? size - 1 - i : i];
    reply.items.push_back(Text(member.name));
    if (with_scores) reply.items.push_back(Text(DoubleText(member.score)));
  }
  return reply;
}

}  // namespace doublehold::sim
