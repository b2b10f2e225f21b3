#!/bin/sh
# A driver to copy, in shell: SET NX PX and a compare-and-delete by redis-cli. Each request runs in
# a process of its own.
#
#     doublehold driver check -- sh drivers/template.sh
#     doublehold run --driver 'sh drivers/template.sh' --lease 1s --faults pause
#
# Put your own commands into acquire and release. The rest is the protocol: docs/driver-protocol.md.

DELETE="if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end"

# Returns a field of the request: a text or an integer. Requests contain no spaces, and these texts
# no quotes. If several nodes have the field, the last one counts.
text() { printf '%s\n' "$line" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
number() { printf '%s\n' "$line" | sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"; }
now_ms() { date +%s%3N; }
answer() { printf '{"id":%s,%s}\n' "$id" "$1"; }
failed() { answer "\"error\":{\"text\":\"redis-cli: $(printf '%s' "$1" | tr -c '[:alnum:] ' ' ')\"}"; }

acquire() {
  grant="$(text key)=$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')"
  give_up=$(($(now_ms) + $(number wait_ms)))
  while :; do
    reply=$(redis-cli -h "$host" -p "$port" set "$(text key)" "$grant" nx px "$(number lease_ms)" 2>&1)
    case $reply in
      OK) answer "\"ok\":{\"grant\":\"$grant\"}" && return ;;
      "") [ "$(now_ms)" -lt "$give_up" ] || { answer '"no":{}' && return; } ;;
      *) failed "$reply" && return ;;
    esac
    sleep 0.01
  done
}

release() {
  grant=$(text grant)
  reply=$(redis-cli -h "$host" -p "$port" eval "$DELETE" 1 "${grant%=*}" "$grant" 2>&1)
  case $reply in
    1) answer '"ok":{}' ;;
    0) answer '"no":{}' ;;
    *) failed "$reply" ;;
  esac
}

while read -r line; do
  id=$(number id)
  case $(text op) in
    hello)
      case $line in
        *'"options":{}'*) answer '"ok":{"protocol":1,"name":"template.sh","version":"1","can":["lease"]}' ;;
        *) answer '"error":{"text":"there are no options"}' ;;
      esac ;;
    setup) host=$(text host) port=$(number port) && answer '"ok":{}' ;;
    acquire) acquire & ;;
    release) release & ;;
    bye) answer '"ok":{}' && exit ;;
  esac
done
