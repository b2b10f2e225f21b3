// Where the first key of a command stands among its words, and how keys are told apart.
#ifndef DOUBLEHOLD_LIB_REDIS_WIRE_COMMAND_KEYS_H_
#define DOUBLEHOLD_LIB_REDIS_WIRE_COMMAND_KEYS_H_

#include <cstdint>
#include <string_view>

namespace doublehold {

// A key by its length and FNV-1a of its bytes: one travels with every command that is outstanding,
// and the key itself is not kept. Equal keys are equal; different ones are as good as surely not.
class KeyMark {
 public:
  constexpr KeyMark() = default;  // no key; equal to no mark of a key
  static constexpr KeyMark Of(std::string_view key) { return KeyMark().Add(key); }

  // The mark of a key that goes on with `text`.
  constexpr KeyMark& Add(std::string_view text) {
    if (bytes_ < 0) bytes_ = 0;
    bytes_ += static_cast<int64_t>(text.size());
    for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    return *this;
  }
  [[nodiscard]] constexpr bool present() const { return bytes_ >= 0; }
  constexpr bool operator==(const KeyMark&) const = default;

 private:
  uint64_t hash_ = 0xCBF29CE484222325;
  int64_t bytes_ = -1;
};

// Words are counted from 0, the command's name. Most commands: {0, 1}.
struct KeyPlace {
  int count_at = 0;   // the word that says how many keys there are; 0: none says it
  int key_at = 1;     // the first key; 0: the command has none, or not at a fixed place
  bool fold = false;  // it is marked as in upper case
  bool operator==(const KeyPlace&) const = default;
};

// `command` in upper case; one that is not known has its key where most have it. Of CLIENT the
// subcommand takes the place of a key, in upper case.
KeyPlace PlaceOfKey(std::string_view command);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_REDIS_WIRE_COMMAND_KEYS_H_
