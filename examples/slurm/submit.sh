#!/bin/bash
# Runs a suite as an array job, and merges its parts:
#
#     submit.sh SUITE PARTS RESULTS
#
# SUITE: a suite file, or a name such as npc. RESULTS: a folder that every node can write.
# `doublehold plan-shards SUITE --minutes 30` says how many PARTS to use. JOBS: parallel runs on a
# node (default 2). To repeat a part that died, and merge again:
#
#     PART=3 submit.sh SUITE PARTS RESULTS
set -euo pipefail

[ $# -eq 3 ] || { sed -n '2,12s/^# \{0,1\}//p' "$0" >&2; exit 3; }
here=$(cd "$(dirname "$0")" && pwd)
export SUITE=$1 PARTS=$2
mkdir -p "$3"
export RESULTS=$(realpath "$3")
parts=$(sbatch --parsable --array="${PART:-1-$PARTS}" --output="$RESULTS/part-%a.log" "$here/part.sbatch")
merge=$(sbatch --parsable --dependency="afterany:$parts" --output="$RESULTS/merge.log" "$here/merge.sbatch")
echo "parts: job $parts; merge: job $merge; results: $RESULTS/merged"
