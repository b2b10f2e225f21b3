import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.BeanWrapperImpl;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * The RedisLockRegistry of Spring Integration, as released: --driver spring-redis, or
 * spring-redis@6.4.4.
 */
final class Driver implements Protocol.Library {
  private static final Map<String, RedisLockType> TYPES = Map.of("spin", RedisLockType.SPIN_LOCK, "pub-sub", RedisLockType.PUB_SUB_LOCK);

  private final Map<String, String> options =
      new TreeMap<>(Map.of("lock_type", "spin", "idle_ms", "100", "renew", "no", "cache_capacity", "100000", "timeout_ms", "60000"));
  private final Map<String, Lock> granted = new ConcurrentHashMap<>();
  private RedisLockRegistry registry;

  public static void main(String[] words) throws Exception {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
    new Protocol(new Driver()).run();
  }

  @Override
  public JsonObject hello(JsonObject asked) {
    Protocol.take(options, asked);
    Protocol.must(TYPES.containsKey(options.get("lock_type")), "lock_type: spin or pub-sub");
    Protocol.must(List.of("yes", "no").contains(options.get("renew")), "renew: yes or no");
    for (String name : List.of("idle_ms", "cache_capacity", "timeout_ms"))
      Protocol.must(options.get(name).matches("[0-9]{1,9}"), name + ": a whole number");
    for (String name : asked.keySet())
      Protocol.must(name.equals("timeout_ms") || has(name), name + ": this version does not have it");
    List<String> can = new ArrayList<>(List.of("lease", "reentrant"));
    if (renews()) can.add("watchdog");
    return Protocol.hello("spring-redis " + options.get("lock_type"), RedisLockRegistry.class, "redis", can);
  }

  // Old versions lack some of the settings.
  private static boolean has(String option) {
    return BeanUtils.getPropertyDescriptor(RedisLockRegistry.class, propertyOf(option)) != null;
  }

  /** Returns the registry's property that an option sets. */
  private static String propertyOf(String option) {
    return switch (option) {
      case "lock_type" -> "redisLockType";
      case "idle_ms" -> "idleBetweenTries";
      case "renew" -> "renewalTaskScheduler";
      default -> "cacheCapacity";
    };
  }

  @Override
  public void setup(JsonObject setup) {
    JsonObject node = setup.getAsJsonArray("nodes").get(0).getAsJsonObject();
    var server = new RedisStandaloneConfiguration(node.get("host").getAsString(), node.get("port").getAsInt());
    var client = LettuceClientConfiguration.builder().commandTimeout(Duration.ofMillis(number("timeout_ms"))).build();
    var connections = new LettuceConnectionFactory(server, client);
    connections.afterPropertiesSet();
    registry = new RedisLockRegistry(connections, "doublehold", setup.get("lease_ms").getAsLong());
    var settings = new BeanWrapperImpl(registry);
    set(settings, "lock_type", TYPES.get(options.get("lock_type")));
    set(settings, "idle_ms", Duration.ofMillis(number("idle_ms")));
    set(settings, "cache_capacity", number("cache_capacity"));
    if (renews()) set(settings, "renew", scheduler());
  }

  private static void set(BeanWrapperImpl settings, String option, Object value) {
    if (has(option)) settings.setPropertyValue(propertyOf(option), value);
  }

  private static ThreadPoolTaskScheduler scheduler() {
    var scheduler = new ThreadPoolTaskScheduler();
    scheduler.setDaemon(true);
    scheduler.initialize();
    return scheduler;
  }

  @Override
  public JsonObject acquire(JsonObject request) throws InterruptedException {
    Lock lock = registry.obtain(request.get("key").getAsString());
    if (!lock.tryLock(request.get("wait_ms").getAsLong(), TimeUnit.MILLISECONDS)) return null;
    String grant = UUID.randomUUID().toString();
    granted.put(grant, lock);
    JsonObject ok = new JsonObject();
    ok.addProperty("grant", grant);
    return ok;
  }

  @Override
  public boolean release(JsonObject request) {
    Lock lock = granted.remove(request.get("grant").getAsString());
    if (lock == null) return false;
    try {
      lock.unlock();
      return true;
    } catch (ConcurrentModificationException | IllegalStateException failed) { // the latter in old versions
      if (failed.getMessage().startsWith("Lock was released in the store")) return false;
      throw failed;
    }
  }

  private boolean renews() {
    return options.get("renew").equals("yes");
  }

  private int number(String name) {
    return Integer.parseInt(options.get(name));
  }
}
