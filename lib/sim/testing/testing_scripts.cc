#include "lib/sim/testing/testing_scripts.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "lib/base/paths.h"

namespace doublehold::testing {
namespace {

constexpr std::string_view kProbes[] = {
    "return redis.call('nosuch', 'a')",
    "return redis.call('get')",
    "return redis.call()",
    "return redis.call('multi')",
    "return redis.call('set', KEYS[1], {})",
    "return redis.pcall('get')",
    "return redis.call('incr', KEYS[1])",
    "\n\n return redis.call('hget', KEYS[1], 'a')",
    "local r = redis.pcall('incr', KEYS[1]) if type(r) == 'table' then return r.err end return r",
    "local ok, e = pcall(redis.call, 'incr', KEYS[1]) if ok then return e end return e.err",
    "return {1, 2, nil, 3}",
    "return {1, {2, 'a', false, true}, redis.call('get', KEYS[1])}",
    "return {ok = 'fine'}",
    "return {err = 'BAD luck'}",
    "return {err = 'luck'}",
    "return redis.error_reply('BAD luck')",
    "return redis.error_reply('-BAD luck')",
    "return redis.error_reply('luck')",
    "return redis.status_reply('fine')",
    "return {redis.error_reply('-BAD luck'), redis.status_reply('fine')}",
    "return 3.99",
    "return -3.99",
    "return '3.99'",
    "return true",
    "return false",
    "return nil",
    "return",
    "return print",
    "x = 1",
    "redis = 1",
    "redis.x = 1",
    "return nosuch",
    "error('x')",
    "error({err = 'BAD x'})",
    "local a = nil return a.b",
    "return 1 + {}",
    "return tostring(1e15) .. tostring(0.1) .. tostring(1e100)",
    "return redis.call('set', KEYS[1], 0.1)",
    "return redis.call('set', KEYS[1], 1e15 + 1)",
    "return redis.call('set', KEYS[1], 1700000000005 + 0.5)",
    "return redis.call('set', KEYS[1], -0.0000001)",
    "redis.call('pexpire', KEYS[1], 1) return redis.call('pttl', KEYS[1])",
    "redis.call('pexpire', KEYS[1], 0) return redis.call('exists', KEYS[1])",
    "redis.call('set', KEYS[1], 'x', 'px', 5) return {redis.call('pttl', KEYS[1]), #KEYS, #ARGV}",
    "return redis.call('set', KEYS[1], 'x', 'nx')",
    "return redis.call('hgetall', KEYS[1])",
    "return redis.call('type', KEYS[1]).ok",
    "return redis.call('type', KEYS[1])",
    "return KEYS[2]",
    "return ARGV",
    "return string.format('%d', 7) .. table.concat({1, 2}, ',') .. math.floor(2.5)",
    "return tonumber('0x10')",
    "return (",
    "return 1 return 2",
    "redis.call('set', KEYS[1], 1) redis.call('hset', KEYS[1], 1, 1)",
    "redis.call('publish', KEYS[1], 'x') return redis.call('dbsize')",
    "return redis.call('set', KEYS[1], 1 / 0)",
    "return redis.call('set', KEYS[1], 0 / 0)",
    "return redis.call('set', KEYS[1], -0)",
    "return redis.call('set', KEYS[1], 2 ^ 53)",
    "return redis.call('set', KEYS[1], 2 ^ 63)",
    "return redis.call('set', KEYS[1], 1e17)",
    "return redis.call('set', KEYS[1], 1e300 * 1e10)",
    "return redis.call('hincrby', KEYS[1], 'a', 1.5)",
    // Deletes the field again, because other scripts count down from the number in a field.
    "local n = redis.call('hincrby', KEYS[1], 'b', 1e15) redis.call('hdel', KEYS[1], 'b') return n",
    "return redis.call('pexpire', KEYS[1], 1.5)",
    "return redis.call('zadd', KEYS[1], 0.1, 'a')",
    "return redis.call('zincrby', KEYS[1], -1 / 0, 'a')",
    "return {2 ^ 63, -2 ^ 63, 1 / 0, -1 / 0, 0 / 0, 2 ^ 53 + 1}",
    "return {redis.pcall('incr', KEYS[1])}",
    "return tonumber(redis.call('get', KEYS[1])) + 1",
    "return redis.call('get', KEYS[1]) + 1",
    "return redis.call('get', KEYS[1]) == false",
    "return #redis.call('lrange', KEYS[1], 0, -1)",
    "return {a = 1}",
    "return {[1] = 1, [3] = 3}",
    "return {err = 1}",
    "return {ok = 1}",
    "return {ok = 'a\\r\\nb'}",
    "return {err = 'a\\r\\nb'}",
    "return {err = ''}",
    "return redis.error_reply('')",
    "return redis.error_reply('-')",
    "return redis.error_reply('- x')",
    "return redis.error_reply('-X')",
    "return redis.error_reply(' x')",
    "return redis.error_reply(1)",
    "return redis.status_reply()",
    "return select('#', 1, nil)",
    "return pcall(error, 'x')",
    "return {pcall(error, 'x')}",
    "return {pcall(error, {err = 'BAD x'})}",
    "assert(false, 'why')",
    "assert(nil)",
    "assert(false, {err = 'BAD why'})",
    "error()",
    "error('x', 0)",
    "error('x', 2)",
    "return redis.call('get', nil)",
    "return redis.call('get', true)",
    "return redis.call('set', KEYS[1], 'x', 'px', 0)",
    "return redis.call('watch', KEYS[1])",
    "return redis.call('eval', 'return 1', 0)",
    "return redis.call('wait', 0, 0)",
    "return redis.call('mget', KEYS[1], KEYS[1])",
    "return redis.call('lpop', KEYS[1], 2)",
    "return redis.call('zrange', KEYS[1], 0, -1, 'withscores')",
    "local function f() return redis.call('incr', KEYS[1]) end return f()",
    "return string.rep('ab', 3) .. #'xyz' .. tostring(nil) .. tostring(true)",
    "KEYS[1] = 'q' return KEYS[1]",
    "ARGV = nil",
    "local s = 'x' return s:upper() .. ('y'):len()",
    "return {1, {err = 'BAD in'}, 3}",
    "return {{}, {{}}}",
    "return 1e15 .. ''",
    "return 0.1 + 0.2",
    "return '' .. 100000000000000",
    "return '' .. 1700000000005",
    "return '' .. 170000000000512345",
};

std::string ReadWhole(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Concatenates the string literals and named constants that begin at `at` in a source. Stops at ';'
// or at the closing parenthesis.
std::string ReadLiterals(const std::string& source, size_t at) {
  std::string text;
  for (int open = 1; at < source.size() && source[at] != ';'; ++at) {
    if (source[at] == '(') ++open;
    if (source[at] == ')' && --open == 0) break;
    if (source[at] == 'k') {
      size_t end = at;
      while (std::isalnum(static_cast<unsigned char>(source[end])) != 0) ++end;
      const std::string start = "constexpr std::string_view " + source.substr(at, end - at) + " =";
      const size_t constant = source.find(start);
      if (constant != std::string::npos) text += ReadLiterals(source, constant + start.size());
      at = end - 1;
    } else if (source[at] == '"') {
      for (++at; source[at] != '"'; ++at) {
        if (source[at] == '\\') ++at;
        text += source[at];
      }
    }
  }
  return text;
}

}  // namespace

std::span<const std::string_view> ProbeScripts() { return kProbes; }

std::vector<Script> ShippedScripts() {
  constexpr std::string_view kStart = "Script script(";
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"lib/locks", "workloads"}) {
    for (const auto& each : std::filesystem::recursive_directory_iterator(
             std::filesystem::path(SourceDir()) / folder)) {
      const std::string name = each.path().filename().string();
      if (name.ends_with(".cc") && !name.ends_with("_test.cc")) paths.push_back(each.path());
    }
  }
  std::ranges::sort(paths);
  std::vector<Script> scripts;
  for (const auto& path : paths) {
    const std::string source = ReadWhole(path);
    for (size_t at = source.find(kStart); at != std::string::npos; at = source.find(kStart, at + 1))
      scripts.emplace_back(ReadLiterals(source, at + kStart.size()));
  }
  return scripts;
}

}  // namespace doublehold::testing
