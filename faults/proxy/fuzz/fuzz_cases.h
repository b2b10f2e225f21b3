// Properties that the fuzz targets check on one input. libFuzzer calls these functions, and a unit
// test calls them on the stored corpus. A violated property ends the program (CHECK).
#ifndef DOUBLEHOLD_FAULTS_PROXY_FUZZ_FUZZ_CASES_H_
#define DOUBLEHOLD_FAULTS_PROXY_FUZZ_FUZZ_CASES_H_

#include <string_view>

namespace doublehold {

// Checks that the framer finds the same frames, names and keys however the stream is cut into
// chunks, and consumes every byte once. The first input byte chooses the direction and the chunk
// size.
void CheckFramer(std::string_view input);

// Checks both directions of a connection through queues with rules:
// - rules that only delay change no byte;
// - rules that drop remove whole frames, and the same frames however the stream is cut;
// - rules that duplicate leave the client with the first reply to each command.
//
// The first two input bytes choose the rules and the chunk size. Requests and replies follow,
// separated by a byte 0xFF.
void CheckQueues(std::string_view input);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_FUZZ_FUZZ_CASES_H_
