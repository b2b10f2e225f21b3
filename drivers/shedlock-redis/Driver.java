import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * ShedLock's RedisLockProvider for Spring Data Redis, as released: --driver shedlock-redis, or
 * shedlock-redis@5.16.0. The library does not wait, so the driver tries again.
 */
final class Driver implements Protocol.Library {
  // Options with their defaults; an empty default means the client's own.
  private final Map<String, String> options =
      new TreeMap<>(Map.of("client", "lettuce", "safe_update", "no", "timeout_ms", "", "at_least_ms", "0", "interval_ms", "20"));
  private final Map<String, SimpleLock> granted = new ConcurrentHashMap<>();
  private LockProvider provider;

  public static void main(String[] words) throws Exception {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
    new Protocol(new Driver()).run();
  }

  @Override
  public JsonObject hello(JsonObject asked) {
    Protocol.take(options, asked);
    Protocol.must(List.of("lettuce", "jedis").contains(options.get("client")), "client: lettuce or jedis");
    Protocol.must(List.of("yes", "no").contains(options.get("safe_update")), "safe_update: yes or no");
    Protocol.must(options.get("timeout_ms").matches("[0-9]{0,9}"), "timeout_ms: a whole number");
    for (String name : List.of("at_least_ms", "interval_ms"))
      Protocol.must(options.get(name).matches("[0-9]{1,9}"), name + ": a whole number");
    // A safe update compares the owner, but nobody learns what it found.
    String release = safeUpdate() ? "silent-release" : "blind-release";
    return Protocol.hello("shedlock-redis", RedisLockProvider.class, "redis", List.of("lease", release));
  }

  @Override
  public void setup(JsonObject setup) throws Exception {
    JsonObject node = setup.getAsJsonArray("nodes").get(0).getAsJsonObject();
    var server = new RedisStandaloneConfiguration(node.get("host").getAsString(), node.get("port").getAsInt());
    RedisConnectionFactory connections = options.get("client").equals("jedis") ? jedis(server) : lettuce(server);
    provider = safeUpdate() ? safelyUpdating(connections) : new RedisLockProvider(connections);
  }

  private RedisConnectionFactory jedis(RedisStandaloneConfiguration server) {
    var settings = JedisClientConfiguration.builder();
    if (hasTimeout()) settings.readTimeout(Duration.ofMillis(number("timeout_ms")));
    var connections = new JedisConnectionFactory(server, settings.usePooling().build());
    connections.afterPropertiesSet();
    return connections;
  }

  private RedisConnectionFactory lettuce(RedisStandaloneConfiguration server) {
    var settings = LettuceClientConfiguration.builder();
    if (hasTimeout()) settings.commandTimeout(Duration.ofMillis(number("timeout_ms")));
    var connections = new LettuceConnectionFactory(server, settings.build());
    connections.afterPropertiesSet();
    return connections;
  }

  // Looked up by name, so that this compiles with versions that lack it.
  private static LockProvider safelyUpdating(RedisConnectionFactory connections) throws Exception {
    Class<?> builder = Class.forName(RedisLockProvider.class.getName() + "$Builder");
    Object made = builder.getConstructor(RedisConnectionFactory.class).newInstance(connections);
    builder.getMethod("safeUpdate", boolean.class).invoke(made, true);
    return (LockProvider) builder.getMethod("build").invoke(made);
  }

  @Override
  public JsonObject acquire(JsonObject request) throws InterruptedException {
    long giveUp = System.nanoTime() + 1_000_000 * request.get("wait_ms").getAsLong();
    long leaseMs = request.get("lease_ms").getAsLong();
    while (true) {
      long asked = System.nanoTime(); // CLOCK_MONOTONIC
      Optional<SimpleLock> lock =
          provider.lock(
              new LockConfiguration(
                  ClockProvider.now(), request.get("key").getAsString(), Duration.ofMillis(leaseMs), Duration.ofMillis(number("at_least_ms"))));
      if (lock.isPresent()) {
        JsonObject ok = new JsonObject();
        String grant = UUID.randomUUID().toString();
        granted.put(grant, lock.get());
        ok.addProperty("grant", grant);
        ok.addProperty("from_ns", asked);
        // The library asks for the whole milliseconds that are left when it sends the command.
        ok.addProperty("validity_ms", leaseMs - 1);
        return ok;
      }
      if (System.nanoTime() >= giveUp) return null;
      Thread.sleep(number("interval_ms"));
    }
  }

  @Override
  public boolean release(JsonObject request) {
    SimpleLock lock = granted.remove(request.get("grant").getAsString());
    if (lock == null) return false;
    lock.unlock();
    return true;
  }

  private boolean safeUpdate() {
    return options.get("safe_update").equals("yes");
  }

  private boolean hasTimeout() {
    return !options.get("timeout_ms").isEmpty();
  }

  private int number(String name) {
    return Integer.parseInt(options.get(name));
  }
}
