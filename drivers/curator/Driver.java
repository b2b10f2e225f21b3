import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.data.Stat;

/**
 * Curator's locks on ZooKeeper, as released: --driver curator, or curator@5.5.0. The session's timeout
 * is the lease. All sessions of a client share one CuratorFramework, and each has its own lock objects.
 */
final class Driver implements Protocol.Library {
  private static final List<String> KINDS = List.of("mutex", "read-write", "semaphore-mutex");

  private final Map<String, String> options =
      new TreeMap<>(Map.of("kind", "mutex", "connection_timeout_ms", "", "retries", "3", "retry_sleep_ms", "100"));
  private final Protocol protocol = new Protocol(this);
  private CuratorFramework client;
  private final Map<String, InterProcessLock> locks = new ConcurrentHashMap<>(); // by session, mode and key
  private final Map<String, InterProcessLock> granted = new ConcurrentHashMap<>();

  public static void main(String[] words) throws Exception {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
    new Driver().protocol.run();
  }

  @Override
  public JsonObject hello(JsonObject asked) {
    Protocol.take(options, asked);
    Protocol.must(KINDS.contains(kind()), "kind: one of " + String.join(", ", KINDS));
    Protocol.must(options.get("connection_timeout_ms").matches("[0-9]{0,9}"), "connection_timeout_ms: a whole number");
    for (String name : List.of("retries", "retry_sleep_ms"))
      Protocol.must(options.get(name).matches("[0-9]{1,9}"), name + ": a whole number");
    List<String> can = new ArrayList<>(List.of("lease", "lost", "silent-release", "watchdog"));
    if (kind().equals("mutex")) can.add("token");
    if (kind().equals("read-write")) can.add("read-write");
    if (!kind().equals("semaphore-mutex")) can.add("reentrant");
    return Protocol.hello("curator " + kind(), InterProcessMutex.class, "zookeeper", can);
  }

  @Override
  public void setup(JsonObject setup) throws Exception {
    List<String> hosts = new ArrayList<>();
    for (JsonElement node : setup.getAsJsonArray("nodes"))
      hosts.add(node.getAsJsonObject().get("host").getAsString() + ":" + node.getAsJsonObject().get("port").getAsInt());
    int session = setup.get("lease_ms").getAsInt();
    int connection = options.get("connection_timeout_ms").isEmpty() ? session : number("connection_timeout_ms");
    client = CuratorFrameworkFactory.newClient(
        String.join(",", hosts), session, connection, new ExponentialBackoffRetry(number("retry_sleep_ms"), number("retries")));
    // SUSPENDED may still end well.
    client.getConnectionStateListenable().addListener((unused, state) -> {
      if (state == ConnectionState.LOST) granted.keySet().forEach(protocol::reportLost);
    });
    client.start();
    if (!client.blockUntilConnected(15, TimeUnit.SECONDS)) throw new IllegalStateException("ZooKeeper does not answer");
  }

  @Override
  public JsonObject acquire(JsonObject request) throws Exception {
    boolean reads = request.has("mode");
    String path = "/doublehold/" + request.get("key").getAsString().replace('/', '|');
    InterProcessLock lock = locks.computeIfAbsent(request.get("session") + " " + reads + path, unused -> make(path, reads));
    if (!lock.acquire(request.get("wait_ms").getAsLong(), TimeUnit.MILLISECONDS)) return null;
    JsonObject ok = new JsonObject();
    if (lock instanceof Mutex mutex) {
      Stat node = mutex.find(client);
      if (node == null) return null; // its session has ended since
      ok.addProperty("token", node.getCzxid());
    }
    String grant = UUID.randomUUID().toString();
    granted.put(grant, lock);
    ok.addProperty("grant", grant);
    return ok;
  }

  // Does not say whether the lock's node still existed.
  @Override
  public boolean release(JsonObject request) throws Exception {
    InterProcessLock lock = granted.remove(request.get("grant").getAsString());
    if (lock == null) return false;
    lock.release();
    return true;
  }

  private InterProcessLock make(String path, boolean reads) {
    return switch (kind()) {
      case "read-write" -> {
        InterProcessReadWriteLock both = new InterProcessReadWriteLock(client, path);
        yield reads ? both.readLock() : both.writeLock();
      }
      case "semaphore-mutex" -> new InterProcessSemaphoreMutex(client, path);
      default -> new Mutex(client, path);
    };
  }

  /** Knows the path of its node. */
  private static final class Mutex extends InterProcessMutex {
    Mutex(CuratorFramework client, String path) {
      super(client, path);
    }

    /** Returns the node of a mutex that was just acquired. If there is none, releases the mutex. */
    Stat find(CuratorFramework client) throws Exception {
      Stat node = null;
      try {
        node = client.checkExists().forPath(getLockPath());
      } finally {
        if (node == null) release();
      }
      return node;
    }
  }

  private String kind() {
    return options.get("kind");
  }

  private int number(String name) {
    return Integer.parseInt(options.get(name));
  }
}
