package io.fdt.client.remote;

import io.fdt.client.RemoteDigest;
import io.fdt.client.RemoteFile;
import io.fdt.client.RemoteHost;
import io.fdt.client.RemoteTotals;
import io.fdt.client.RemoteVisitor;
import io.fdt.core.digest.DigestMethod;
import io.fdt.core.engine.meter.HostLimitsCoding;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Timestamp;
import io.fdt.core.node.Dialer;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.AbortCoding;
import io.fdt.core.wire.ChecksumCoding;
import io.fdt.core.wire.ManifestCoding;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Depth;
import io.fdt.core.wire.control.DescribeHost;
import io.fdt.core.wire.control.FileDigest;
import io.fdt.core.wire.control.HostDescription;
import io.fdt.core.wire.control.ListedFile;
import io.fdt.core.wire.control.Ping;
import io.fdt.core.wire.control.Problem;
import io.fdt.core.wire.control.ReachableExport;
import io.fdt.core.wire.control.Reply;
import io.fdt.core.wire.control.Request;
import io.fdt.core.wire.control.RequestEnd;
import io.fdt.core.wire.control.Taken;
import io.fdt.core.wire.control.Welcome;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * A control connection for requests, one at a time. Replies wait in a short queue until the
 * requesting thread takes them.
 */
public final class RemoteConnection implements ControlConnection.Handler {
  /**
   * Most queued replies, which are small: keepalives arrive once a second while the queue is
   * emptied.
   */
  private static final int MAX_WAITING = 8;

  /** Most relays that a server may announce. */
  private static final int MAX_RELAYS = 16;

  private final Dialer dialer;
  private final BlockingQueue<Control> answers = new LinkedBlockingQueue<>();
  private ControlConnection control;
  private InetSocketAddress server;
  private Fingerprint key;
  private volatile Future<?> pings;

  private volatile FdtException failure;
  private volatile Welcome welcome = Welcome.getDefaultInstance();
  private volatile long receivedNanos = System.nanoTime();

  /**
   * Replies in the queue or with the visitor; incremented on the event loop, decremented by the
   * requesting thread.
   */
  private final AtomicInteger replies = new AtomicInteger();

  private RemoteConnection(Dialer dialer) {
    this.dialer = dialer;
  }

  /** Connects. Blocks. */
  public static RemoteConnection open(Dialer dialer) throws FdtException {
    RemoteConnection connection = new RemoteConnection(dialer);
    var loop = dialer.node().loops().next();
    Dialer.Dialed dialed = dialer.dial(loop, (peer, roundTrip) -> {}, opened -> connection);
    connection.control = dialed.control();
    connection.server = dialed.peer();
    connection.key = dialed.key();
    long period = dialer.idleTimeout().toNanos() / 4;
    connection.pings =
        loop.scheduleAtFixedRate(
            () ->
                connection.control.send(
                    Control.newBuilder().setPing(Ping.getDefaultInstance()).build()),
            period,
            period,
            TimeUnit.NANOSECONDS);
    if (connection.failure != null) {
      connection.stopPings();
    }
    return connection;
  }

  private void stopPings() {
    Future<?> scheduled = pings;
    if (scheduled != null) {
      scheduled.cancel(false);
    }
  }

  /** The proven key of the server. */
  public Fingerprint key() {
    return key;
  }

  /** The server's address. */
  InetSocketAddress peer() {
    return server;
  }

  public boolean isClosed() {
    return failure != null;
  }

  public void close() {
    stopPings();
    control.close();
  }

  /** Handles the replies to one request. */
  private interface ReplyUse {
    void reply(Reply reply) throws FdtException;

    void working(long files, long bytes);
  }

  /**
   * Sends a request and passes replies to the visitor until the answer is complete.
   *
   * @throws RefusedException the server refuses the request
   * @throws FdtException the connection is unusable
   */
  public RemoteTotals ask(Request request, RemoteVisitor visitor)
      throws FdtException, RefusedException, InterruptedException {
    return ask(
        request,
        new ReplyUse() {
          @Override
          public void reply(Reply reply) throws FdtException {
            check(!reply.hasHost(), "an unexpected description of a host");
            check(reply.getData().isEmpty(), "unexpected bytes");
            pass(request, reply, visitor);
          }

          @Override
          public void working(long files, long bytes) {
            visitor.working(files, bytes);
          }
        });
  }

  /**
   * Reads a range into a buffer, as far as the file and the buffer reach; throws as {@link #ask}.
   */
  public void read(Request request, ByteBuffer target)
      throws FdtException, RefusedException, InterruptedException {
    RemoteTotals unused =
        ask(
            request,
            new ReplyUse() {
              @Override
              public void reply(Reply reply) throws FdtException {
                int length = reply.getData().size();
                check(
                    length > 0 && length <= target.remaining(),
                    "a range of " + length + " bytes, expected at most " + target.remaining());
                reply.getData().copyTo(target);
              }

              @Override
              public void working(long files, long bytes) {}
            });
  }

