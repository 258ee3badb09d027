package io.fdt.webdav;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Range;
import io.fdt.core.security.DialRule;
import io.fdt.core.storage.ListedFile;
import io.fdt.core.storage.Storage;
import io.fdt.server.web.WebHost;
import io.fdt.server.web.WebTransfer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * COPY between this server and another one (HTTP-TPC), in pull mode ({@code Source}) and in push
 * mode ({@code Destination}). The answer reports progress until one last line tells the outcome.
 * The end of the client's connection ends the copy.
 *
 * <p>Credentials for the other server come with the request, go to that server only, and are
 * neither kept nor logged. Confined to the thread of the request, except where noted.
 */
final class ThirdPartyCopy {
  private static final Duration MARKED = Duration.ofSeconds(2);
  private static final int MOST_STREAMS = 8;
  private static final int MOST_REDIRECTS = 5;
  private static final int BLOCK = 256 << 10;
  private static final String HEADER = "transferheader";
  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

  private final Exchange exchange;
  private final RequestPath path;
  private final DialRule rule;
  private final Duration patience;
  private final Map<String, String> headers;
  private final boolean requiresDigest;
  private final boolean overwrites;
  private final int streams;
  private final Set<Remote> open = ConcurrentHashMap.newKeySet();
  private volatile boolean isCancelled;
  private WebTransfer transfer;

  private ThirdPartyCopy(WebHost host, Exchange exchange, RequestPath path) throws HttpRefusal {
    this.exchange = exchange;
    this.path = path;
    this.rule = host.dialing();
    this.patience = host.deadlines().idleTimeout();
    this.headers = transferHeaders(exchange.headers());
    this.requiresDigest =
        !exchange.header("RequireChecksumVerification").strip().equalsIgnoreCase("false");
    this.overwrites = !exchange.header("Overwrite").strip().equals("F");
    this.streams = streams(exchange.header("X-Number-Of-Streams").strip());
    String credential = exchange.header("Credential").strip();
    if (!credential.isEmpty() && !credential.equalsIgnoreCase("none")) {
      throw new HttpRefusal(
          400, "credentials come as TransferHeaderAuthorization; use Credential: none");
    }
  }

  private static Map<String, String> transferHeaders(HttpHeaders all) throws HttpRefusal {
    Map<String, String> found = new ConcurrentHashMap<>();
    for (Map.Entry<String, String> header : all) {
      String name = header.getKey();
      if (name.toLowerCase(Locale.ROOT).startsWith(HEADER) && name.length() > HEADER.length()) {
        String passed = name.substring(HEADER.length());
        if (Remote.isOfConnection(passed)) {
          throw new HttpRefusal(400, "the header '" + passed + "' is not passed on; leave it out");
        }
        found.put(passed, header.getValue());
      }
    }
    return found;
  }

  /** The number of streams; gfal2 sends 0 where its user names none. */
  private static int streams(String text) throws HttpRefusal {
    if (text.isEmpty()) {
      return 1;
    }
    if (!text.matches("[0-9]{1,4}")) {
      throw new HttpRefusal(400, "X-Number-Of-Streams is a number; 0 leaves it to the server");
    }
    return Math.max(1, Math.min(MOST_STREAMS, Integer.parseInt(text)));
  }

  /** Whether a COPY has another server as an end. */
  static boolean isWanted(Exchange exchange) {
    return !exchange.header("Source").isEmpty()
        || (!exchange.header("Destination").isEmpty() && !Editing.isHere(exchange));
  }

  /** Carries out one COPY. */
  static void run(WebHost host, Digests digests, Exchange exchange, RequestPath path)
      throws HttpRefusal, FdtException, InterruptedException {
    exchange.client().checkThirdParty();
    ThirdPartyCopy copy = new ThirdPartyCopy(host, exchange, path);
    String source = exchange.header("Source");
    if (!source.isEmpty() && !exchange.header("Destination").isEmpty()) {
      throw new HttpRefusal(400, "both Source and Destination; name the other end only");
    }
    if (source.isEmpty()) {
      copy.push(RemoteUrl.of(exchange.header("Destination")), digests);
    } else {
      copy.pull(RemoteUrl.of(source));
    }
  }

