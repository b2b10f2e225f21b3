#include <fmt/format.h>

#include <boost/uuid/detail/sha1.hpp>

#include "lib/clients/redis.h"

namespace doublehold {

std::string Sha1Hex(std::string_view text) {
  boost::uuids::detail::sha1 digest;
  digest.process_bytes(text.data(), text.size());
  unsigned int words[5] = {};
  digest.get_digest(words);
  std::string hex;
  for (const unsigned int word : words) hex += fmt::format("{:08x}", word);
  return hex;
}

Script::Script(std::string_view source) : text(source), sha1(Sha1Hex(source)) {}

}  // namespace doublehold
