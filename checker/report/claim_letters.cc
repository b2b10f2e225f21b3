#include "checker/report/claim_letters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace doublehold {

std::span<const ClaimLetter> ClaimLetters() {
  static constexpr std::array kLetters{
      ClaimLetter{'H', "lease-exclusion", "held twice, both leases valid", true},
      ClaimLetter{'h', "exclusion", "held twice, one's lease being over", true},
      ClaimLetter{'S', "stock", "stock lost or sold twice", true},
      ClaimLetter{'R', "release", "one freed the lock of another"},
      ClaimLetter{'M', "told", "a lock was lost, and its release did not say so"},
      ClaimLetter{'N', "warned", "a lock was lost, and its holder was not told"},
      ClaimLetter{'A', "settled", "a library's call that was not answered in its time"},
      ClaimLetter{'B', "cleared", "a key that was left behind"},
      ClaimLetter{'K', "quiet", "a client that went on sending after it had released all"},
      ClaimLetter{'O', "obtained", "a free lock that who asked for it did not get"},
      ClaimLetter{'L', "liveness", "a key that could not be had any more", true},
      ClaimLetter{'F', "fencing", "a token that did not rise, or a stale one that was taken"},
      ClaimLetter{'Q', "order", "served out of turn"},
      ClaimLetter{'E', "reentry", "re-entry went wrong"},
      ClaimLetter{'W', "max-wait", "a wait that was longer than its limit"},
      ClaimLetter{'C', "commands-per-hold", "a hold with more commands than its limit"},
      ClaimLetter{'T', "torn-read", "a reader saw half a write"},
      ClaimLetter{'X', "exactly-once", "a task was saved twice"},
  };
  return kLetters;
}

std::string LettersOf(const std::vector<std::string>& violated) {
  std::string letters;
  for (const ClaimLetter& each : ClaimLetters()) {
    if (std::ranges::find(violated, each.claim) == violated.end()) continue;
    if (each.letter == 'h' && letters.find('H') != std::string::npos) continue;
    letters += each.letter;
  }
  return letters;
}

std::string LegendOf(std::string_view letters) {
  std::string text;
  for (const ClaimLetter& each : ClaimLetters()) {
    if (letters.find(each.letter) != std::string_view::npos)
      text += fmt::format("  {}  {}\n", each.letter, each.meaning);
  }
  return text;
}

}  // namespace doublehold
