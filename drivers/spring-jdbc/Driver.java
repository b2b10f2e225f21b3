import com.google.gson.JsonObject;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.jdbc.lock.LockRepository;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/**
 * The JdbcLockRegistry of Spring Integration on PostgreSQL, as released: --driver spring-jdbc, or
 * spring-jdbc@6.5.4. The repository's time-to-live is the lease; nothing extends it.
 */
final class Driver implements Protocol.Library {
  private final Map<String, String> options = new TreeMap<>(Map.of("idle_ms", "100"));
  private final Map<String, Lock> granted = new ConcurrentHashMap<>();
  private JdbcLockRegistry registry;

  public static void main(String[] words) throws Exception {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
    new Protocol(new Driver()).run();
  }

  @Override
  public JsonObject hello(JsonObject asked) {
    Protocol.take(options, asked);
    Protocol.must(options.get("idle_ms").matches("[0-9]{1,9}"), "idle_ms: a whole number");
    List<String> can = new ArrayList<>(List.of("lease", "reentrant"));
    if (!tellsExpiry()) can.add("silent-release");
    return Protocol.hello("spring-jdbc", JdbcLockRegistry.class, "postgres", can);
  }

  @Override
  public void setup(JsonObject setup) throws Exception {
    JsonObject node = setup.getAsJsonArray("nodes").get(0).getAsJsonObject();
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl("jdbc:postgresql://" + node.get("host").getAsString() + ":" + node.get("port").getAsInt() + "/doublehold?sslmode=disable");
    pool.setUsername("doublehold");
    pool.setInitializationFailTimeout(15_000); // the server may still be starting
    pool.setMaximumPoolSize(setup.get("sessions").getAsInt());
    HikariDataSource source = new HikariDataSource(pool);
    // One client creates the table, the others wait for it.
    new JdbcTemplate(source).execute("BEGIN; SELECT pg_advisory_xact_lock(1); " + tableOfLocks() + " COMMIT");
    DefaultLockRepository repository = new DefaultLockRepository(source);
    repository.setTimeToLive(setup.get("lease_ms").getAsInt());
    repository.setTransactionManager(new DataSourceTransactionManager(source));
    repository.afterPropertiesSet();
    repository.afterSingletonsInstantiated();
    registry = new JdbcLockRegistry(repository);
    registry.setIdleBetweenTries(Duration.ofMillis(Integer.parseInt(options.get("idle_ms"))));
  }

  /** Whether an unlock of this version throws if the row was no longer ours. */
  private static boolean tellsExpiry() {
    return Arrays.stream(LockRepository.class.getMethods())
        .anyMatch(method -> method.getName().equals("delete") && method.getReturnType() == boolean.class);
  }

  /** Returns the statement that creates the table, from the library's own script. */
  private static String tableOfLocks() throws Exception {
    try (InputStream script = JdbcLockRegistry.class.getResourceAsStream("/org/springframework/integration/jdbc/schema-postgresql.sql")) {
      String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
      int from = text.indexOf("CREATE TABLE INT_LOCK");
      return text.substring(from, text.indexOf(';', from) + 1).replaceFirst("TABLE", "TABLE IF NOT EXISTS");
    }
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
    } catch (ConcurrentModificationException expired) { // the row was no longer ours
      return false;
    }
  }
}