  /** The work after the answer has begun. */
  private interface Work {
    void run() throws HttpRefusal, FdtException, InterruptedException;
  }

  /** Reports progress while the work goes on, then its outcome. */
  private void report(boolean isPull, RemoteUrl other, Work work)
      throws FdtException, InterruptedException {
    String outcome;
    try (WebTransfer own = exchange.client().transfer(!isPull, path.path(), other.authority())) {
      transfer = own;
      exchange.whenGone(this::cancel);
      exchange.begin(202, AnswerHeaders.of("Content-Type", "text/perf-marker-stream"), -1);
      exchange.write(text(marker()));
      Runnable stopMarks = exchange.every(MARKED, this::marker);
      try {
        work.run();
        outcome = "success: Created";
      } catch (HttpRefusal e) {
        own.failed(e.as(ErrorCode.UNREACHABLE));
        outcome = "failure: " + e.getMessage();
      } catch (FdtException e) {
        own.failed(e);
        outcome = "failure: " + HttpRefusal.text(e);
      } finally {
        stopMarks.run();
        cancel();
      }
    }
    exchange.write(text(marker() + outcome + "\n"));
    exchange.end();
  }

  private static ByteBuf text(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
  }

  /** Any thread. */
  private String marker() {
    List<String> peers = open.stream().map(Remote::peer).distinct().toList();
    return """
    Perf Marker
        Timestamp: %d
        Stripe Index: 0
        Stripe Bytes Transferred: %d
        Total Stripe Count: 1
    %sEnd
    """
        .formatted(
            System.currentTimeMillis() / 1000,
            transfer.moved(),
            peers.isEmpty() ? "" : "    RemoteConnections: " + String.join(",", peers) + "\n");
  }

  /** Ends all connections to the other server. Any thread. */
  private void cancel() {
    isCancelled = true;
    open.forEach(Remote::close);
  }

  private Remote dial(RemoteUrl url) throws FdtException {
    exchange.client().openFiles().take();
    Remote remote;
    try {
      remote = Remote.dial(url, rule, patience);
    } catch (FdtException | RuntimeException | Error e) {
      exchange.client().openFiles().giveBack();
      throw e;
    }
    open.add(remote);
    if (isCancelled) {
      remote.close();
    }
    return remote;
  }

  private void release(Remote remote) {
    if (open.remove(remote)) {
      remote.release();
      exchange.client().openFiles().giveBack();
    }
  }

  /** A response with its connection, from which its body comes. */
  private record Answer(Remote remote, HttpResponse head) {
    int status() {
      return head.status().code();
    }
  }