  /** The server's description of itself; throws as {@link #ask}. */
  public RemoteHost describe() throws FdtException, RefusedException, InterruptedException {
    Request request =
        Request.newBuilder().setId(1).setDescribeHost(DescribeHost.getDefaultInstance()).build();
    long askedNanos = System.nanoTime();
    HostDescription host = only(request, Reply::hasHost, "its host").getHost();
    Duration answered = Duration.ofNanos(System.nanoTime() - askedNanos);
    Duration roundTrip = control.roundTrip().isZero() ? answered : control.roundTrip();
    return new RemoteHost(
        MessageText.received(welcome.getSoftware()),
        roundTrip,
        HostLimitsCoding.decode(host),
        exports(host),
        relays(host));
  }

  /**
   * Sends a request with a single reply.
   *
   * @param answers recognises the reply
   * @param what the reply, for messages
   */
  public Reply only(Request request, Predicate<Reply> answers, String what)
      throws FdtException, RefusedException, InterruptedException {
    List<Reply> received = new ArrayList<>();
    RemoteTotals unused =
        ask(
            request,
            new ReplyUse() {
              @Override
              public void reply(Reply reply) throws FdtException {
                check(
                    answers.test(reply) && received.isEmpty(),
                    "an unexpected reply, expected " + what);
                received.add(reply);
              }

              @Override
              public void working(long files, long bytes) {}
            });
    check(!received.isEmpty(), "an end without " + what);
    return received.get(0);
  }

  private static List<String> relays(HostDescription host) throws FdtException {
    check(
        host.getRelaysCount() <= MAX_RELAYS,
        host.getRelaysCount() + " relays, at most " + MAX_RELAYS + " are allowed");
    return host.getRelaysList().stream().map(MessageText::received).toList();
  }

  private static List<RemoteHost.Reachable> exports(HostDescription host) throws FdtException {
    check(
        host.getExportsCount() <= HostLimitsCoding.MAX_EXPORTS,
        host.getExportsCount()
            + " exports, at most "
            + HostLimitsCoding.MAX_EXPORTS
            + " are allowed");
    List<RemoteHost.Reachable> exports = new ArrayList<>();
    for (ReachableExport export : host.getExportsList()) {
      BytePath path = pathOf(export.getPath().toByteArray());
      check(path.isAbsolute(), "a relative path of an export: '" + path + "'");
      exports.add(new RemoteHost.Reachable(path, export.getWritable()));
    }
    return exports;
  }

  private RemoteTotals ask(Request request, ReplyUse use)
      throws FdtException, RefusedException, InterruptedException {
    control.send(Control.newBuilder().setRequest(request).build());
    long progressNanos = System.nanoTime();
    while (true) {
      Control answer = answers.poll(200, TimeUnit.MILLISECONDS);
      if (answer == null) {
        checkAlive(progressNanos);
        continue;
      }
      progressNanos = System.nanoTime();
      switch (answer.getBodyCase()) {
        case REPLY -> {
          check(
              answer.getReply().getId() == request.getId(),
              "a reply to request " + answer.getReply().getId() + ", expected " + request.getId());
          use.reply(answer.getReply());
          replies.decrementAndGet();
          control.send(
              Control.newBuilder()
                  .setTaken(Taken.newBuilder().setId(request.getId()).setReplies(1))
                  .build());
        }
        case WORKING -> use.working(answer.getWorking().getFiles(), answer.getWorking().getBytes());
        case BODY_NOT_SET -> throw failure;
        default -> {
          check(
              answer.getRequestEnd().getId() == request.getId(),
              "an end of request "
                  + answer.getRequestEnd().getId()
                  + ", expected "
                  + request.getId());
          return totals(answer.getRequestEnd());
        }
      }
    }
  }

  private void checkAlive(long progressNanos) throws FdtException {
    long nowNanos = System.nanoTime();
    if (nowNanos - receivedNanos > dialer.idleTimeout().toNanos()) {
      throw new FdtException(
          ErrorCode.TIMEOUT,
          "%s did not answer within %d s"
              .formatted(dialer.host(), dialer.idleTimeout().toSeconds()));
    }
    if (nowNanos - progressNanos > dialer.deadlines().stallTimeout().toNanos()) {
      throw new FdtException(
          ErrorCode.TIMEOUT,
          "%s made no progress for %d s; check its disk"
              .formatted(dialer.host(), dialer.deadlines().stallTimeout().toSeconds()));
    }
  }

  private static RemoteTotals totals(RequestEnd end) throws RefusedException {
    if (end.getCode() != 0) {
      throw new RefusedException(
          new FdtException(
              ErrorCode.ofWireCode(end.getCode()), MessageText.received(end.getMessage())));
    }
    return new RemoteTotals(
        end.getFiles(), end.getDirectories(), end.getLinks(), end.getOthers(), end.getBytes());
  }

