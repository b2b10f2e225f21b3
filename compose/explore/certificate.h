// Certificates of complete searches: what was explored, and digests by which a later version can
// tell whether it finds the same without all of the work. A digest covers every event and outcome
// of its executions, so it changes whenever the lock does.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_CERTIFICATE_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_CERTIFICATE_H_

#include <filesystem>
#include <string>

#include "compose/explore/explore_text.h"
#include "lib/base/result.h"

namespace doublehold {

// Returns the text of the file. Requires a complete exhaustive search.
std::string CertificateOf(const Explored& explored, const SearchAsked& asked);

struct CertificateCheck {
  bool is_equal = false;
  std::string text;  // what was run again, and the first difference
};
// Runs a part of the certified search again: all executions with fewer faults than its bound, and
// of those with the most faults `sampled` of the kLevelBlocks blocks. Returns an error if the file
// is no certificate.
Result<CertificateCheck> CheckCertificate(const std::filesystem::path& file, int sampled, int jobs);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_CERTIFICATE_H_
