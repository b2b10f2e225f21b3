// Finds the first key among a command's words.
#ifndef DOUBLEHOLD_LIB_REDIS_WIRE_COMMAND_KEYS_H_
#define DOUBLEHOLD_LIB_REDIS_WIRE_COMMAND_KEYS_H_

#include <string_view>

#include "lib/base/key_mark.h"

namespace doublehold {

// Positions among a command's words. Word 0 is the command's name. The default, {0, 1}, fits most
// commands.
struct KeyPlace {
  int count_at = 0;   // the word with the number of keys; 0 if no word has it
  int key_at = 1;     // the first key; 0 if there is no key, or no fixed position
  bool fold = false;  // whether the key is converted to upper case before it is hashed
  bool operator==(const KeyPlace&) const = default;
};

// `command` must be upper case. For an unknown command, returns {0, 1}. For CLIENT, the subcommand
// in upper case counts as the key.
KeyPlace PlaceOfKey(std::string_view command);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_REDIS_WIRE_COMMAND_KEYS_H_
