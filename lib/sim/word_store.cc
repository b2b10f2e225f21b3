#include "lib/sim/word_store.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace doublehold::sim {
namespace {

constexpr size_t kBlockBytes = size_t{16} * 1024;

size_t LettersOf(Argv words) {
  size_t letters = 0;
  for (const std::string_view word : words) letters += word.size();
  return letters;
}

}  // namespace

Argv WordStore::Put(Argv first, Argv second) {
  const size_t count = first.size() + second.size();
  std::byte* place = Take(count * sizeof(std::string_view) + LettersOf(first) + LettersOf(second));
  auto* words = reinterpret_cast<std::string_view*>(place);
  auto* letters = reinterpret_cast<char*>(place + count * sizeof(std::string_view));
  std::string_view* next = words;
  for (const Argv some : {first, second}) {
    for (const std::string_view word : some) {
      if (!word.empty()) std::memcpy(letters, word.data(), word.size());
      new (next++) std::string_view(letters, word.size());
      letters += word.size();
    }
  }
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
