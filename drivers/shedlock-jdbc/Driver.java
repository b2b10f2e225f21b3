import com.google.gson.JsonObject;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
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
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * ShedLock's JdbcTemplateLockProvider on PostgreSQL, as released: --driver shedlock-jdbc, or
 * shedlock-jdbc@6.0.2. lockAtMostFor is the lease. The library does not wait, so the driver tries again.
 */
final class Driver implements Protocol.Library {
  private final Map<String, String> options = new TreeMap<>(Map.of("clock", "client", "at_least_ms", "0", "interval_ms", "20"));
  private final Map<String, SimpleLock> granted = new ConcurrentHashMap<>();
  private LockProvider provider;

  public static void main(String[] words) throws Exception {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
    new Protocol(new Driver()).run();
  }

  @Override
  public JsonObject hello(JsonObject asked) {
    Protocol.take(options, asked);
    Protocol.must(List.of("client", "db").contains(options.get("clock")), "clock: client or db");
    for (String name : List.of("at_least_ms", "interval_ms"))
      Protocol.must(options.get(name).matches("[0-9]{1,9}"), name + ": a whole number");
    List<String> can = new ArrayList<>(List.of("lease"));
    // With the database's clock its UPDATE compares the owner, but nobody learns what it found.
    can.add(usesDbClock() ? "silent-release" : "blind-release");
    return Protocol.hello("shedlock-jdbc", JdbcTemplateLockProvider.class, "postgres", can);
  }

  @Override
  public void setup(JsonObject setup) {
    JsonObject node = setup.getAsJsonArray("nodes").get(0).getAsJsonObject();
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl("jdbc:postgresql://" + node.get("host").getAsString() + ":" + node.get("port").getAsInt() + "/doublehold?sslmode=disable");
    pool.setUsername("doublehold");
    pool.setInitializationFailTimeout(15_000); // the server may still be starting
    pool.setMaximumPoolSize(setup.get("sessions").getAsInt());
    JdbcTemplate template = new JdbcTemplate(new HikariDataSource(pool));
    // One client creates the table, the others wait for it.
    template.execute(
        "BEGIN; SELECT pg_advisory_xact_lock(1); CREATE TABLE IF NOT EXISTS shedlock(name VARCHAR(64) PRIMARY KEY,"
            + " lock_until TIMESTAMP NOT NULL, locked_at TIMESTAMP NOT NULL, locked_by VARCHAR(255) NOT NULL); COMMIT");
    // By default an owner is a host, but all of these clients are on one.
    var how = JdbcTemplateLockProvider.Configuration.builder().withJdbcTemplate(template).withLockedByValue("client " + setup.get("client").getAsInt());
    provider = new JdbcTemplateLockProvider((usesDbClock() ? how.usingDbTime() : how).build());
  }

  @Override
  public JsonObject acquire(JsonObject request) throws InterruptedException {
    long giveUp = System.nanoTime() + 1_000_000 * request.get("wait_ms").getAsLong();
    Duration lease = Duration.ofMillis(request.get("lease_ms").getAsLong());
    while (true) {
      long asked = System.nanoTime(); // CLOCK_MONOTONIC
      Optional<SimpleLock> lock =
          provider.lock(
              new LockConfiguration(ClockProvider.now(), request.get("key").getAsString(), lease, Duration.ofMillis(number("at_least_ms"))));
      if (lock.isPresent()) {
        JsonObject ok = new JsonObject();
        String grant = UUID.randomUUID().toString();
        granted.put(grant, lock.get());
        ok.addProperty("grant", grant);
        ok.addProperty("from_ns", asked);
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

  private boolean usesDbClock() {
    return options.get("clock").equals("db");
  }

  private int number(String name) {
    return Integer.parseInt(options.get(name));
  }
}
