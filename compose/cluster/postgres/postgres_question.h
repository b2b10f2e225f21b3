// Questions to a PostgreSQL server.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_POSTGRES_POSTGRES_QUESTION_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_POSTGRES_POSTGRES_QUESTION_H_

#include <functional>
#include <string>

#include "compose/cluster/question.h"

namespace doublehold {

// Makes a question that sends a query for one value. The answer is yes if `is_hoped` returns true
// for the value. The value is empty if the server refused the query.
Question PostgresQuestion(const char* query,
                          std::function<bool(const std::string& value)> is_hoped);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_POSTGRES_POSTGRES_QUESTION_H_
