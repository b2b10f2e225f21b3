// Where the rows of claim_trials.h are: each file describes its own.
#ifndef DOUBLEHOLD_CHECKER_TESTING_ORACLE_ROWS_H_
#define DOUBLEHOLD_CHECKER_TESTING_ORACLE_ROWS_H_

#include "checker/testing/oracle/claim_trials.h"

namespace doublehold::brute {

ClaimTrials ExclusionTrials();
ClaimTrials LeaseExclusionTrials();
ClaimTrials ReleaseTrials();
ClaimTrials ReleaseResultTrials();
ClaimTrials LostLockNotificationTrials();
ClaimTrials AvailabilityTrials();
ClaimTrials FencingTrials();
ClaimTrials StockTrials();
ClaimTrials ExactlyOnceTrials();
ClaimTrials TornReadTrials();
ClaimTrials OrderTrials();
ClaimTrials ReentryTrials();

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_ROWS_H_
