// Sends one command to one server from the supervisor's event loop, over its own connection.
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

// Does not wait. Calls `answer` once from the event loop, with the reply or with the reason why
// there was none within `timeout`. Does not call it if the loop ends first. If the server listens,
// the command has been sent when this returns.
void CallAsOperator(boost::asio::io_context& io, const std::filesystem::path& socket,
                    const std::vector<std::string>& command, Duration timeout,
                    std::function<void(CallResult)> answer);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_ADMIN_CLIENT_H_
