package io.fdt.server.metrics;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.MultiCollector;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers Prometheus over HTTP, at /metrics: one request and one answer on each connection.
 *
 * <p>Any host that reaches the address may send requests, so all resources are bounded: {@link
 * #MOST} connections, {@link #MOST_BYTES} of a request, and {@link #DEADLINE} from the connection
 * to the last byte of the answer. Further connections are closed at once. It has its own threads,
 * on which no transfer depends.
 */
public final class MetricsEndpoint implements AutoCloseable {
  /** The most connections: Prometheus needs one; each takes a thread and a descriptor. */
  static final int MOST = 4;

  /** Longest request line with headers; Prometheus sends about 400 bytes. */
  static final int MOST_BYTES = 8 << 10;

  /** The deadline of a connection; Prometheus waits for 10 s by default. */
  static final Duration DEADLINE = Duration.ofSeconds(5);

  /** The pause after a failed accept, for example without descriptors. */
  private static final long PAUSE_MILLIS = 1000;

  private static final int BACKLOG = 16;
  private static final int IDLE_SECONDS = 5;
  private static final String PATH = "/metrics";
  private static final String PLAIN = "text/plain; charset=utf-8";
  private static final Logger LOG = LoggerFactory.getLogger(MetricsEndpoint.class);

  private final MultiCollector figures;
  private final ExpositionFormats formats = ExpositionFormats.init();
  private final ServerSocket listener;
  private final InetSocketAddress address;
  private final ThreadPoolExecutor answering =
      new ThreadPoolExecutor(
          0,
          MOST,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          daemons("fdt-server-metrics"));
  private final ScheduledThreadPoolExecutor deadlines =
      new ScheduledThreadPoolExecutor(1, daemons("fdt-server-metrics-deadline"));
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * @param wanted port 0 for any free one
   * @throws FdtException USAGE when the address is not available
   */
  public MetricsEndpoint(InetSocketAddress wanted, MultiCollector figures) throws FdtException {
    if (wanted.isUnresolved()) {
      throw new FdtException(
          ErrorCode.USAGE, "cannot show metrics on " + wanted.getHostString() + ": unknown host");
    }
    this.figures = figures;
    this.listener = listen(wanted);
    this.address = new InetSocketAddress(wanted.getAddress(), listener.getLocalPort());
    deadlines.setRemoveOnCancelPolicy(true);
  }

  private static ServerSocket listen(InetSocketAddress wanted) throws FdtException {
    InetAddress where = wanted.getAddress();
    try {
      return new ServerSocket(wanted.getPort(), BACKLOG, where);
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.USAGE,
          "cannot show metrics on %s:%d: %s"
              .formatted(wanted.getHostString(), wanted.getPort(), IoReason.of(e)),
          e);
    }
  }

  private static ThreadFactory daemons(String name) {
    return work -> {
      Thread thread = new Thread(work, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Begins to answer. */
  public void start() {
    daemons("fdt-server-metrics-accept").newThread(this::accept).start();
  }

  public InetSocketAddress address() {
    return address;
  }

  private void accept() {
    boolean failing = false;
    while (!closed) {
      try {
        admit(listener.accept());
        failing = false;
      } catch (IOException e) {
        if (!closed && !failing) {
          LOG.warn("metrics: connections cannot be accepted reason={}", e.getMessage());
        }
        failing = true;
        pause();
      }
    }
  }

  private void pause() {
    try {
      if (!closed) {
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void admit(Socket socket) {
    try {
      answering.execute(() -> serve(socket));
    } catch (RejectedExecutionException e) {
      closeQuietly(socket); // there are enough, or the server stops
    } catch (OutOfMemoryError e) { // no thread
      closeQuietly(socket);
      LOG.warn("metrics: a connection has no thread reason={}", e.getMessage());
    }
  }

  private void serve(Socket socket) {
    ScheduledFuture<?> end = null;
    open.add(socket);
    try (socket) {
      // Ends both reading and writing, whatever the peer does.
      end =
          deadlines.schedule(
              () -> closeQuietly(socket), DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
      answer(head(socket.getInputStream()), socket);
    } catch (IOException | RejectedExecutionException e) {
      LOG.debug("metrics: no answer reason={}", e.getMessage());
    } catch (RuntimeException | Error e) { // of the figures: the next request may have better luck
      LOG.error("metrics: defect", e);
    } finally {
      open.remove(socket);
      if (end != null) {
        end.cancel(false);
      }
    }
  }

  /** The request up to the empty line after the headers, truncated at the limit. */
  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    byte[] bytes = new byte[1024];
    while (head.length() <= MOST_BYTES && head.indexOf("\r\n\r\n") < 0) {
      int read = in.read(bytes);
      if (read < 0) {
        break;
      }
      head.append(new String(bytes, 0, read, StandardCharsets.ISO_8859_1));
    }
    return head.toString();
  }

  private void answer(String head, Socket socket) throws IOException {
    String[] words = head.lines().findFirst().orElse("").split(" ", -1);
    boolean isWhole = head.contains("\r\n\r\n") && words.length == 3;
    String path = isWhole ? words[1].replaceFirst("\\?.*", "") : "";
    if (head.length() > MOST_BYTES) {
      say(socket, "431 Request Header Fields Too Large", "the request is too long\n");
    } else if (!isWhole) {
      say(socket, "400 Bad Request", "this is no request\n");
    } else if (!words[0].equals("GET")) {
      say(socket, "405 Method Not Allowed", "GET only\n");
    } else if (!path.equals(PATH)) {
      say(socket, "404 Not Found", "the figures are at " + PATH + "\n");
    } else {
      ExpositionFormatWriter writer = writer(accepted(head));
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      writer.write(text, figures.collect());
      send(socket, "200 OK", writer.getContentType(), text.toByteArray());
    }
  }

  /** The writer of one of the two text formats; the protobuf format is not included. */
  private ExpositionFormatWriter writer(String accepted) {
    ExpositionFormatWriter openMetrics = formats.getOpenMetricsTextFormatWriter();
    return openMetrics.accepts(accepted) ? openMetrics : formats.getPrometheusTextFormatWriter();
  }

  /** The Accept header; empty for none. */
  private static String accepted(String head) {
    return head.lines()
        .skip(1)
        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("accept:"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse("");
  }

  private static void say(Socket socket, String status, String text) throws IOException {
    send(socket, status, PLAIN, text.getBytes(StandardCharsets.UTF_8));
  }

  private static void send(Socket socket, String status, String type, byte[] body)
      throws IOException {
    String head =
        "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
            .formatted(status, type, body.length);
    OutputStream out = socket.getOutputStream();
    out.write(head.getBytes(StandardCharsets.ISO_8859_1));
    out.write(body);
    out.flush();
    socket.shutdownOutput();
  }

  private static void closeQuietly(Closeable what) {
    try {
      what.close();
    } catch (IOException e) {
      LOG.debug("metrics: closing failed reason={}", e.getMessage());
    }
  }

  @Override
  public void close() {
    closed = true;
    closeQuietly(listener);
    answering.shutdownNow();
    open.forEach(MetricsEndpoint::closeQuietly);
    deadlines.shutdownNow();
  }
}
