// The number of a server.
#ifndef DOUBLEHOLD_LIB_BASE_NODE_H_
#define DOUBLEHOLD_LIB_BASE_NODE_H_

#include <compare>

namespace doublehold {

// The number of a node, from 1. kStoreId is the server that keeps the stock.
struct NodeId {
  int number = 0;
  auto operator<=>(const NodeId&) const = default;
};
constexpr NodeId kStoreId{0};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_NODE_H_
