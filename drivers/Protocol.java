import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The driver protocol (docs/driver-protocol.md) for the bundled drivers in Java. `kept.py` compiles
 * it into each. Each session has its own thread, which makes all its calls.
 */
final class Protocol {
  interface Library {
    /** Returns the reply to hello. IllegalArgumentException: an option is unknown. */
    JsonObject hello(JsonObject options);

    void setup(JsonObject request) throws Exception;

    /** Null: refused. An exception: the outcome is unknown. */
    JsonObject acquire(JsonObject request) throws Exception;

    /** False: the lock was no longer ours. */
    boolean release(JsonObject request) throws Exception;
  }

  private final Library library;
  private final PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
  private final List<ExecutorService> threads = new ArrayList<>();

  Protocol(Library library) {
    this.library = library;
    System.setOut(System.err); // output of the library must not be taken for a reply
  }

  /**
   * Puts the options that the user gave in place of the defaults. IllegalArgumentException: an option
   * is unknown.
   */
  static void take(Map<String, String> options, JsonObject asked) {
    for (String name : asked.keySet()) {
      must(options.containsKey(name), "no such option: " + name + " (there is: " + String.join(", ", options.keySet()) + ")");
      options.put(name, asked.get(name).getAsString());
    }
  }

  static void must(boolean holds, String otherwise) {
    if (!holds) throw new IllegalArgumentException(otherwise);
  }

  /** Returns the reply to hello. The version is that of the jar from which `library` was loaded. */
  static JsonObject hello(String name, Class<?> library, String service, List<String> can) {
    String jar = library.getProtectionDomain().getCodeSource().getLocation().getPath();
    JsonObject hello = new JsonObject();
    hello.addProperty("protocol", 1);
    hello.addProperty("name", name);
    hello.addProperty("version", jar.replaceAll(".*?-(\\d[^/]*)\\.jar", "$1"));
    hello.addProperty("service", service);
    JsonArray words = new JsonArray();
    can.forEach(words::add);
    hello.add("can", words);
    return hello;
  }

  /** Tells the holder of a grant that its lock is lost. Thread-safe. */
  void reportLost(String grant) {
    JsonObject lost = new JsonObject();
    lost.addProperty("grant", grant);
    JsonObject line = new JsonObject();
    line.add("lost", lost);
    write(line);
  }

  void run() throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonObject request = JsonParser.parseString(line).getAsJsonObject();
      String op = request.get("op").getAsString();
      if (request.has("session")) {
        threads.get(request.get("session").getAsInt()).execute(() -> serve(request, op));
      } else {
        serve(request, op);
      }
      if (op.equals("bye")) break;
    }
    Runtime.getRuntime().halt(0); // the library's own shutdown takes seconds
  }

  private void serve(JsonObject request, String op) {
    JsonObject ok = new JsonObject();
    try {
      switch (op) {
        case "hello" -> ok = library.hello(request.getAsJsonObject("options"));
        case "setup" -> {
          library.setup(request);
          for (int i = 0; i < request.get("sessions").getAsInt(); i++) threads.add(Executors.newSingleThreadExecutor());
        }
        case "acquire" -> ok = library.acquire(request);
        case "release" -> ok = library.release(request) ? ok : null;
        case "bye" -> {}
        default -> throw new IllegalArgumentException("no such op: " + op);
      }
      answer(request, ok == null ? "no" : "ok", ok == null ? new JsonObject() : ok);
    } catch (Throwable error) {
      JsonObject why = new JsonObject();
      why.addProperty("text", said(error));
      answer(request, "error", why);
    }
  }

  // Returns the message of an error and of its first cause; for invalid options without the
  // exception's name. Some exceptions have no message.
  private static String said(Throwable error) {
    if (error instanceof IllegalArgumentException && error.getMessage() != null) return error.getMessage();
    Throwable cause = error;
    while (cause.getCause() != null) cause = cause.getCause();
    return cause == error ? error.toString() : error + ", because of " + cause;
  }

  private void answer(JsonObject request, String kind, JsonObject what) {
    JsonObject line = new JsonObject();
    line.add("id", request.get("id"));
    line.add(kind, what);
    write(line);
  }

  private synchronized void write(JsonObject line) {
    out.println(line);
    out.flush();
  }
}
