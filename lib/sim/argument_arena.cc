#include "lib/sim/argument_arena.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

namespace doublehold::sim {
namespace {

constexpr size_t kBlockBytes = size_t{16} * 1024;

// Copies a short word in two pieces, which may overlap. This is faster than a call to memcpy.
char* PutLetters(std::string_view word, char* to) {
  const auto by = [&]<typename Piece>(Piece piece) {
    std::memcpy(&piece, word.data(), sizeof(piece));
    std::memcpy(to, &piece, sizeof(piece));
    std::memcpy(&piece, word.data() + word.size() - sizeof(piece), sizeof(piece));
    std::memcpy(to + word.size() - sizeof(piece), &piece, sizeof(piece));
  };
  if (word.size() > 2 * sizeof(uint64_t)) {
    std::memcpy(to, word.data(), word.size());
  } else if (word.size() >= sizeof(uint64_t)) {
    by(uint64_t{});
  } else if (word.size() >= sizeof(uint32_t)) {
    by(uint32_t{});
  } else {
    for (size_t i = 0; i < word.size(); ++i) to[i] = word[i];
  }
  return to + word.size();
}

}  // namespace

Argv WordStore::Put(Argv first, Argv second) {
  const size_t count = first.size() + second.size();
  size_t size = count * sizeof(std::string_view);
  for (const std::string_view word : first) size += word.size();
  for (const std::string_view word : second) size += word.size();
  std::byte* place = Take(size);
  auto* words = reinterpret_cast<std::string_view*>(place);
  auto* letters = reinterpret_cast<char*>(place + count * sizeof(std::string_view));
  std::string_view* next = words;
  const auto put = [&](std::string_view word) {
    new (next++) std::string_view(letters, word.size());
    letters = PutLetters(word, letters);
  };
  for (const std::string_view word : first) put(word);
  for (const std::string_view word : second) put(word);
  return {words, count};
}

void WordStore::Clear() {
  block_ = 0;
  used_ = 0;
}

std::byte* WordStore::Take(size_t size) {
  while (block_ < blocks_.size() && used_ + size > blocks_[block_].size) {
    ++block_;
    used_ = 0;
  }
  if (block_ == blocks_.size()) {
    const size_t bytes = std::max(size, kBlockBytes);
    blocks_.push_back({.size = bytes, .bytes = std::make_unique<std::byte[]>(bytes)});
  }
  std::byte* place = blocks_[block_].bytes.get() + used_;
  constexpr size_t kAlign = alignof(std::string_view);
  used_ += (size + kAlign - 1) / kAlign * kAlign;
  return place;
}

}  // namespace doublehold::sim
