// What the fuzz targets check about one input. libFuzzer calls these, and so does a unit test with
// the corpus that it left. A property that does not hold ends the program (CHECK).
#ifndef DOUBLEHOLD_FAULTS_PROXY_FUZZ_FUZZ_CASES_H_
#define DOUBLEHOLD_FAULTS_PROXY_FUZZ_FUZZ_CASES_H_

#include <string_view>

namespace doublehold {

// However a stream is cut into chunks, the framer finds the same frames, names and keys, and takes
// every byte once. The first byte chooses the direction and the size of the chunks.
void CheckFramer(std::string_view input);

// Both directions of a connection through queues with rules: what only delays changes no byte; what
// drops takes whole frames, the same ones however the stream is cut; what duplicates leaves the
// client with the first reply to each of its commands. The first two bytes choose the rules and the
// size of the chunks; requests and replies follow, apart by a byte 0xFF.
void CheckQueues(std::string_view input);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_FUZZ_FUZZ_CASES_H_