  /** A request. Some servers (XRootD 5) know names of headers with capitals only. */
  private HttpRequest request(
      HttpMethod method, RemoteUrl url, Map<String, String> more, boolean isFirstServer) {
    boolean isWhole = !method.equals(HttpMethod.PUT);
    HttpRequest request =
        isWhole
            ? new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, method, url.target(), Unpooled.EMPTY_BUFFER)
            : new DefaultHttpRequest(HttpVersion.HTTP_1_1, method, url.target());
    headers.forEach(
        (name, value) -> {
          boolean isSecret =
              name.equalsIgnoreCase("Authorization") || name.equalsIgnoreCase("Cookie");
          if (isFirstServer || !isSecret) {
            request.headers().set(name, value);
          }
        });
    more.forEach(request.headers()::set);
    request.headers().set("Host", url.authority());
    request.headers().set("User-Agent", "fdt");
    return request;
  }

  /**
   * Asks, and follows redirects. The caller releases the connection of the answer.
   *
   * @param more headers besides those of the client
   */
  private Answer ask(HttpMethod method, RemoteUrl url, Map<String, String> more)
      throws HttpRefusal, FdtException {
    RemoteUrl at = url;
    for (int i = 0; i <= MOST_REDIRECTS; i++) {
      Remote remote = dial(at);
      boolean isAnswered = false;
      try {
        remote.send(request(method, at, more, at.isSameServer(url)));
        HttpResponse head = head(remote);
        String location = head.headers().get("Location", "");
        if (!REDIRECTS.contains(head.status().code()) || location.isEmpty()) {
          isAnswered = true;
          return new Answer(remote, head);
        }
        at = at.redirected(location);
      } finally {
        if (!isAnswered) {
          release(remote);
        }
      }
    }
    throw new HttpRefusal(502, "the other server redirects too often");
  }

  /** The head of the answer, after those of status 1xx. */
  private static HttpResponse head(Remote remote) throws FdtException {
    while (true) {
      Object message = remote.receive();
      if (message instanceof HttpResponse head && head.status().code() >= 200) {
        if (head.decoderResult().isFailure()) {
          throw bad(remote, "sends no HTTP");
        }
        return head;
      }
      Remote.drop(message);
    }
  }

  private static FdtException bad(Remote remote, String what) {
    return new FdtException(
        ErrorCode.UNREACHABLE,
        "'%s' %s; ask who runs it".formatted(remote.url().authority(), what));
  }

  private void pull(RemoteUrl source) throws HttpRefusal, FdtException, InterruptedException {
    FileWriting.checkPlace(exchange, path);
    Optional<FileState> before = FileState.find(exchange.client().files(), path);
    if (before.isPresent() && (before.get().isDirectory() || !overwrites)) {
      throw new HttpRefusal(412, "the name exists; choose another one, or use Overwrite: T");
    }
    report(true, source, () -> fetch(source));
  }

  private static Map<String, String> wantsDigest() {
    return Map.of(
        "Want-Repr-Digest", "adler32=5, crc32c=4, md5=3, sha-256=2",
        "Want-Digest", "adler32, crc32c;q=0.9, md5;q=0.8, sha-256;q=0.7",
        "Accept-Encoding", "identity");
  }

  private void fetch(RemoteUrl source) throws HttpRefusal, FdtException, InterruptedException {
    Answer answer = ask(HttpMethod.GET, source, wantsDigest());
    try {
      require(answer, Set.of(200));
      HttpHeaders head = answer.head().headers();
      long size = HttpUtil.getContentLength(answer.head(), -1L);
      BodyDigests digests = BodyDigests.of(head, "Repr-Digest", "Digest");
      if (digests.isEmpty() && requiresDigest) {
        digests = digestsOf(source);
      }
      if (digests.isEmpty() && requiresDigest) {
        throw bad(answer.remote(), "gives no digest; use RequireChecksumVerification: false");
      }
      String tag = head.get("ETag", "");
      boolean isSplit = streams > 1 && size > streams * (long) BLOCK && tag.startsWith("\"");
      try (Upload upload =
          Upload.begin(exchange.client(), path, size < 0 ? Upload.UNKNOWN : size, !overwrites)) {
        if (isSplit && upload.writesRandomly()) {
          release(answer.remote());
          fetchRanges(source, tag, size, upload);
          FileWriting.hash(exchange, upload, size, digests);
        } else {
          body(answer, upload, digests, new Range(0, size < 0 ? Long.MAX_VALUE : size), size >= 0);
        }
        digests.check(path);
        exchange.checkStays();
        try {
          upload.publish(null);
        } catch (FdtException e) {
          throw Conditions.taken(!overwrites, e);
        }
      }
      transfer.written(transfer.moved());
    } finally {
      release(answer.remote());
    }
  }

  private BodyDigests digestsOf(RemoteUrl url) throws HttpRefusal, FdtException {
    Answer answer = ask(HttpMethod.HEAD, url, wantsDigest());
    try {
      require(answer, Set.of(200));
      return BodyDigests.of(answer.head().headers(), "Repr-Digest", "Digest");
    } finally {
      release(answer.remote());
    }
  }

  private static void require(Answer answer, Set<Integer> statuses) throws FdtException {
    if (!statuses.contains(answer.status())) {
      throw new FdtException(
          answer.status() == 404 ? ErrorCode.NOT_FOUND : ErrorCode.UNREACHABLE,
          "'%s' answers %s".formatted(answer.remote().url().authority(), answer.head().status()));
    }
  }

  /** Writes the body of an answer to a range of the file. */
  private void body(Answer answer, Upload upload, BodyDigests digests, Range range, boolean isSized)
      throws FdtException, InterruptedException {
    long offset = range.start();
    try (WebTransfer.Stream stream = transfer.stream()) {
      while (true) {
        Object message = answer.remote().receive();
        try {
          if (!(message instanceof HttpContent content) || content.decoderResult().isFailure()) {
            throw bad(answer.remote(), "cuts its answer");
          }
          ByteBuf piece = content.content();
          if (piece.readableBytes() > range.end() - offset) {
            throw bad(answer.remote(), "sends more than it announces");
          }
          upload.write(piece, offset);
          if (digests != null) {
            digests.update(piece);
          }
          offset += piece.readableBytes();
          exchange.pause(stream.nanosToWait(piece.readableBytes(), System.nanoTime()));
          exchange.checkStays();
          if (message instanceof LastHttpContent) {
            break;
          }
        } finally {
          Remote.drop(message);
        }
      }
    }
    if (isSized && offset != range.end()) {
      throw bad(answer.remote(), "sends less than it announces");
    }
  }

  /** Fetches equal ranges of a file on connections of their own, on threads of this copy. */
  private void fetchRanges(RemoteUrl source, String tag, long size, Upload upload)
      throws FdtException, InterruptedException {
    List<Thread> threads = new ArrayList<>();
    List<FdtException> failures = new CopyOnWriteArrayList<>();
    for (int i = 0; i < streams; i++) {
      Range range =
          new Range(size / streams * i, i == streams - 1 ? size : size / streams * (i + 1));
      Thread thread =
          new Thread(
              () -> {
                try {
                  fetchRange(source, tag, range, upload);
                } catch (FdtException e) {
                  failures.add(e);
                  cancel();
                } catch (HttpRefusal e) {
                  failures.add(e.as(ErrorCode.UNREACHABLE));
                  cancel();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                } catch (RuntimeException | Error e) {
                  failures.add(FdtException.unforeseen("a stream failed", e));
                  cancel();
                }
              },
              "fdt-server-copy");
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } finally {
      threads.forEach(Thread::interrupt);
    }
    if (!failures.isEmpty()) {
      throw failures.get(0);
    }
  }

  private void fetchRange(RemoteUrl source, String tag, Range range, Upload upload)
      throws HttpRefusal, FdtException, InterruptedException {
    Map<String, String> more =
        Map.of(
            "Range",
            "bytes=%d-%d".formatted(range.start(), range.end() - 1),
            "If-Range",
            tag,
            "Accept-Encoding",
            "identity");
    Answer answer = ask(HttpMethod.GET, source, more);
    try {
      require(answer, Set.of(206));
      if (!answer.head().headers().get("ETag", tag).equals(tag)) {
        throw bad(answer.remote(), "has another version of the file now");
      }
      body(answer, upload, null, range, true);
    } finally {
      release(answer.remote());
    }
  }

  private void push(RemoteUrl destination, Digests digests)
      throws HttpRefusal, FdtException, InterruptedException {
    HttpRefusal[] refusal = new HttpRefusal[1];
    exchange
        .client()
        .files()
        .list(
            path.path(),
            Storage.Depth.ITSELF,
            item -> {
              if (!item.attributes().is(EntryKind.FILE)) {
                refusal[0] = new HttpRefusal(409, "only files are copied to other servers");
                return;
              }
              try (ListedFile file = item.opener().open()) {
                FileState state = new FileState(item.attributes(), file.version());
                report(false, destination, () -> send(destination, file, state, digests));
              }
            });
    if (refusal[0] != null) {
      throw refusal[0];
    }
  }

  private void send(RemoteUrl destination, ListedFile file, FileState state, Digests digests)
      throws HttpRefusal, FdtException, InterruptedException {
    if (!overwrites) {
      requireFree(destination);
    }
    RemoteUrl at = destination;
    for (int i = 0; i <= MOST_REDIRECTS; i++) {
      Remote remote = dial(at);
      try {
        HttpResponse head = put(remote, at.isSameServer(destination), file, state);
        String location = head.headers().get("Location", "");
        if (!REDIRECTS.contains(head.status().code()) || location.isEmpty()) {
          require(new Answer(remote, head), Set.of(200, 201, 204));
          compare(destination, file, state, digests);
          transfer.read(true);
          return;
        }
        at = at.redirected(location);
      } finally {
        release(remote);
      }
    }
    throw new HttpRefusal(502, "the other server redirects too often");
  }

  /** Checks that nothing has the name; some servers (XRootD 5) ignore If-None-Match. */
  private void requireFree(RemoteUrl destination) throws HttpRefusal, FdtException {
    Answer answer = ask(HttpMethod.HEAD, destination, Map.of());
    try {
      if (answer.status() == 200) {
        throw new HttpRefusal(412, "the destination exists; use Overwrite: T to replace it");
      }
      require(answer, Set.of(404));
    } finally {
      release(answer.remote());
    }
  }

  /** Sends the file once the other server wants it. */
  private HttpResponse put(Remote remote, boolean isFirstServer, ListedFile file, FileState state)
      throws FdtException, InterruptedException {
    long size = state.version().size();
    HttpRequest request = request(HttpMethod.PUT, remote.url(), Map.of(), isFirstServer);
    request.headers().set("Content-Length", size);
    if (!overwrites) {
      request.headers().set("If-None-Match", "*");
    }
    if (size == 0) {
      remote.send(request);
      remote.send(LastHttpContent.EMPTY_LAST_CONTENT);
      return head(remote);
    }
    request.headers().set("Expect", "100-continue");
    remote.send(request);
    Object message = remote.receive();
    while (!(message instanceof HttpResponse)) {
      Remote.drop(message);
      message = remote.receive();
    }
    HttpResponse first = (HttpResponse) message;
    if (first.status().code() >= 200) {
      if (first.status().code() < 300) {
        throw bad(remote, "answers before it has the file");
      }
      return first;
    }
    try (WebTransfer.Stream stream = transfer.stream()) {
      for (long offset = 0; offset < size; ) {
        int wanted = (int) Math.min(BLOCK, size - offset);
        ByteBuf block = ByteBufAllocator.DEFAULT.buffer(wanted);
        boolean isWhole = false;
        try {
          isWhole = file.read(block, wanted, offset) == wanted;
        } finally {
          if (!isWhole) {
            block.release();
          }
        }
        offset += wanted;
        if (!isWhole || (offset == size && !file.version().equals(state.version()))) {
          throw new FdtException(
              ErrorCode.SOURCE_CHANGED,
              "'%s' changed while it was read; copy it again".formatted(path.path()));
        }
        exchange.pause(stream.nanosToWait(wanted, System.nanoTime()));
        exchange.checkStays();
        remote.send(new DefaultHttpContent(block));
      }
    }
    remote.send(LastHttpContent.EMPTY_LAST_CONTENT);
    return head(remote);
  }

  /** Compares the digest that the other server has of the file. */
  private void compare(RemoteUrl destination, ListedFile file, FileState state, Digests digests)
      throws HttpRefusal, FdtException, InterruptedException {
    if (!requiresDigest) {
      return;
    }
    Answer answer = ask(HttpMethod.HEAD, destination, wantsDigest());
    try {
      require(answer, Set.of(200));
      digests.compare(exchange, file, state, answer.head().headers(), path);
    } finally {
      release(answer.remote());
    }
  }
}
