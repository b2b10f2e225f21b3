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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The driver protocol (docs/driver-protocol.md) for a Java library. Each session has its own
 * thread, which makes all its calls.
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

  // Returns the message of an error; for invalid options without the exception's name. Some
  // exceptions have no message.
  private static String said(Throwable error) {
    return error instanceof IllegalArgumentException && error.getMessage() != null ? error.getMessage() : error.toString();
  }

  private synchronized void answer(JsonObject request, String kind, JsonObject what) {
    JsonObject line = new JsonObject();
    line.add("id", request.get("id"));
    line.add(kind, what);
    out.println(line);
    out.flush();
  }
}
