// A driver to copy: SET NX PX and a compare-and-delete over a bare socket, with nothing but a JDK.
//
//     doublehold driver check -- java drivers/template.java
//     doublehold run --driver 'java drivers/template.java' --faults pause
//
// Put your own library into class Library. The rest is the protocol: docs/driver-protocol.md. With
// javac first, the driver starts faster: each client of a run starts one.
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

final class Template {
  private static final PrintStream OUT = System.out;
  private static final List<Library> sessions = new ArrayList<>();
  private static final List<ExecutorService> threads = new ArrayList<>();

  public static void main(String[] words) throws Exception {
    System.setOut(System.err); // output of a library must not be taken for a reply
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Request request = new Request(line);
      if (request.text("op").equals("bye")) {
        answer(request, "\"ok\":{}");
        break;
      }
      if (line.contains("\"session\":")) {
        threads.get((int) request.number("session")).execute(() -> serve(request));
      } else {
        serve(request);
      }
    }
    Runtime.getRuntime().halt(0); // does not wait for sessions
  }

  private static void serve(Request request) {
    try {
      String done = switch (request.text("op")) {
        case "hello" -> hello(request);
        case "setup" -> setUp(request);
        case "acquire" -> sessions.get((int) request.number("session"))
            .acquire(request.text("key"), request.number("lease_ms"), request.number("wait_ms"));
        case "release" ->
            sessions.get((int) request.number("session")).release(request.text("grant"));
        default -> throw new IllegalArgumentException("no such op");
      };
      answer(request, done == null ? "\"no\":{}" : "\"ok\":{" + done + "}");
    } catch (Exception error) {
      String said = String.valueOf(error.getMessage()).replaceAll("[\"\\\\\\p{Cntrl}]", " ");
      answer(request, "\"error\":{\"text\":\"" + said + "\"}");
    }
  }

  private static String hello(Request request) {
    if (!request.line.contains("\"options\":{}"))
      throw new IllegalArgumentException("there are no options");
    return "\"protocol\":1,\"name\":\"template.java\",\"version\":\"1\",\"can\":[\"lease\"]";
  }

  private static String setUp(Request request) {
    for (long i = request.number("sessions"); i > 0; i--) {
      sessions.add(new Library(request.text("host"), (int) request.number("port")));
      threads.add(Executors.newSingleThreadExecutor());
    }
    return "";
  }

  private static synchronized void answer(Request request, String what) {
    OUT.println("{\"id\":" + request.number("id") + "," + what + "}");
    OUT.flush();
  }

  /** A line of JSON, whose texts have no quotes. If several nodes have a field, the first counts. */
  private record Request(String line) {
    String text(String name) {
      return find("\"" + name + "\":\"([^\"]*)\"");
    }

    long number(String name) {
      return Long.parseLong(find("\"" + name + "\":(\\d+)"));
    }

    private String find(String pattern) {
      Matcher found = Pattern.compile(pattern).matcher(line);
      return found.find() ? found.group(1) : "";
    }
  }

  /**
   * One object for each session, used by one thread at a time: replace it by your library. Null:
   * refused. An exception: the outcome is unknown.
   */
  private static final class Library {
    private static final String DELETE =
        "if redis.call('get',KEYS[1])==ARGV[1] then "
            + "return redis.call('del',KEYS[1]) else return 0 end";
    private static final long INTERVAL_MS = 5; // between two tries
    private final Redis redis;
    private final Map<String, String> keys = new HashMap<>(); // by grant

    Library(String host, int port) {
      redis = new Redis(host, port);
    }

    String acquire(String key, long leaseMs, long waitMs) throws Exception {
      long giveUpNs = System.nanoTime() + waitMs * 1_000_000;
      String owner = UUID.randomUUID().toString();
      for (;;) {
        long askedNs = System.nanoTime(); // on Linux CLOCK_MONOTONIC, as the protocol wants it
        if ("OK".equals(redis.call("SET", key, owner, "NX", "PX", Long.toString(leaseMs)))) {
          keys.put(owner, key);
          return "\"grant\":\"" + owner + "\",\"from_ns\":" + askedNs; // the lease counts from here
        }
        if (System.nanoTime() >= giveUpNs) return null; // another owner has it
        Thread.sleep(INTERVAL_MS);
      }
    }

    String release(String grant) throws Exception {
      String key = keys.remove(grant);
      return "1".equals(redis.call("EVAL", DELETE, "1", key == null ? "" : key, grant)) ? "" : null;
    }
  }

  /** A connection to Redis. It reads no arrays. */
  private static final class Redis {
    private final InetSocketAddress address;
    private Socket socket;
    private InputStream in;

    Redis(String host, int port) {
      address = new InetSocketAddress(host, port);
    }

    /** Returns the reply as text; null for a nil reply. */
    String call(String... words) throws IOException {
      try {
        if (socket == null) {
          socket = new Socket();
          socket.connect(address, 5000);
          socket.setSoTimeout(5000);
          in = new BufferedInputStream(socket.getInputStream());
        }
        StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
          text.append("$").append(word.getBytes(StandardCharsets.UTF_8).length);
          text.append("\r\n").append(word).append("\r\n");
        }
        socket.getOutputStream().write(text.toString().getBytes(StandardCharsets.UTF_8));
        return reply();
      } catch (IOException error) {
        if (socket != null) socket.close(); // a late reply would be taken for another call's
        socket = null;
        throw error;
      }
    }

    private String reply() throws IOException {
      String line = line();
      if (line.startsWith("-")) throw new IOException(line);
      if (!line.startsWith("$")) return line.substring(1);
      int length = Integer.parseInt(line.substring(1));
      if (length < 0) return null;
      byte[] bulk = in.readNBytes(length + 2);
      if (bulk.length < length + 2) throw new EOFException("the connection was closed");
      return new String(bulk, 0, length, StandardCharsets.UTF_8);
    }

    private String line() throws IOException {
      StringBuilder line = new StringBuilder();
      for (int c = in.read(); c != '\n'; c = in.read()) {
        if (c < 0) throw new EOFException("the connection was closed");
        if (c != '\r') line.append((char) c);
      }
      return line.toString();
    }
  }
}
