#include <fmt/format.h>

#include <boost/uuid/detail/sha1.hpp>

#include "lib/base/connection.h"

namespace doublehold {

Script::Script(std::string_view source) : text(source) {
  boost::uuids::detail::sha1 digest;
  digest.process_bytes(text.data(), text.size());
  unsigned int words[5] = {};
  digest.get_digest(words);
  for (const unsigned int word : words) sha1 += fmt::format("{:08x}", word);
}

}  // namespace doublehold
