#include "compose/plan/key_slots.h"

#include <boost/crc.hpp>

namespace doublehold {

int KeySlot(std::string_view key) {
  const size_t open = key.find('{');
  const size_t close = open == std::string_view::npos ? open : key.find('}', open + 1);
  if (close != std::string_view::npos && close > open + 1)
    key = key.substr(open + 1, close - open - 1);
  boost::crc_optimal<16, 0x1021, 0, 0, false, false>
      crc;  // CRC-16/XMODEM, see the Redis Cluster specification
  crc.process_bytes(key.data(), key.size());
  return crc.checksum() % kSlots;
}

int MasterOfKey(std::string_view key, int masters) {
  int master = 1;
  while (FirstSlot(master + 1, masters) <= KeySlot(key)) ++master;
  return master;
}

}  // namespace doublehold
