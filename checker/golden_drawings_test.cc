// Judges the histories of testdata/: files NAME-CLIENTS-{ok,bad,unknown}.jsonl. The last word of a
// name is the expected verdict. The facts of a file contain the expected outcome of each claim.
// Here each file has its drawing (ascii_history.h), which it must equal event by event, and its
// purpose. Every claim needs a history with each outcome.
//
// To add a history: draw it here. The tests of a drawing without a file propose one, with the claims
// that the checkers decide. Correct its claims and expectations, and put it into testdata/.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "checker/judge.h"
#include "checker/testing/ascii_history.h"
#include "checker/testing/oracle/claim_trials.h"
#include "lib/base/paths.h"
#include "lib/history/binary.h"
#include "lib/history/jsonl.h"

namespace doublehold {
namespace {

struct GoldenDrawingsDrawn {
  std::string_view name;
  std::string_view why;
  std::string_view picture;
};

void PrintTo(const GoldenDrawingsDrawn& drawn, std::ostream* out) { *out << drawn.name; }

// clang-format off
const std::vector<GoldenDrawingsDrawn> kGoldenDrawingsDrawn{
    {"asks-again-and-again-2-bad",
     "client 2 sends 5 commands while client 1 holds the key, and is not granted it", R"(
        c1:         A-a===================R-r
        sent c1:     *                     *
        c2:           Q-A---------------x---q
        sent c2:         *  *  *  *  *)"},
    {"asks-again-while-it-holds-2-unknown",
     "client 2 holds another key while it asks: what was sent for which is not recorded", R"(
        c1:         A-a===================R-r
        sent c1:     *                     *
        c2 item-1:  A-a=====================R-r
        c2:             A---------------x
        sent c2:     *   *  *  *  *  *)"},
    {"asks-twice-2-ok",
     "3 commands are within the limit: what was sent during the hold is not counted", R"(
        c1:         A-a=====R-r
        sent c1:     *       *
        c2:           Q-A-x---A-aq======R-r
        sent c2:         *     *    * *  *)"},
    {"availability-at-last-2-ok",
     "client 2 was refused while client 1 had the key, and once more, and had it within lease and grace", R"(
        c1:    A-a===R-r
        c2:      A-x   A-x   A-a=R-r)"},
    {"availability-by-turns-3-unknown", "client 3 was refused a free key, and client 2 may have stood before it in a queue", R"(
        c1:    A-a===R-r
        c2:      A-t
        c3:                                    A-t)"},
    {"availability-never-2-bad", "clients 1 and 2 refused each other the three nodes, again and again", R"(
        c1:    A--x   A--x  A--x   A--x A--x
        c2:    A--x  A--x   A--x  A--x  A--x)"},
    {"availability-standing-queue-3-bad",
     "clients 2 and 3 asked for the free key, each while the other did, and neither was granted it", R"(
        c1:    A-a===R-r
        c2:      A-t   A-t   A-t   A-t   A-t   A-t   A-t
        c3:        A-t   A-t   A-t   A-t   A-t   A-t)"},
    {"availability-too-late-2-unknown",
     "client 2 was answered after lease and grace, and may have been granted the free key before", R"(
        c1:        A-a=R-r
        c2:                A---------------------a=R-r)"},
    {"bought-twice-2-bad",
     "the write of unknown outcome was done: the stock fell by 3 for 2 sales of which one was tried again", R"(
        c1:    A-a=g=W--?==g=W-w=R-r                 | 5 5>4 4 4>3
        c2:                           A-a=g=w=R-r    | 3 3>2
        final:                                    *  | 2/2)"},
    {"call-timeout-never-answered-2-bad", "an acquire of client 1, which was cut off, was never answered", R"(
        c1:             A--?A-x                z            | 3
        c2:           A-a=R-r
        partition c1:   [----------------------])"},
    {"call-timeout-while-stopped-2-unknown", "an acquire was answered late, and its client was stopped meanwhile", R"(
        c1:           A---------------sxA-a=R-r           | 3
        c2:         A-a=R-r
        pause c1:       [-----------]                     | 12)"},
    {"call-timeout-within-grace-2-ok", "an acquire was answered after its time-out, and within grace", R"(
        c1:             A--?       sA-a=R-r                 | 3
        c2:           A-a=R-r
        partition c1:   [---------])"},
    {"client-died-2-unknown", "client 2 died by itself: nobody knows what it did", R"(
        c1:      A-a=g=w=R-r               | 5 5>4
        c2:                 A-a g          | 4
        died c2:                   *       | 139
        final:                        *    | 4/1
        probe:                        P-p)"},
    {"clock-jump-2-bad", "the server's clock jumped past the lease of client 1, and client 2 was granted its key", R"(
        c1:      A-a=g===========w=!=R-x               | 5 5>4
        c2:       A-x  A--x  A-a=======g=w=R-r         | 4 4>3
        jump n1:        [---------------------]        | 750
        final:                                    *    | 3/2
        probe:                                    P-p)"},
    {"commands-few-1-ok", "3 commands are within the limit: what came before the grant is not counted", R"(
        c1:       A--a==========R-r
        sent c1:   *   *    *    *)"},
    {"commands-many-1-bad", "the lock is renewed 6 times in one hold of a lease", R"(
        c1:       A--a==========R-r
        sent c1:   *  * * * * * *)"},
    {"commands-of-two-keys-1-unknown", "client 1 asked for another key meanwhile: what was sent for which is not recorded", R"(
        c1:         A--a==========R-r
        c1 item-1:       A--x
        sent c1:     *  * * * * * *)"},
    {"cut-short-2-unknown", "the end is missing: the final stock and the probe", R"(
        c1: A-a=g=w=R-r             | 5 5>4
        c2:            A-a=g=w=R-r  | 4 4>3)"},
    {"extended-a-lost-lock-2-bad",
     "the extension of client 1 succeeded, although client 2 had the lock", R"(
        c1:    A-a===!======E-e==R-x
        c2:            A-a===========R-r)"},
    {"extended-in-time-2-ok",
     "client 1 had the lock at its first extension, client 2 at the second, which failed", R"(
        c1:    A-a==E-e===!======E-x==R-x
        c2:                 A-a===========R-r)"},
    {"extended-or-lost-2-unknown",
     "client 2 may have had the lock when client 1 learnt that it was lost", R"(
        c1:    A-a=======E-x===!R-x
        c2:      A-?)"},
    {"fault-never-started-2-unknown", "the stall that was planned never came, so nothing was put to the test", R"(
        c1:    A-a=g=w=R-r               | 5 5>4
        c2:               A-a=g=w=R-r    | 4 4>3
        final:                      *    | 3/2
        probe:                      P-p)"},
    {"fenced-writes-only-2-bad", "reads show no token that the store compares: both read 1", R"(
        c1:    A-a=g!===========w=R-x      | #1 1 1>0#1
        c2:            A-a=g======w=R-r    | #2 1 1>0#2
        final:                          *  | 0/2)"},
    {"gap-before-a-late-extension-2-bad",
     "the lease was extended when it was over: a strict overlap, and at no instant two live leases", R"(
        c1:       A-a=g=!========E-e==w=R-r          | 5 5>4
        c2:                A-a=R-r
        pause c1:       [------]
        final:                                  *    | 4/1
        probe:                                  P-p)"},
    {"granted-beside-its-key-1-unknown", "the only server keeps the key when nobody has the lock, and grants that", R"(
        c1:         A-a==R-r
        expiry:               *         | -1
        probe:                 P-p)"},
    {"had-again-too-late-1-unknown", "the key was had after lease and grace, by what was asked before", R"(
        c1:         A-a==R-r
        probe:                 P----------------------p)"},
    {"half-written-and-killed-2-unknown", "client 2 was killed in its write, which left half of it for any lock", R"(
        c1:                          A-b==L-l=R-r  | 8/7
        c2:       A-a W                            | 7>8
        crash c2:       [])"},
    {"idle-traffic-2-bad", "client 1 goes on extending what it released", R"(
        c1:       A-a=R-rI----------i
        c2:         A-x A-a=R-rI---------i
        sent c1:            *  *  *)"},
    {"idle-traffic-on-its-way-2-ok", "what came a little after the release was on its way", R"(
        c1:       A-a=R-rI----------i
        c2:         A-x A-a=R-rI---------i
        sent c1:          *)"},
    {"idle-traffic-or-retry-2-unknown", "what client 1 was not answered its library may ask again", R"(
        c1:       A-a=R-?I----------i
        c2:         A-x   A-a=R-rI---------i
        sent c1:            *  *  *)"},
    {"in-queue-order-3-ok", "client 3 asked after client 2, and is granted the key after it", R"(
        c1: A-a======R-r
        c2:  QA-t--------A-aq=R-r
        c3:        QA-t-----------A-aq==R-r)"},
    {"in-turn-3-ok", "each has the key alone, one after the other", R"(
        c1:    Q-A-aq=g==w=R-r                                   | 5 5>4
        c2:     Q--A-x--A----x-A-aq==g==w=R-r                    | 4 4>3
        c3:      Q----A-x---A-x------A-x---A-aq=g==w=R-r         | 3 3>2
        final:                                             *     | 2/3
        probe:                                              P-p)"},
    {"key-leak-2-bad", "the key is there after both have released it", R"(
        c1:      A-a=R-r
        c2:        A-x A-a=R-r
        expiry:                 * | 280)"},
    {"key-leak-none-2-ok", "nothing was left", R"(
        c1:      A-a=R-r
        c2:        A-x A-a=R-r
        expiry:                 * | -2)"},
    {"key-leak-or-granted-2-unknown", "client 1 may have been granted it in the end", R"(
        c1:      A-a=R-r A-?
        c2:        A-x
        expiry:                 * | 280)"},
    {"killed-and-granted-on-2-bad", "client 1 is dead, but the lease that it was promised runs on", R"(
        c1:       A-a==
        crash c1:      []
        c2:              A-a==R-r)"},
    {"killed-and-granted-on-2-unknown", "the library of client 1 may have released the key as it went", R"(
        c1:       A-a==
        crash c1:      []
        c2:              A-a==R-r)"},
    {"killed-and-granted-on-when-over-2-ok", "the lease of client 1 was over when client 2 was granted the key", R"(
        c1:       A-a==   !
        crash c1:      []
        c2:              A-a==R-r)"},
    {"killed-in-its-write-2-ok", "who is killed holds nothing when its lease is over", R"(
        c1:       A-a g  W     !                          | 5 5>4
        crash c1:        []
        c2:        A-x   A-x   A-x   A-a=g=w=R-r          | 4 4>3
        final:                                      *     | 3/1
        probe:                                       P-p)"},
    {"killed-unheard-1-unknown", "client 1 was killed before it heard what came of its acquire, or asked again", R"(
        c1:       A---?A-x
        crash c1:         [])"},
    {"last-exit-does-not-free-2-bad",
     "client 2 is told that the key is taken when nobody has it: the acquire was counted twice", R"(
        c1:      A------a===R-r
        c2:                        A-t       A-a==R-r
        drop c1:    [-])"},
    {"left-on-one-server-of-three-1-bad",
     "what the fault kept back may have left the key on one server, but not on the other", R"(
        partition c1: [--]
        c1:                       A-a=R-r
        expiry:                           **   | 1 9)"},
    {"looked-for-while-in-use-1-unknown", "client 1 had the key when it was looked for, and nobody looked later", R"(
        c1:         A-a==R-r
        expiry:         *        | 280)"},
    {"lost-lock-notification-in-time-2-ok", "the library of client 1 said that its lock was lost within lease and grace", R"(
        c1:        A-a==!=================o======R-x
        c2:               A-a=R-r)"},
    {"lost-lock-notification-never-2-bad", "client 1 was cut off, and its library never said that its lock was lost", R"(
        c1:           A-a==!========================R-x
        c2:                  A-a=R-r
        partition c1:     [--------------------])"},
    {"lost-lock-notification-while-stopped-2-unknown", "client 1 was stopped for most of the time after its lock was lost", R"(
        c1:           A-a==!========================R-x
        c2:                  A-a=R-r
        pause c1:               [-----------]              | 12)"},
    {"machine-stalled-2-unknown", "client 1 was late because the machine stalled it, and for no other reason", R"(
        c1:         A-a=g====!========w=R-x         | 5 5>4
        c2:          A-x  A--x  A-a=g=w=R-r         | 5 5>4
        machine c1:      (----------)
        final:                                *     | 4/2
        probe:                                 P-p)"},
    {"nested-exit-frees-2-bad", "client 2 is granted the key after the nested exit, while client 1 is in", R"(
        c1: A-a   A-a===R-r           R-r
        c2:       A-x      A-a==R-r)"},
    {"nested-exits-2-ok", "client 2 is refused until the last exit, and granted the key after it", R"(
        c1: A-a   A-a===R-r      R-r
        c2:       A-t      A-t       A-a==R-r)"},
    {"no-lock-3-bad", "everybody is granted the key at once, for ever", R"(
        c1:    A-a=g==w===R-r                     | 5 5>4
        c2:     A-a=g==w==R-r                     | 5 5>4
        c3:      A-a====g=w=R-r                   | 4 4>3
        final:                               *    | 3/3
        probe:                               P-p)"},
    {"no-tokens-2-unknown", "no grant carries a token: nothing to compare", R"(
        c1: A-a==R-r
        c2:         A-a==R-r)"},
    {"order-missing-2-bad", "two were told \"sold\", and one order is in the store", R"(
        c1:    A-a=g=w=R-r               | 5 5>4
        c2:               A-a=g=w=R-r    | 4 4>3
        final:                      *    | 3/1
        probe:                      P-p)"},
    {"oversold-decrement-3-bad", "two found one unit and took it: the stock is -1", R"(
        c1:      A-a=g===!=======w=R-x              | 1 1>-1
        c2:               A-a=gw=R-r                | 1 1>0
        c3:                         A-a=g=R-r       | -1
        slow c1:      [---------]                   | 10
        final:                                 *    | -1/2
        probe:                                 P-p)"},
    {"overtaken-3-bad", "client 2 stood in the queue before client 3 asked, and is granted the key after it", R"(
        c1: A-a======R-r
        c2:  QA-t-------------------A-aq=R-r
        c3:        QA-t--A-aq==R-r)"},
    {"overtaken-while-stopped-3-unknown", "who was overtaken had been stopped, which may have cost it its place", R"(
        c1:       A-a======R-r
        c2:        QA-t-------------------A-aq=R-r
        c3:              QA-t--A-aq==R-r
        pause c2:         [----])"},
    {"perhaps-bought-twice-2-unknown", "the sale of client 1 or that of client 2 took the third unit: nobody can tell", R"(
        c1:    A-a=g=W--?==g=W-w=R-r           | 5 5>4 4 4>3
        c2:                          A-a g W?  | 3 3>2
        final:                              *  | 3/1)"},
    {"perhaps-saved-twice-2-unknown", "the result beyond one a task may be of either unknown save", R"(
        c1:    A-a=S-?=R-r  A-a=S-?=R-r        | 1 2
        c2:                A-a=S-k=R-r         | 1
        final:                              *  | 1/2)"},
    {"records-lost-2-unknown", "records of client 2 were lost: anything may be missing", R"(
        c1:      A-a=g=w=R-r               | 5 5>4
        c2:                 A-a=g=w=R-r    | 4 4>3
        lost c2:                      *    | 7
        final:                        *    | 1/4
        probe:                        P-p)"},
    {"reentry-2-ok", "an owner that enters again overlaps nobody", R"(
        c1:    A-a  A-a=g=w=R-r  R-r                   | 5 5>4
        c2:                           A-a=g=w=R-r      | 4 4>3
        final:                                    *    | 3/2
        probe:                                    P-p)"},
    {"refused-behind-a-queue-3-unknown", "client 3 was refused a free key, perhaps because client 2 stood before it", R"(
        c1: A-a A-a=R-r  R-r
        c2:    A-t                            A-a==R-r
        c3:      A-t        A-t)"},
    {"release-answered-late-2-unknown", "the release may have freed its own at once, and been answered late", R"(
        c1: A-a==!R-----------f
        c2:          A-a==========R-f)"},
    {"release-by-one-never-granted-3-bad", "client 2 freed the lock of client 1 without having been granted it", R"(
        c1: A-a================R-x
        c2:      A-x R-f
        c3:              A-a=R-f)"},
    {"release-met-anothers-unseen-2-unknown",
     "client 2's lock went within its lease, and client 1's release was perhaps still on its way", R"(
        c1: A-a==R-----------?
        c2:            A-a=====R-x)"},
    {"release-result-of-a-lost-lock-2-ok", "the release of client 1 said that its lock was lost", R"(
        c1:       A-a==!==========R-x
        c2:               A-a=R-r)"},
    {"release-result-while-lost-2-unknown", "the release of client 1 may have come first", R"(
        c1:       A-a==!====R--------r
        c2:               A------a=R-r)"},
    {"release-result-wrong-2-bad",
     "the release of client 1 said that it freed its lock, which client 2 had been granted and had released", R"(
        c1:       A-a==!==========R-r
        c2:               A-a=R-r
        pause c1:     [---------]             | 10)"},
    {"released-by-a-non-owner-3-bad", "client 1 freed the lock of client 2, so that client 3 was granted it too", R"(
        c1:       A-a=g==!==========R-r                 | 5
        c2:        A-x  A--x  A-a=======g=w=R-r         | 5 5>4
        c3:         A-x     A-x    A---a=g=R-r          | 5
        pause c1:      [-----------]
        final:                                     *    | 4/1
        probe:                                     P-p)"},
    {"releases-and-acquires-touch-2-ok", "a release under way and a grant under way may be in either order", R"(
        c1:    A-a=g=w=R---r             | 5 5>4
        c2:      A-----a==g=w=R-r        | 4 4>3
        final:                     *     | 3/2
        probe:                      P-p)"},
    {"said-to-free-its-lost-lock-3-unknown",
     "the library of client 1 said that it freed its own lock, which was client 3's by then", R"(
        c1:  A-a==!==================R-r
        c2:           A-a==R-r
        c3:                     A-a=======R-x)"},
    {"said-to-free-its-lost-lock-and-nothing-was-there-3-ok",
     "client 3's key had been deleted: a library may say of nothing that it freed it", R"(
        c1:             A-a==!==================R-r
        c2:                      A-a==R-r
        c3:                                A-a=======R-x
        delete-key n1:                        [])"},
    {"saved-once-2-ok", "one result in the store: the save of unknown outcome was not done", R"(
        c1:    A-a=S-?=R-r                     | 1
        c2:                A-a=S-k=R-r         | 1
        final:                              *  | 1/1)"},
    {"saved-twice-2-bad", "client 1 saved, with its lease over, what client 2 had saved", R"(
        c1:       A-a==!==========S-k=R-x      | 7
        c2:               A-a=S-k=R-r          | 7
        pause c1:     [---------]              | 10
        final:                              *  | 1/2)"},
    {"stale-holder-2-bad", "client 1 was stopped past its lease, and wrote over the order of client 2", R"(
        c1:       A-a=g==!==========w=R-x         | 5 5>4
        c2:        A-x  A--x  A-a=g=w=R-r         | 5 5>4
        pause c1:      [----------]               | 11
        final:                              *     | 4/2
        probe:                               P-p)"},
    {"stale-token-refused-2-ok", "the store refuses the smaller token", R"(
        c1:    A-a=g!=============W-xR-x  | #4 5#4 5>4#4
        c2:            A-a=g=w=R-r        | #5 5#5 5>4#5
        final:                         *  | 4/1)"},
    {"stale-token-taken-2-bad", "the store takes token 4 after token 5", R"(
        c1:       A-a=g!===========w=R-x     | #4 5#4 5>4#4
        c2:               A-a=g=w=R-r        | #5 5#5 5>4#5
        pause c1:      [----------]          | 11
        final:                            *  | 4/2)"},
    {"stale-write-held-on-the-wire-2-bad",
     "the write of client 1 was held past its lease, and took effect after those of client 2", R"(
        c1:      A-a=g==W--!-----------wR-x          | 5 5>4
        c2:       A-x  A--x    A-agwR-rA-agwR-r      | 5 5>4 4 4>3
        hold c1:      [---------------]              | 16
        final:                                 *     | 3/3
        probe:                                  P-p)"},
    {"stopped-while-idle-1-unknown", "client 1 was stopped for most of the time in which it was to send nothing", R"(
        c1:       A-a==R-rI---------i
        pause c1:          [------]     | 7)"},
    {"stuck-key-2-bad", "the key of a client that was killed never expires", R"(
        c1:       A-?
        crash c1:  []
        c2:         A-a=g=w=R-r                                    | 5 5>4
        c3:                     A-a==g=w=R-r                       | 4 4>3
        final:                              *                      | 3/2
        probe:                              P-------------------x
        expiry:                                                 *  | -1)"},
    {"token-goes-back-2-bad", "token 1 after token 5: the counter was lost in the restart", R"(
        c1:         A-a===R-r               | #5
        c2:                      A-a===R-r  | #1
        restart n1:           [-])"},
    {"token-minted-late-2-unknown",
     "client 1's token is above client 2's: it was granted the key first, or within client 2's lease", R"(
        c1:     A-----a=R-r             | #2
        c2:       A---------a====R-r    | #1)"},
    {"torn-read-2-bad", "client 1 looked while client 2 wrote, its own lease being over", R"(
        c1:       A-b==L--!-----------l=R-x  | 7/8
        c2:               A-a=W-u=R-r        | 7>8
        pause c1:        [----------]        | 10)"},
    {"tried-again-2-ok", "each sale took one unit, however often it was tried", R"(
        c1:    A-a=g=W--x==g=W-?==g=W-w=R-r                | 5 5>4 4 4>3 4 4>3
        c2:      A-a=g=w=R-r                               | 5 5>4
        final:                                          *  | 3/2)"},
    {"unchecked-releases-of-their-own-2-ok", "a release that does not look, within its lease", R"(
        c1: A-a===R-f
        c2:     A----a===R-f)"},
    {"units-vanished-2-bad", "the stock fell by 3, and two were sold", R"(
        c1:    A-a=g=w=R-r               | 5 5>4
        c2:               A-a=g=w=R-r    | 4 4>3
        final:                      *    | 2/2
        probe:                      P-p)"},
    {"unknown-outcomes-3-ok", "neither an acquire nor a release of unknown outcome is a hold", R"(
        c1:      A---?R-?         A-a=g=W--?R-?                  | 4 4>3
        c2:             A-a=g=w=R-r                              | 5 5>4
        c3:                                     A-a=g=w=R-r      | 3 3>2
        drop n1: [--------------]
        final:                                              *    | 2/2
        probe:                                              P-p)"},
    {"wait-too-long-2-bad", "client 2 gives up and asks again while client 1 is granted the key again and again", R"(
        c1:     QA-aq==R-r QA-aq==R-r QA-aq==R-r
        c2:      Q-A---x--x Q-A-----x--x  Q-A-aq=R-r)"},
    {"waits-short-2-ok", "nobody waited for longer than 20 ms", R"(
        c1:     QA-aq==R-r QA-aq==R-r
        c2:      Q-A---x--A-aq==R-r)"},
    {"waits-while-stopped-2-unknown", "client 2 was stopped while it waited: by itself it may have waited for less", R"(
        c1:        QA-aq==R-r QA-aq==R-r
        c2:         Q-A---x--------------A-aq==R-r
        pause c2:          [-------])"},
    {"watchdog-extends-2-ok", "the lease was extended in time, again and again", R"(
        c1:    A-a==E-e==E-e==g====w=R-r                 | 5 5>4
        c2:     A-x   A-x   A-x   A-x A-a=g=w=R-r        | 4 4>3
        final:                                     *     | 3/2
        probe:                                      P-p)"},
    {"whole-reads-3-ok", "each saw both halves alike", R"(
        c1: A-b==L-l=R-r                              | 7/7
        c2:                A-a=W-u=R-r                | 7>8
        c3:                             A-b==L-l=R-r  | 8/8)"},
    {"wrong-release-2-bad", "client 1 was stopped past its lease and freed the lock of client 2", R"(
        c1:       A-a==!==========R-f
        c2:                A-a===========R-x
        pause c1:     [---------]             | 9)"},
};
// clang-format on

std::filesystem::path Folder() {
  return std::filesystem::path(SourceDir()) / "checker" / "testdata";
}

Result<History> HistoryOf(const GoldenDrawingsDrawn& drawn) {
  return ReadJsonlFile(Folder() / (std::string(drawn.name) + ".jsonl"));
}

// Sets endless leases for lock `none`, because lanes cannot draw these.
History FromPicture(const GoldenDrawingsDrawn& drawn) {
  History history = FromLanes(drawn.picture);
  for (Event& event : history.events) {
    const bool grant = event.op == Op::kAcquire && event.type == EventType::kOk;
    if (drawn.name.starts_with("no-lock") && grant)
      event.value[0] = std::numeric_limits<int64_t>::max();
  }
  return history;
}

std::string InOneLine(const Event& event) {
  return fmt::format("{} {} {}.{} key {} {} {} hold {} values {}", event.at_ns, Name(event.task),
                     event.client, event.thread, event.key, Name(event.op), Name(event.type),
                     event.hold, fmt::join(event.value, " "));
}

// Writes the history of a drawing with every claim that it decides, and returns the file.
std::filesystem::path Propose(const GoldenDrawingsDrawn& drawn) {
  History history = FromPicture(drawn);
  history.facts.claims.clear();
  for (const CheckerEntry& entry : Checkers()) history.facts.claims.emplace_back(entry.claim);
  const RunVerdict verdict = Judge(history);
  history.facts.claims.clear();
  for (const ClaimVerdict& claim : verdict.claims) {
    if (claim.outcome == Outcome::kUnknown && !drawn.name.ends_with("unknown")) continue;
    history.facts.claims.push_back(claim.claim);
    history.facts.expect[claim.claim] = Name(claim.outcome);
  }
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / (std::string(drawn.name) + ".jsonl");
  std::ofstream out(file);
  WriteJsonl(history, out);
  return file;
}

class GoldenDrawing : public ::testing::TestWithParam<GoldenDrawingsDrawn> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(history_.has_value())
        << history_.error().message << "; a proposal: " << Propose(GetParam());
  }

