// Questions to a PostgreSQL server.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_POSTGRES_POSTGRES_QUESTION_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_POSTGRES_POSTGRES_QUESTION_H_

#include <functional>
#include <string>

#include "compose/cluster/question.h"

namespace doublehold {

// A query for one value. `is_hoped` decides about the value, which is empty if the server refused
// the query.
Question PostgresQuestion(const char* query,
                          std::function<bool(const std::string& value)> is_hoped);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_POSTGRES_POSTGRES_QUESTION_H_
