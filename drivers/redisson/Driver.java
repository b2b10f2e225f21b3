import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.RedissonMultiLock;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.SingleServerConfig;

/** Redisson's locks, as released: --driver redisson, or redisson@3.17.7. */
final class Driver implements Protocol.Library {
  private static final List<String> KINDS = List.of("lock", "fair", "spin", "fenced", "read-write", "multi", "redlock");

  // Options with their defaults; an empty default means the library's own.
  private final Map<String, String> options =
      new TreeMap<>(Map.of("kind", "lock", "watchdog", "no", "unit", "milliseconds", "timeout_ms", "", "retry_attempts", "", "retry_interval_ms", ""));
  // The first node; for a redlock all nodes.
  private final List<RedissonClient> nodes = new ArrayList<>();
  private final Map<String, RLock> granted = new ConcurrentHashMap<>();

  public static void main(String[] words) throws Exception {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
    System.setProperty("org.slf4j.simpleLogger.showDateTime", "true");
    System.setProperty("org.slf4j.simpleLogger.dateTimeFormat", "HH:mm:ss.SSS");
    new Protocol(new Driver()).run();
  }

  @Override
  public JsonObject hello(JsonObject asked) {
    Protocol.take(options, asked);
    Protocol.must(KINDS.contains(kind()), "kind: one of " + String.join(", ", KINDS));
    Protocol.must(List.of("yes", "no").contains(options.get("watchdog")), "watchdog: yes or no");
    Protocol.must(List.of("milliseconds", "seconds").contains(options.get("unit")), "unit: milliseconds or seconds");
    for (String name : List.of("timeout_ms", "retry_attempts", "retry_interval_ms"))
      Protocol.must(options.get(name).matches("[0-9]{0,9}"), name + ": a whole number");
    Protocol.must(!kind().equals("fenced") || fencedLock() != null, "kind: this version of Redisson has no fenced lock");
    List<String> can = new ArrayList<>(List.of("lease"));
    if (hasWatchdog()) can.add("watchdog");
    if (kind().equals("fenced")) can.add("token");
    if (kind().equals("read-write")) can.add("read-write");
    if (kind().equals("multi")) can.add("keys-together");
    // The majorities of a redlock may be different nodes. It also ignores every exception of an
    // unlock.
    can.add(kind().equals("redlock") ? "silent-release" : "reentrant");
    return Protocol.hello("redisson " + kind(), Redisson.class, "redis", can);
  }

  @Override
  public void setup(JsonObject setup) {
    for (JsonElement node : setup.getAsJsonArray("nodes")) {
      if (nodes.isEmpty() || kind().equals("redlock"))
        nodes.add(connected(configOf(node.getAsJsonObject(), setup.get("lease_ms").getAsLong())));
    }
  }

  /** A JVM that has just started can need longer for its first commands than timeout_ms allows. */
  private static RedissonClient connected(Config config) {
    for (int tries = 1;; ++tries) {
      try {
        return Redisson.create(config);
      } catch (RedisConnectionException slow) {
        if (tries == 3) throw slow;
      }
    }
  }

  /** The library's defaults, with fewer threads and idle connections. */
  private Config configOf(JsonObject node, long leaseMs) {
    // Locks have a codec of their own.
    Config config = new Config().setThreads(4).setNettyThreads(4).setCodec(StringCodec.INSTANCE);
    if (hasWatchdog()) config.setLockWatchdogTimeout(leaseMs);
    SingleServerConfig server = config.useSingleServer().setConnectionMinimumIdleSize(1);
    server.setAddress("redis://" + node.get("host").getAsString() + ":" + node.get("port").getAsInt());
    if (!options.get("timeout_ms").isEmpty()) server.setTimeout(number("timeout_ms"));
    if (!options.get("retry_attempts").isEmpty()) server.setRetryAttempts(number("retry_attempts"));
    if (!options.get("retry_interval_ms").isEmpty()) server.setRetryInterval(number("retry_interval_ms"));
    return config;
  }

  @Override
  public JsonObject acquire(JsonObject request) throws Exception {
    String key = request.get("key").getAsString();
    RLock lock = request.has("also") ? lockOfAll(key, request.getAsJsonArray("also")) : lockOf(key, request.has("mode"));
    TimeUnit unit = options.get("unit").equals("seconds") ? TimeUnit.SECONDS : TimeUnit.MILLISECONDS;
    long unitMs = unit.toMillis(1);
    long wait = request.get("wait_ms").getAsLong() / unitMs;
    long lease = hasWatchdog() ? -1 : (request.get("lease_ms").getAsLong() + unitMs - 1) / unitMs;
    JsonObject ok = new JsonObject();
    if (!hasWatchdog()) ok.addProperty("validity_ms", unit.toMillis(lease)); // the lease may be rounded up
    if (kind().equals("fenced")) {
      Long token = (Long) tryLockAndGetToken(lock, wait, lease, unit);
      if (token == null) return null;
      ok.addProperty("token", token);
    } else if (!lock.tryLock(wait, lease, unit)) {
      return null;
    }
    String grant = UUID.randomUUID().toString();
    granted.put(grant, lock);
    ok.addProperty("grant", grant);
    return ok;
  }

  @Override
  public boolean release(JsonObject request) {
    RLock lock = granted.remove(request.get("grant").getAsString());
    if (lock == null) return false;
    try {
      lock.unlock();
      return true;
    } catch (IllegalMonitorStateException notOurs) {
      return false;
    } catch (CompletionException several) { // from a multi-lock
      if (several.getCause() instanceof IllegalMonitorStateException) return false;
      throw several;
    }
  }

  private RLock lockOf(String key, boolean reads) throws Exception {
    RedissonClient first = nodes.get(0);
    return switch (kind()) {
      case "fair" -> first.getFairLock(key);
      case "spin" -> first.getSpinLock(key);
      case "fenced" -> (RLock) fencedLock().invoke(first, key);
      case "read-write" -> reads ? first.getReadWriteLock(key).readLock() : first.getReadWriteLock(key).writeLock();
      case "multi" -> new RedissonMultiLock(first.getLock(key), first.getLock(key + ":2"));
      case "redlock" -> new RedissonRedLock(nodes.stream().map(node -> node.getLock(key)).toArray(RLock[]::new));
      default -> first.getLock(key);
    };
  }

  private RLock lockOfAll(String key, JsonArray also) {
    List<RLock> locks = new ArrayList<>(List.of(nodes.get(0).getLock(key)));
    for (JsonElement next : also) locks.add(nodes.get(0).getLock(next.getAsString()));
    return new RedissonMultiLock(locks.toArray(RLock[]::new));
  }

  // Looked up by name, so that this compiles with versions that lack it.
  private static Method fencedLock() {
    try {
      return RedissonClient.class.getMethod("getFencedLock", String.class);
    } catch (NoSuchMethodException none) {
      return null;
    }
  }

  private static Object tryLockAndGetToken(RLock lock, long wait, long lease, TimeUnit unit) throws Exception {
    Method call = fencedLock().getReturnType().getMethod("tryLockAndGetToken", long.class, long.class, TimeUnit.class);
    try {
      return call.invoke(lock, wait, lease, unit);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause() instanceof Exception cause ? cause : thrown;
    }
  }

  private String kind() {
    return options.get("kind");
  }

  private boolean hasWatchdog() {
    return options.get("watchdog").equals("yes");
  }

  private int number(String name) {
    return Integer.parseInt(options.get(name));
  }
}