  const Result<History> history_ = HistoryOf(GetParam());
};

TEST_P(GoldenDrawing, EqualsItsFile) {
  const History drawn = FromPicture(GetParam());
  for (size_t i = 0; i < std::min(history_->events.size(), drawn.events.size()); ++i)
    ASSERT_EQ(InOneLine(history_->events[i]), InOneLine(drawn.events[i])) << "event " << i;
  EXPECT_EQ(history_->events.size(), drawn.events.size());
}

TEST_P(GoldenDrawing, HasTheVerdictInItsName) {
  const RunVerdict verdict = Judge(*history_);
  const std::string_view word = GetParam().name.substr(GetParam().name.rfind('-') + 1);
  const Outcome expected = word == "ok"    ? Outcome::kValid
                           : word == "bad" ? Outcome::kViolated
                                           : Outcome::kUnknown;
  EXPECT_TRUE(word == "ok" || word == "bad" || word == "unknown") << word;
  EXPECT_EQ(Name(verdict.overall), Name(expected)) << GetParam().why << "\n" << ToText(verdict);
  EXPECT_TRUE(verdict.as_expected) << GetParam().why << "\n" << ToText(verdict);
  EXPECT_FALSE(verdict.facts.expect.empty());
  EXPECT_EQ(verdict.claims.size(), verdict.facts.claims.size());
  for (const ClaimVerdict& claim : verdict.claims)  // `any` is refused here
    EXPECT_EQ(Name(claim.outcome), ExpectedOf(verdict.facts, claim.claim)) << claim.claim;
}

TEST_P(GoldenDrawing, NoValidVerdictContradictsItsMargin) {
  EXPECT_EQ(brute::FindMissedMargin(*history_), "");
}

TEST_P(GoldenDrawing, HasTheSameVerdictAfterWritingAndReadingEitherFormat) {
  const nlohmann::json verdict = ToJson(Judge(*history_));

  std::stringstream jsonl;
  WriteJsonl(*history_, jsonl);
  const std::string text = jsonl.str();
  TextSource source(text, "again");
  const Result<History> from_jsonl = ReadJsonl(source);
  ASSERT_TRUE(from_jsonl.has_value()) << from_jsonl.error().message;
  EXPECT_EQ(ToJson(Judge(*from_jsonl)), verdict);

  const std::filesystem::path binary =
      std::filesystem::temp_directory_path() / ("doublehold-golden-" + std::to_string(getpid()));
  ASSERT_TRUE(WriteBinaryFile(*history_, binary).has_value());
  const Result<History> from_binary = ReadBinaryFile(binary);
  std::filesystem::remove(binary);
  ASSERT_TRUE(from_binary.has_value()) << from_binary.error().message;
  EXPECT_EQ(ToJson(Judge(*from_binary)), verdict);
}

INSTANTIATE_TEST_SUITE_P(Testdata, GoldenDrawing, ::testing::ValuesIn(kGoldenDrawingsDrawn),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(GoldenDrawings, EveryFileIsDrawn) {
  std::set<std::string> files, drawn;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    if (entry.path().extension() == ".jsonl") files.insert(entry.path().stem());
  }
  for (const GoldenDrawingsDrawn& one : kGoldenDrawingsDrawn) drawn.emplace(one.name);
  EXPECT_EQ(files, drawn);
}

TEST(GoldenDrawings, EveryClaimHasAValidAnUnknownAndAViolatedHistory) {
  std::set<std::string> expected;
  for (const GoldenDrawingsDrawn& drawn : kGoldenDrawingsDrawn) {
    const Result<History> history = HistoryOf(drawn);
    ASSERT_TRUE(history.has_value()) << history.error().message;
    for (const std::string& claim : history->facts.claims)
      expected.insert(claim + " " + ExpectedOf(history->facts, claim).value_or("any"));
  }
  for (const CheckerEntry& entry : Checkers()) {
    for (const Outcome outcome : {Outcome::kValid, Outcome::kUnknown, Outcome::kViolated}) {
      const std::string wanted = fmt::format("{} {}", entry.claim, Name(outcome));
      EXPECT_TRUE(expected.contains(wanted)) << wanted;
    }
  }
}

}  // namespace
}  // namespace doublehold
