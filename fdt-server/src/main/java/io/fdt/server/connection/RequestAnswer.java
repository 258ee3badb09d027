package io.fdt.server.connection;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.meter.HostLimitsCoding;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.wire.ManifestCoding;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.EntryKind;
import io.fdt.core.wire.control.FileDigest;
import io.fdt.core.wire.control.HandOverPlace;
import io.fdt.core.wire.control.HostDescription;
import io.fdt.core.wire.control.ListedFile;
import io.fdt.core.wire.control.Owner;
import io.fdt.core.wire.control.Problem;
import io.fdt.core.wire.control.ReachableExport;
import io.fdt.core.wire.control.Reply;
import io.fdt.core.wire.control.RequestEnd;
import io.fdt.core.wire.control.Route;
import io.fdt.core.wire.control.RouteState;
import io.fdt.core.wire.control.Working;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The growing answer to one request: replies of bounded size, of which a limited number is in
 * flight. It grows on the thread of the request; {@link #taken}, {@link #heard} and {@link #cancel}
 * are for the event loop.
 */
public final class RequestAnswer {
  /**
   * Checks whether the client still has the right to its request; called at most twice a second.
   */
  public interface StillAllowed {
    /**
     * Checks the token.
     *
     * @throws FdtException the token is no longer valid
     */
    void check() throws FdtException;
  }

  /** The most unacknowledged replies: half a megabyte. */
  static final int MAX_AHEAD = 8;

  private static final int ENTRIES_PER_REPLY = 2000;
  static final int BYTES_PER_REPLY = 64 << 10;

  /** The estimated overhead of an entry, so that a message fits into a reply with full names. */
  private static final int ENTRY_BYTES = 32;

  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long WORKING_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ControlConnection connection;
  private final long id;
  private final long patienceNanos;
  private final StillAllowed stillAllowed;
  private final Runnable lastGoesOut;

  private Reply.Builder reply;
  private int replyEntries;
  private int replyBytes;
  private final RequestEnd.Builder totals;
  private long checkedNanos = System.nanoTime();
  private long workingNanos = checkedNanos;

  // Guarded by this.
  private int ahead;
  private boolean cancelled;
  private long heardNanos = System.nanoTime();

  /**
   * @param patience the longest silence of the client
   * @param lastGoesOut runs before the last message is sent
   */
  RequestAnswer(
      ControlConnection connection,
      long id,
      Duration patience,
      StillAllowed stillAllowed,
      Runnable lastGoesOut) {
    this.connection = connection;
    this.id = id;
    this.patienceNanos = patience.toNanos();
    this.stillAllowed = stillAllowed;
    this.lastGoesOut = lastGoesOut;
    this.reply = Reply.newBuilder().setId(id);
    this.totals = RequestEnd.newBuilder().setId(id);
  }

  long id() {
    return id;
  }

  /** Records replies that the client has processed. */
  synchronized void taken(int replies) throws FdtException {
    if (replies < 1 || replies > ahead) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "%d replies taken of %d".formatted(replies, ahead));
    }
    ahead -= replies;
    notifyAll();
  }

  /** Records a sign of life of the client. */
  synchronized void heard() {
    heardNanos = System.nanoTime();
  }

  /** Cancels the request. */
  synchronized void cancel() {
    cancelled = true;
    notifyAll();
  }

  /** Adds a file to the totals. */
  void count(Attributes attributes) {
    if (attributes.kind().isEmpty()) {
      totals.setOthers(totals.getOthers() + 1);
      return;
    }
    switch (attributes.kind().get()) {
      case FILE -> {
        totals.setFiles(totals.getFiles() + 1);
        totals.setBytes(totals.getBytes() + attributes.size());
      }
      case DIRECTORY -> totals.setDirectories(totals.getDirectories() + 1);
      case SYMLINK -> totals.setLinks(totals.getLinks() + 1);
    }
  }

  /** The number of names in the totals. */
  long entries() {
    return totals.getFiles() + totals.getDirectories() + totals.getLinks() + totals.getOthers();
  }

  /** Adds a file of a listing. */
  void file(ListingVisitor.Item item) throws FdtException, InterruptedException {
    Attributes attributes = item.attributes();
    ListedFile.Builder file =
        ListedFile.newBuilder()
            .setName(ByteString.copyFrom(item.name().bytes()))
            .setKind(attributes.kind().map(ManifestCoding::encode).orElse(EntryKind.OTHER))
            .setSize(attributes.size())
            .setMode(attributes.mode())
            .setLinkTarget(ByteString.copyFrom(item.linkTarget().bytes()))
            .setIdentity(attributes.identity());
    if (attributes.modified() != null) {
      file.setModified(ManifestCoding.encode(attributes.modified()))
          .setOwner(Owner.newBuilder().setUser(attributes.user()).setGroup(attributes.group()));
    }
    reply.addFiles(file);
    added(item.name().length() + item.linkTarget().length());
  }

  /** Adds the digest of a file. */
  void digest(BytePath path, long size, byte[] digest) throws FdtException, InterruptedException {
    reply.addDigests(
        FileDigest.newBuilder()
            .setPath(ByteString.copyFrom(path.bytes()))
            .setSize(size)
            .setDigest(ByteString.copyFrom(digest)));
    added(path.length() + digest.length);
  }

  /** Adds a failure of one name; the request continues. */
  void problem(String path, FdtException cause) throws FdtException, InterruptedException {
    String message = MessageText.fit(cause.getMessage());
    reply.addProblems(
        Problem.newBuilder()
            .setPath(MessageText.fit(path))
            .setCode(cause.code().wireCode())
            .setMessage(message));
    added(path.length() + message.length());
  }

  /**
   * Sends the next bytes of a range, at most {@link #BYTES_PER_REPLY}, once the client has
   * processed enough replies, which bounds the memory.
   */
  void data(ByteString bytes) throws FdtException, InterruptedException {
    reply.setData(bytes);
    totals.setBytes(totals.getBytes() + bytes.size());
    replyEntries++;
    sendReply();
  }

  /**
   * Waits before the next bytes are sent.
   *
   * @param nanos 0 for no wait
   */
  synchronized void pause(long nanos) throws FdtException, InterruptedException {
    long endNanos = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = endNanos - System.nanoTime()) {
      check();
      TimeUnit.NANOSECONDS.timedWait(this, Math.min(left, CHECK_NANOS));
    }
  }

  /** Describes this host and the exports of the client, as many as fit. */
  void host(HostLimits limits, Map<BytePath, Boolean> writable, List<String> relays)
      throws FdtException, InterruptedException {
    HostDescription.Builder host = HostLimitsCoding.encode(limits).addAllRelays(relays);
    int bytes = 0;
    for (Map.Entry<BytePath, Boolean> export : writable.entrySet()) {
      bytes += export.getKey().length() + ENTRY_BYTES;
      if (host.getExportsCount() == HostLimitsCoding.MAX_EXPORTS || bytes > BYTES_PER_REPLY) {
        break;
      }
      host.addExports(
          ReachableExport.newBuilder()
              .setPath(ByteString.copyFrom(export.getKey().bytes()))
              .setWritable(export.getValue()));
    }
    reply.setHost(host);
    added(bytes);
  }

  /** Sends the opened route. */
  void route(Route route) throws FdtException, InterruptedException {
    reply.setRoute(route);
    added(route.getSerializedSize());
  }

  /** Sends the state of a route. */
  void routeState(RouteState state) throws FdtException, InterruptedException {
    reply.setRouteState(state);
    added(state.getSerializedSize());
  }

  /** Sends the place for handed-over files. */
  void place(HandOverPlace place) throws FdtException, InterruptedException {
    reply.setHandOverPlace(place);
    added(place.getSerializedSize());
  }

  private void added(int bytes) throws FdtException, InterruptedException {
    replyEntries++;
    replyBytes += bytes + ENTRY_BYTES;
    if (replyEntries >= ENTRIES_PER_REPLY || replyBytes >= BYTES_PER_REPLY) {
      sendReply();
    }
  }

  /** Sends the reply, once the client has processed enough earlier ones. */
  private void sendReply() throws FdtException, InterruptedException {
    if (replyEntries == 0) {
      return;
    }
    awaitTaken();
    connection.send(Control.newBuilder().setReply(reply).build());
    reply = Reply.newBuilder().setId(id);
    replyEntries = 0;
    replyBytes = 0;
  }

  private synchronized void awaitTaken() throws FdtException, InterruptedException {
    while (ahead >= MAX_AHEAD) {
      check();
      TimeUnit.NANOSECONDS.timedWait(this, CHECK_NANOS);
    }
    check();
    ahead++;
  }

  /** Reports progress; called repeatedly during long work. */
  void goesOn() throws FdtException, InterruptedException {
    check();
    long nowNanos = System.nanoTime();
    if (nowNanos - workingNanos >= WORKING_NANOS) {
      workingNanos = nowNanos;
      connection.send(
          Control.newBuilder()
              .setWorking(
                  Working.newBuilder()
                      .setId(id)
                      .setFiles(totals.getFiles())
                      .setBytes(totals.getBytes()))
              .build());
    }
  }

  private void check() throws FdtException, InterruptedException {
    long nowNanos = System.nanoTime();
    synchronized (this) {
      if (cancelled || Thread.interrupted()) {
        throw new InterruptedException("the client has gone");
      }
      if (nowNanos - heardNanos > patienceNanos) {
        throw new FdtException(
            ErrorCode.TIMEOUT,
            "the client was silent for %d s"
                .formatted(TimeUnit.NANOSECONDS.toSeconds(patienceNanos)));
      }
    }
    if (nowNanos - checkedNanos >= CHECK_NANOS) {
      checkedNanos = nowNanos;
      stillAllowed.check();
    }
  }

  /** Completes the request. */
  void done() throws FdtException, InterruptedException {
    sendReply();
    end();
  }

  /** Ends the request with a failure. */
  void failed(FdtException cause) {
    totals.setCode(cause.code().wireCode()).setMessage(MessageText.fit(cause.getMessage()));
    end();
  }

  private void end() {
    lastGoesOut.run();
    connection.send(Control.newBuilder().setRequestEnd(totals).build());
  }
}
