package io.fdt.webdav;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.PathText;
import io.fdt.server.web.WebClient;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Date;
import java.util.Deque;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * One request and its answer, for a thread that blocks: it waits for the body, and for a client
 * that reads slowly. The answer is begun once, and ended on every way.
 *
 * <p>{@link #offer}, {@link #gone} and {@link #writabilityChanged} belong to the event loop of the
 * connection, the rest to the thread of the request.
 */
final class Exchange {
  /** Bytes of a body that are read ahead. */
  private static final int MOST_AHEAD = 1 << 20;

  /** The interval of checks for a client whose token was revoked, or that reads nothing. */
  private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Most bytes of an unread body that are dropped to keep the connection. */
  private static final long MOST_DROPPED = 64 << 10;

  private static final String BEARER = "bearer ";
  private static final String BASIC = "basic ";

  private final ChannelHandlerContext context;
  private final HttpRequest request;
  private final String peer;
  private final long patienceNanos;
  private final Runnable readNext;
  private final Runnable finished;
  private WebClient client;
  private boolean begun;
  private ChannelFuture last;
  private boolean isHead;
  private boolean continues;
  private boolean closes;
  private long checkedNanos = System.nanoTime();

  // Guarded by this.
  private final Deque<HttpContent> body = new ArrayDeque<>();
  private long aheadBytes;
  private boolean bodyEnded;
  private boolean reads = true;
  private boolean gone;

  /** Whether the chunks of the body cannot be read. */
  private boolean isBroken;

  private Runnable whenGone = () -> {};
  private boolean ended;

  Exchange(
      ChannelHandlerContext context,
      HttpRequest request,
      String peer,
      Duration patience,
      Runnable readNext,
      Runnable finished) {
    this.context = context;
    this.request = request;
    this.peer = peer;
    this.patienceNanos = patience.toNanos();
    this.readNext = readNext;
    this.finished = finished;
    this.isHead = method().equals("HEAD");
    this.continues = HttpUtil.is100ContinueExpected(request);
    this.closes = !HttpUtil.isKeepAlive(request);
  }

  void admit(WebClient admitted) {
    client = admitted;
  }

  WebClient client() {
    return client;
  }

  /** Whether the request needs no rights, and has no client. */
  boolean isOpenToAll() {
    return client == null;
  }

  /** Releases the client. */
  void release() {
    if (client != null) {
      client.close();
    }
  }

  /** Address and port of the client, for logs. */
  String peer() {
    return peer;
  }

  String method() {
    return request.method().name();
  }

  String target() {
    return request.uri();
  }

  /** The target without its query, for logs. */
  String shownPath() {
    String path = request.uri().replaceFirst("[?#].*", "");
    return PathText.escape(path.getBytes(StandardCharsets.ISO_8859_1));
  }

  HttpHeaders headers() {
    return request.headers();
  }

  /** A header; empty for none. */
  String header(String name) {
    return request.headers().get(name, "");
  }

  /** The token: a bearer, or the password of Basic; empty for none. */
  String token() {
    String credentials = header("Authorization");
    String scheme = credentials.toLowerCase(Locale.ROOT);
    if (scheme.startsWith(BEARER)) {
      return credentials.substring(BEARER.length()).strip();
    }
    if (!scheme.startsWith(BASIC)) {
      return "";
    }
    try {
      String pair =
          new String(
              Base64.getDecoder().decode(credentials.substring(BASIC.length()).strip()),
              StandardCharsets.UTF_8);
      return pair.substring(pair.indexOf(':') + 1);
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  /** The length of the body; -1 when it is chunked, or said to be no number. */
  long bodyLength() {
    String length = headers().get(HttpHeaderNames.CONTENT_LENGTH, "0");
    boolean isKnown = length.matches("[0-9]{1,18}");
    return isKnown && !HttpUtil.isTransferEncodingChunked(request) ? Long.parseLong(length) : -1;
  }

  synchronized void offer(HttpContent content) {
    if (ended || content.decoderResult().isFailure()) {
      isBroken = !ended;
      content.release();
      gone = true;
      notifyAll();
      return;
    }
    body.add(content);
    aheadBytes += content.content().readableBytes();
    bodyEnded = content instanceof LastHttpContent;
    reads = bodyEnded || aheadBytes < MOST_AHEAD;
    if (reads) {
      readNext.run(); // after the end: a next request, or the end of the connection
    }
    notifyAll();
  }

  void gone() {
    Runnable hook;
    synchronized (this) {
      gone = true;
      hook = whenGone;
      notifyAll();
      if (ended) {
        dropBody();
      }
    }
    hook.run();
  }

  /** Has work that waits for something else end with the client; the hook must not block. */
  void whenGone(Runnable hook) {
    boolean isLate;
    synchronized (this) {
      whenGone = hook;
      isLate = gone;
    }
    if (isLate) {
      hook.run();
    }
  }

  /**
   * Adds text to the body of the answer from time to time, on the event loop.
   *
   * @return ends it
   */
  Runnable every(Duration period, Supplier<String> text) {
    Future<?> timer =
        context
            .executor()
            .scheduleAtFixedRate(
                () ->
                    context.writeAndFlush(
                        new DefaultHttpContent(
                            Unpooled.copiedBuffer(text.get(), StandardCharsets.UTF_8))),
                period.toNanos(),
                period.toNanos(),
                TimeUnit.NANOSECONDS);
    return () -> timer.cancel(false);
  }

  synchronized void writabilityChanged() {
    notifyAll();
  }

  private void dropBody() {
    body.forEach(HttpContent::release);
    body.clear();
  }

  /**
   * The next bytes of the body; null at its end. The caller releases them.
   *
   * @throws FdtException TIMEOUT when none come in time; CANCELLED when the client is gone
   */
  ByteBuf read() throws FdtException, InterruptedException {
    if (continues) {
      continues = false;
      context.writeAndFlush(
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
    }
    check();
    synchronized (this) {
      long endNanos = System.nanoTime() + patienceNanos;
      while (body.isEmpty() && !bodyEnded) {
        long left = endNanos - System.nanoTime();
        if (isBroken) {
          throw new FdtException(
              ErrorCode.PROTOCOL, "the chunks of the body cannot be read; send its length");
        }
        if (gone) {
          throw lost();
        }
        if (left <= 0) {
          throw new FdtException(
              ErrorCode.TIMEOUT,
              "no bytes of the body came for %d s; send them faster"
                  .formatted(TimeUnit.NANOSECONDS.toSeconds(patienceNanos)));
        }
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
      HttpContent content = body.poll();
      if (content == null) {
        return null;
      }
      aheadBytes -= content.content().readableBytes();
      if (!reads && aheadBytes < MOST_AHEAD / 2) {
        reads = true;
        readNext.run();
      }
      return content.content();
    }
  }

  private static FdtException lost() {
    return new FdtException(ErrorCode.CANCELLED, "the client has closed its connection");
  }

  /**
   * Checks that long work still has a client.
   *
   * @throws FdtException CANCELLED when the client is gone; UNAUTHENTICATED
   */
  void checkStays() throws FdtException {
    synchronized (this) {
      if (gone) {
        throw lost();
      }
    }
    check();
  }

  /** Checks once a second that the client's token is still valid. */
  private void check() throws FdtException {
    long nowNanos = System.nanoTime();
    if (client != null && nowNanos - checkedNanos >= CHECK_NANOS) {
      checkedNanos = nowNanos;
      client.check();
    }
  }

  /** Waits before the next bytes are moved, while the client stays. */
  void pause(long nanos) throws FdtException, InterruptedException {
    long endNanos = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = endNanos - System.nanoTime()) {
      checkStays();
      synchronized (this) {
        TimeUnit.NANOSECONDS.timedWait(this, Math.min(left, CHECK_NANOS));
      }
    }
  }

  /** Whether the answer has begun. */
  boolean hasBegun() {
    return begun;
  }

  /**
   * Begins the answer.
   *
   * @param length of its body; -1 when it is not known
   */
  void begin(int status, HttpHeaders headers, long length) {
    HttpResponse response =
        new DefaultHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), complete(headers));
    if (length >= 0) {
      HttpUtil.setContentLength(response, length);
    } else if (status != 204 && status != 304) {
      HttpUtil.setTransferEncodingChunked(response, true);
    }
    begun = true;
    context.write(response);
  }

  private HttpHeaders complete(HttpHeaders headers) {
    headers.set(HttpHeaderNames.DATE, DateFormatter.format(Date.from(Instant.now())));
    AnswerHeaders.SAFETY.forEach(
        (name, value) -> {
          if (!headers.contains(name)) {
            headers.set(name, value);
          }
        });
    if (!isBodyRead() || (isOpenToAll() && bodyLength() != 0)) {
      closes = true;
    }
    if (closes) {
      headers.set(HttpHeaderNames.CONNECTION, "close");
    }
    return headers;
  }

  /** Whether the rest of the body is here, or so small that it is dropped. */
  private synchronized boolean isBodyRead() {
    return bodyEnded || (!continues && bodyLength() >= 0 && bodyLength() <= MOST_DROPPED);
  }

  /**
   * Sends bytes of the answer, and waits while the client is far behind.
   *
   * @param bytes released on every way
   */
  void write(ByteBuf bytes) throws FdtException, InterruptedException {
    if (isHead) {
      bytes.release();
      return;
    }
    try {
      check();
      awaitWritable();
    } catch (FdtException | InterruptedException e) {
      bytes.release();
      throw e;
    }
    context.writeAndFlush(new DefaultHttpContent(bytes));
  }

  private synchronized void awaitWritable() throws FdtException, InterruptedException {
    long progressNanos = System.nanoTime();
    long before = -1;
    while (!gone && !context.channel().isWritable()) {
      long waiting = context.channel().bytesBeforeWritable();
      long nowNanos = System.nanoTime();
      if (waiting != before) {
        before = waiting;
        progressNanos = nowNanos;
      } else if (nowNanos - progressNanos > patienceNanos) {
        throw new FdtException(ErrorCode.TIMEOUT, "the client reads nothing any more");
      }
      TimeUnit.NANOSECONDS.timedWait(this, CHECK_NANOS);
    }
    if (gone) {
      throw lost();
    }
  }

  /** Ends the answer. */
  void end() {
    if (last == null) {
      last = context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    }
  }

  /** Cuts the connection, so that a half answer is not taken for a whole one. */
  void cut() {
    closes = true;
    last = context.close();
  }

  /** Called once, last: the connection takes its next request, or closes. */
  void finish() {
    boolean isKept;
    synchronized (this) {
      isKept = last != null && !closes && awaitEndOfBody();
      ended = true;
      dropBody();
    }
    if (isKept) {
      finished.run();
    } else if (last != null) {
      last.addListener(ChannelFutureListener.CLOSE);
    } else {
      context.close();
    }
  }

  /** Drops the small rest of a body; guarded by this. */
  private boolean awaitEndOfBody() {
    long endNanos = System.nanoTime() + patienceNanos;
    try {
      dropBody();
      while (!bodyEnded && !gone && endNanos - System.nanoTime() > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, CHECK_NANOS);
        dropBody();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return bodyEnded && !gone;
  }

  /** A whole answer with a short body. */
  void answer(int status, HttpHeaders headers, ByteBuf bytes) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(status),
            isHead ? Unpooled.EMPTY_BUFFER : bytes,
            complete(headers),
            AnswerHeaders.empty());
    if (status != 204 && status != 304) {
      HttpUtil.setContentLength(response, bytes.readableBytes());
    }
    if (isHead) {
      bytes.release();
    }
    begun = true;
    last = context.writeAndFlush(response);
  }

  /** An answer that is one line for a person. */
  void say(int status, HttpHeaders headers, String line) {
    headers.set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8");
    headers.set(HttpHeaderNames.CACHE_CONTROL, "no-store");
    answer(status, headers, Unpooled.copiedBuffer(line + "\n", StandardCharsets.UTF_8));
  }

  void refuse(HttpRefusal refusal) {
    if (begun) {
      cut();
      return;
    }
    HttpHeaders headers = AnswerHeaders.empty();
    refusal.headers().forEach(headers::set);
    say(refusal.status(), headers, refusal.getMessage());
  }

  /** Refuses a request on the event loop, before it has a thread. */
  void refuseAndClose(HttpRefusal refusal) {
    closes = true;
    refuse(refusal);
    finish();
  }

  void fail(FdtException cause) {
    refuse(HttpRefusal.of(cause));
  }
}
