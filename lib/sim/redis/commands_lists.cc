#include <algorithm>

#include "lib/sim/redis/commands.h"
#include "lib/sim/redis/replies.h"

namespace doublehold::sim {
namespace {

struct FoundList {
  Entry* entry = nullptr;
  List* list = nullptr;

  [[nodiscard]] bool IsOther() const { return entry != nullptr && list == nullptr; }
};

FoundList FindList(const ServerCall& call) {
  Entry* entry = call.Find(call.argv[1]);
  return {entry, entry == nullptr ? nullptr : std::get_if<List>(&entry->value)};
}

// Call after removing elements. Deletes an empty list. Otherwise notifies the key's watchers.
void FinishRemoval(const ServerCall& call, const List& list) {
  if (list.empty()) {
    call.server.keys.Erase(call.argv[1], call.now_ms);
  } else {
    call.Touch(call.argv[1]);
  }
}

// Supports RANK; any other option is an error.
tl::expected<int64_t, ServerError> ReadRank(Argv words) {
  int64_t rank = 1;
  for (size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size() || !IsOption(words[i], "RANK")) return SyntaxError();
    const auto number = ReadInteger(words[i + 1]);
    if (!number) return NoInteger();
    if (*number == 0)
      return Error(
          "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or "
          "use negative to start from the end of the list");
    rank = *number;
  }
  return rank;
}

}  // namespace

ServerReply RPush(const ServerCall& call) {
  const FoundList found = FindList(call);
  if (found.IsOther()) return WrongType();
  List& list = found.list != nullptr
                   ? *found.list
                   : std::get<List>(call.server.keys.Add(call.argv[1], List{}).value);
  for (const std::string_view word : call.argv.subspan(2)) list.emplace_back(word);
  call.Touch(call.argv[1]);
  return Integer(list.size());
}

ServerReply LPop(const ServerCall& call) {
  if (call.argv.size() > 3) return WrongArity("lpop");
  const bool counted = call.argv.size() == 3;
  size_t count = 1;
  if (counted) {
    const auto number = ReadInteger(call.argv[2]);
    if (!number || *number < 0) return Error("ERR value is out of range, must be positive");
    count = static_cast<size_t>(*number);
  }
  const FoundList found = FindList(call);
  if (found.IsOther()) return WrongType();
  if (found.list == nullptr) return Nil();
  List& list = *found.list;
  Reply reply = Array();
  for (; count > 0 && !list.empty(); --count) {
    reply.items.push_back(Text(list.front()));
    list.erase(list.begin());
  }
  if (!reply.items.empty()) FinishRemoval(call, list);
  if (counted) return reply;
  return std::move(reply.items[0]);
}

ServerReply LLen(const ServerCall& call) {
  const FoundList found = FindList(call);
  if (found.IsOther()) return WrongType();
  return Integer(found.list == nullptr ? size_t{0} : found.list->size());
}

ServerReply LIndex(const ServerCall& call) {
  const FoundList found = FindList(call);
  if (found.IsOther()) return WrongType();
  if (found.list == nullptr) return Nil();
  auto index = ReadInteger(call.argv[2]);
  if (!index) return NoInteger();
  const auto size = static_cast<int64_t>(found.list->size());
  if (*index < 0) *index += size;
  if (*index < 0 || *index >= size) return Nil();
  return Text((*found.list)[static_cast<size_t>(*index)]);
}

ServerReply LRange(const ServerCall& call) {
  const auto first = ReadInteger(call.argv[2]);
  const auto last = ReadInteger(call.argv[3]);
  if (!first || !last) return NoInteger();
  const FoundList found = FindList(call);
  if (found.IsOther()) return WrongType();
  Reply reply = Array();
  if (found.list == nullptr) return reply;
  const Range range = CutRange(*first, *last, found.list->size());
  for (size_t i = range.first; i < range.end; ++i) reply.items.push_back(Text((*found.list)[i]));
  return reply;
}

ServerReply LRem(const ServerCall& call) {
  const auto count = ReadInteger(call.argv[2]);
  if (!count) return NoInteger();
  const FoundList found = FindList(call);
  if (found.IsOther()) return WrongType();
  if (found.list == nullptr) return Integer(int64_t{0});
  List& list = *found.list;
  const bool from_tail = *count < 0;
  const size_t most =
      *count == 0 ? list.size()
                  : (from_tail ? 0 - static_cast<size_t>(*count) : static_cast<size_t>(*count));
  size_t gone = 0;
  if (from_tail) std::ranges::reverse(list);
  std::erase_if(list, [&](const std::string& each) {
    return gone < most && each == call.argv[3] && ++gone > 0;
  });
  if (from_tail) std::ranges::reverse(list);
  if (gone > 0) FinishRemoval(call, list);
  return Integer(gone);
}

ServerReply LPos(const ServerCall& call) {
  const auto rank = ReadRank(call.argv.subspan(3));
  if (!rank) return tl::unexpected(rank.error());
  const FoundList found = FindList(call);
  if (found.IsOther()) return WrongType();
  const size_t size = found.list == nullptr ? 0 : found.list->size();
  // INT64_MIN cannot be negated. Redis overflows here, so the conformance sequences do not use this
  // rank.
  int64_t matches_to_skip = *rank == INT64_MIN ? 0 : (*rank < 0 ? -*rank : *rank) - 1;
  for (size_t i = 0; i < size; ++i) {
    const size_t at = *rank < 0 ? size - 1 - i : i;
    if ((*found.list)[at] == call.argv[2] && matches_to_skip-- <= 0) return Integer(at);
  }
  return Nil();
}

}  // namespace doublehold::sim