  private static void pass(Request request, Reply reply, RemoteVisitor visitor)
      throws FdtException {
    for (ListedFile file : reply.getFilesList()) {
      check(request.hasLook(), "an unexpected list of files");
      visitor.file(remoteFile(request, file));
    }
    for (FileDigest digest : reply.getDigestsList()) {
      check(request.hasDigests(), "unexpected digests");
      int length = digest.getDigest().size();
      check(length > 0 && length <= DigestMethod.MAX_LENGTH, "a digest of " + length + " bytes");
      check(digest.getSize() >= 0, "a negative size");
      visitor.digest(
          new RemoteDigest(
              path(
                  digest.getPath().toByteArray(),
                  request.getDigests().getPath().toByteArray(),
                  request.getDigests().getRecursive()),
              digest.getSize(),
              RemoteDigest.construction(
                  ChecksumCoding.decode(request.getDigests().getChecksum()),
                  request.getDigests().getPlain()),
              HexFormat.of().formatHex(digest.getDigest().toByteArray())));
    }
    for (Problem problem : reply.getProblemsList()) {
      check(
          request.hasLook() || request.hasRemove() || request.hasDigests() || request.hasMeasure(),
          "a list of problems without a kind");
      visitor.problem(
          MessageText.received(problem.getPath()),
          ErrorCode.ofWireCode(problem.getCode()),
          MessageText.received(problem.getMessage()));
    }
  }

  private static RemoteFile remoteFile(Request request, ListedFile file) throws FdtException {
    byte[] asked = request.getLook().getPath().toByteArray();
    Depth depth = request.getLook().getDepth();
    BytePath name = path(file.getName().toByteArray(), asked, depth == Depth.TREE);
    boolean isName = FileName.flawOf(name.bytes()) == null || name.equals(pathOf(asked));
    check(depth == Depth.TREE || isName, "a listing with the path '" + name + "', expected a name");
    check(file.getSize() >= 0, "a negative size");
    return new RemoteFile(
        name,
        switch (file.getKind()) {
          case FILE -> Optional.of(EntryKind.FILE);
          case DIRECTORY -> Optional.of(EntryKind.DIRECTORY);
          case SYMLINK -> Optional.of(EntryKind.SYMLINK);
          default -> Optional.empty();
        },
        file.getSize(),
        file.getMode() & (file.getKindValue() == 0 ? 0xFFFF : 07777),
        file.hasModified() ? ManifestCoding.decode(file.getModified()) : new Timestamp(0, 0),
        pathOf(file.getLinkTarget().toByteArray()),
        file.getIdentity(),
        owner(file));
  }

  private static Optional<Owner> owner(ListedFile file) throws FdtException {
    if (!file.hasOwner()) {
      return Optional.empty();
    }
    check(
        file.getOwner().getUser() != -1 && file.getOwner().getGroup() != -1,
        "an owner that is unset");
    return Optional.of(new Owner(file.getOwner().getUser(), file.getOwner().getGroup()));
  }

  /** A path in an answer: the requested one, or one that stays beneath it. */
  private static BytePath path(byte[] answered, byte[] asked, boolean mayBeDeep)
      throws FdtException {
    BytePath path = pathOf(answered);
    if (path.equals(pathOf(asked))) {
      return path;
    }
    try {
      int names = path.names().size();
      check(
          !path.isAbsolute() && names > 0 && (mayBeDeep || names == 1),
          "the path '" + path + "', expected one beneath the requested path");
      return path;
    } catch (IllegalArgumentException e) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "the server sent a bad path: " + e.getMessage(), e);
    }
  }

  private static BytePath pathOf(byte[] bytes) throws FdtException {
    try {
      return BytePath.of(bytes);
    } catch (IllegalArgumentException e) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "the server sent a bad path: " + e.getMessage(), e);
    }
  }

  static void check(boolean good, String flaw) throws FdtException {
    if (!good) {
      throw new FdtException(ErrorCode.PROTOCOL, "the server sent " + flaw);
    }
  }

  @Override
  public void message(Control message) throws FdtException {
    receivedNanos = System.nanoTime();
    switch (message.getBodyCase()) {
      case WELCOME -> welcome = message.getWelcome();
      case PONG -> {}
      case ABORT -> fail(AbortCoding.decode(message.getAbort()));
      case REPLY -> {
        check(
            replies.incrementAndGet() <= MAX_WAITING,
            "more than " + MAX_WAITING + " replies ahead");
        answers.add(message);
      }
      case WORKING -> {
        // Drops keepalives while answers wait: the next one has the newer state.
        if (answers.isEmpty()) {
          answers.add(message);
        }
      }
      case REQUEST_END -> {
        check(answers.size() <= MAX_WAITING + 1, "more than one end of a request");
        answers.add(message);
      }
      default ->
          throw new FdtException(
              ErrorCode.PROTOCOL,
              "unexpected message " + message.getBodyCase() + ", expected an answer to a request");
    }
  }

  private void fail(FdtException cause) {
    if (failure == null) {
      failure = cause;
      answers.add(Control.getDefaultInstance()); // wakes the waiting thread
    }
  }

  @Override
  public void closed(FdtException cause) {
    fail(cause);
    stopPings();
  }
}
