#!/usr/bin/env bash
# Installs what Doublehold needs from Debian 12, by package name, and says what it installs.
#
#   ./setup.sh            what `make build`, `make test` and `make demo` need
#   ./setup.sh --tidy     also clang-tidy, and two versions of clang, one with libFuzzer
#   ./setup.sh --drivers  also what the drivers of other languages need (drivers/), except programs
#                         that are in PATH already
#   ./setup.sh --services also ZooKeeper, etcd, PostgreSQL, MariaDB, and their client libraries
#   ./setup.sh --batch    also Slurm and containers, to test examples/
#   ./setup.sh --list     print the package names, install nothing
#
# Quick when nothing is missing. Without root it prints the exact line to run and exits 4.
set -euo pipefail

packages=(
  g++ make cmake ninja-build pkg-config ccache mold
  redis-server
  iproute2 iptables
  libhiredis-dev
  liblua5.1-0-dev
  libboost-dev libboost-context-dev libboost-program-options-dev
  libexpected-dev nlohmann-json3-dev libtomlplusplus-dev libfmt-dev libsimdjson-dev
  libgtest-dev libbenchmark-dev
  python3 python3-matplotlib python3-jinja2
  clang-format-14
)
tidy_packages=(clang-14 clang-16 clang-tidy-14 libclang-rt-14-dev python3-clang-16)
service_packages=(
  stunnel4
  zookeeper libzookeeper-mt-dev etcd-server libcurl4-openssl-dev
  postgresql-15 libpq-dev pgbouncer mariadb-server galera-4 libmariadb-dev
)
batch_packages=(slurmctld slurmd slurm-client munge docker.io docker-compose mmdebstrap)
driver_programs=(pip3:python3-pip javac:default-jdk-headless mvn:maven node:nodejs npm:npm go:golang-go cargo:cargo-web php:php-cli)
driver_packages=(php-redis php-illuminate-cache php-illuminate-redis php-symfony-lock)

case "${1:-}" in
  "") ;;
  --tidy) packages+=("${tidy_packages[@]}") ;;
  --services) packages+=("${service_packages[@]}") ;;
  --batch) packages+=("${batch_packages[@]}") ;;
  --drivers)
    for pair in "${driver_programs[@]}"; do
      command -v "${pair%%:*}" >/dev/null || packages+=("${pair#*:}")
    done
    packages+=("${driver_packages[@]}") ;;
  --list) printf '%s\n' "${packages[@]}" "${tidy_packages[@]}" "${service_packages[@]}" "${batch_packages[@]}" "${driver_programs[@]#*:}" "${driver_packages[@]}"; exit 0 ;;
  *) echo "setup.sh: unknown option '$1' (--tidy, --drivers, --services, --batch, --list)" >&2; exit 3 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "setup.sh: this is not a Debian system; install the equivalents of: ${packages[*]}" >&2
  exit 4
fi

missing=()
installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${binary:Package}\n' 2>/dev/null |
  awk '$1 == "ii" { sub(/:.*/, "", $2); print $2 }')
for package in "${packages[@]}"; do
  grep -qx -- "$package" <<<"$installed" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

install=(apt-get install -y --no-install-recommends "${missing[@]}")
if [ "$(id -u)" -ne 0 ]; then
  echo "setup.sh: missing packages. Run this line, then try again:" >&2
  echo "  sudo apt-get update && sudo ${install[*]}" >&2
  exit 4
fi

echo "setup.sh: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
# Debian starts each packaged server as a service. Doublehold starts its own servers, so this policy
# keeps those of Debian from running.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
  trap 'rm -f "$log" "$policy"' EXIT
fi
# One line that changes in a terminal; elsewhere, one for every fifty packages.
show_progress() {
  local terminal=""
  if [ -t 1 ]; then terminal=1; fi
  awk -v terminal="$terminal" '
    / newly installed,/ { all = $3 }
    /^Unpacking / { unpacked++; changed = 1 }
    /^Setting up / { ready++; changed = 1 }
    changed && (terminal || (unpacked + ready) % 50 == 0) {
      printf "%ssetup.sh: of %d packages %d unpacked, %d ready%s",
        terminal ? "\r" : "", all, unpacked, ready, terminal ? "" : "\n"
      fflush()
    }
    { changed = 0 }
    END { if (terminal && unpacked) print "" }'
}

if ! { apt-get update && "${install[@]}"; } 2>&1 | tee "$log" | show_progress; then
  tail -n 20 "$log" >&2
  echo "setup.sh: could not install: ${missing[*]}" >&2
  exit 4
fi
echo "setup.sh: done"
