// One command to one server from the supervisor's loop, over a connection of its own.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_ADMIN_CLIENT_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_ADMIN_CLIENT_H_

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lib/base/connection.h"
#include "lib/base/time.h"

namespace doublehold {

// Nothing waits. `answer` is called once, from the loop: with the reply, or with why there was none
// within `timeout`; not at all when the loop ends first. The command is on its way when this
// returns, if the server listens.
void CallAsOperator(boost::asio::io_context& io, const std::filesystem::path& socket,
                    const std::vector<std::string>& command, Duration timeout,
                    std::function<void(CallResult)> answer);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_ADMIN_CLIENT_H_
