import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.lock.LockResponse;
import io.etcd.jetcd.support.CloseableClient;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The lock client of jetcd, as released: --driver jetcd, or jetcd@0.7.5. The server waits and grants; the
 * client only keeps a lease alive. Each acquire has a lease of its own, which the release revokes.
 */
final class Driver implements Protocol.Library {
  private static final long ONE_TRY_MS = 100; // the server's lock has no try that does not wait

  private record Held(long lease, CloseableClient keepAlive, ByteSequence key) {}

  private final Map<String, String> options = new TreeMap<>(Map.of("request_timeout_ms", "5000"));
  private final Protocol protocol = new Protocol(this);
  private final Map<String, Held> granted = new ConcurrentHashMap<>();
  private Client client;

  public static void main(String[] words) throws Exception {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "error");
    new Driver().protocol.run();
  }

  @Override
  public JsonObject hello(JsonObject asked) {
    Protocol.take(options, asked);
    Protocol.must(options.get("request_timeout_ms").matches("[0-9]{1,9}"), "request_timeout_ms: a whole number");
    return Protocol.hello("jetcd", Client.class, "etcd", List.of("lease", "lost", "silent-release", "token", "watchdog"));
  }

  @Override
  public void setup(JsonObject setup) throws Exception {
    String[] nodes = new String[setup.getAsJsonArray("nodes").size()];
    int count = 0;
    for (JsonElement node : setup.getAsJsonArray("nodes"))
      nodes[count++] = "http://" + node.getAsJsonObject().get("host").getAsString() + ":" + node.getAsJsonObject().get("port").getAsInt();
    client = Client.builder().endpoints(nodes).build();
    // The first calls of a JVM take long, and the server may still be starting.
    client.getLeaseClient().revoke(client.getLeaseClient().grant(1).get(15, TimeUnit.SECONDS).getID());
  }

  @Override
  public JsonObject acquire(JsonObject request) throws Exception {
    String grant = UUID.randomUUID().toString();
    long seconds = (request.get("lease_ms").getAsLong() + 999) / 1000;
    long lease = answerOf(client.getLeaseClient().grant(seconds)).getID();
    CloseableClient keepAlive = client.getLeaseClient().keepAlive(lease, new LossReporter(grant));
    CompletableFuture<LockResponse> locking = client.getLockClient().lock(bytes(request.get("key").getAsString()), lease);
    try {
      LockResponse locked = locking.get(Math.max(request.get("wait_ms").getAsLong(), ONE_TRY_MS), TimeUnit.MILLISECONDS);
      granted.put(grant, new Held(lease, keepAlive, locked.getKey()));
      JsonObject ok = new JsonObject();
      ok.addProperty("grant", grant);
      ok.addProperty("token", locked.getHeader().getRevision());
      return ok;
    } catch (TimeoutException | ExecutionException notLocked) {
      locking.cancel(true);
      keepAlive.close();
      answerOf(client.getLeaseClient().revoke(lease)); // else the server grants the lock later
      return null;
    }
  }

  // The server does not say whether the key still existed.
  @Override
  public boolean release(JsonObject request) throws Exception {
    Held held = granted.remove(request.get("grant").getAsString());
    if (held == null) return false;
    held.keepAlive.close();
    answerOf(client.getLockClient().unlock(held.key));
    client.getLeaseClient().revoke(held.lease);
    return true;
  }

  /** Reports the grant as lost when its lease has ended. */
  private final class LossReporter implements StreamObserver<LeaseKeepAliveResponse> {
    private final String grant;

    LossReporter(String grant) {
      this.grant = grant;
    }

    @Override
    public void onNext(LeaseKeepAliveResponse alive) {}

    @Override
    public void onError(Throwable error) {
      onCompleted();
    }

    @Override
    public void onCompleted() {
      if (granted.containsKey(grant)) protocol.reportLost(grant);
    }
  }

  private <T> T answerOf(CompletableFuture<T> call) throws Exception {
    return call.get(Long.parseLong(options.get("request_timeout_ms")), TimeUnit.MILLISECONDS);
  }

  private static ByteSequence bytes(String text) {
    return ByteSequence.from(text, StandardCharsets.UTF_8);
  }
}
