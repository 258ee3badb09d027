package io.fdt.client;

import com.google.protobuf.ByteString;
import io.fdt.client.remote.RefusedException;
import io.fdt.client.remote.RemoteConnection;
import io.fdt.client.transfer.RequestKey;
import io.fdt.client.transfer.TransferPlan;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Operand;
import io.fdt.core.model.SyncRule;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.HandOverPlace;
import io.fdt.core.wire.control.PeerAddress;
import io.fdt.core.wire.control.Reply;
import io.fdt.core.wire.control.Request;
import io.fdt.core.wire.control.RunSession;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Hands files over to a relay, which delivers them to another server that may be away now. The
 * client copies {@link #toRelay} to the relay, and then {@link #complete}s it. For one thread.
 */
public final class HandOver {
  /**
   * The server that receives the files.
   *
   * @param token that the relay presents to it
   */
  record Destination(String host, int port, Fingerprint key, String token) {}

  /** Reasons for which a relay may be temporarily unavailable. */
  private static final Set<ErrorCode> PASSING =
      EnumSet.of(ErrorCode.UNREACHABLE, ErrorCode.TIMEOUT, ErrorCode.SHUTTING_DOWN);

  private static final int ID_LENGTH = SessionId.LENGTH;

  private final FdtClient relay;
  private final Destination destination;
  private final TransferRequest request;
  private final Duration deadline;
  private final SessionId id;
  private final HandOverPlace place;

  private HandOver(
      FdtClient relay, FdtClient destination, TransferRequest request, Duration deadline)
      throws FdtException, InterruptedException {
    this.relay = relay;
    this.destination = destination.asDestination();
    this.request = request;
    this.deadline = deadline;
    this.id = id(request, this.destination);
    this.place = ask(message());
  }

  /**
   * Requests a place at a relay. Blocks.
   *
   * @param relay the client of the relay
   * @param destination a client of the receiving server, whose key must be known; it is not
   *     contacted
   * @param request the transfer to that server, from files of this machine
   * @param deadline how long the relay tries; at most a year
   * @throws FdtException FORBIDDEN, STORAGE_FULL, UNTRUSTED, UNREACHABLE, ...
   * @throws IllegalArgumentException the request sends no files, or is a dry run
   */
  public static HandOver begin(
      FdtClient relay, FdtClient destination, TransferRequest request, Duration deadline)
      throws FdtException, InterruptedException {
    boolean isPush = request.direction() == TransferRequest.Direction.PUSH;
    if (!isPush || request.input().isPresent() || request.spec().dryRun()) {
      throw new IllegalArgumentException("only files that are sent can be handed over to a relay");
    }
    return new HandOver(relay, destination, request, deadline);
  }

  /** The id of the delivery at the relay, for {@link FdtClient#attach}. */
  public String id() {
    return id.toString();
  }

  /** Whether the relay has all files already, from an earlier hand-over. */
  public boolean isComplete() {
    return place.getPath().isEmpty();
  }

  /** Identical for each attempt of the same request. */
  private static SessionId id(TransferRequest request, Destination destination) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(ByteBuffer.allocate(Long.BYTES).putLong(0, RequestKey.of(request)));
      digest.update(destination.key().digest());
      digest.update(destination.host().getBytes(StandardCharsets.UTF_8));
      digest.update(thisMachine());
      return SessionId.of(Arrays.copyOf(digest.digest(), ID_LENGTH));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Distinguishes machines with the same users and directories. */
  private static byte[] thisMachine() {
    try {
      return Files.readAllBytes(Path.of("/etc/machine-id"));
    } catch (IOException e) {
      return new byte[0];
    }
  }

  /** The transfer to the relay: each source to a directory of its own. */
  public TransferRequest toRelay() {
    return new TransferRequest(
        TransferRequest.Direction.PUSH,
        toRelay(request.spec(), BytePath.of(place.getPath().toByteArray())),
        request.explain(),
        request.monitor(),
        Optional.empty(),
        Optional.empty(),
        "");
  }

  /** The first part of the route, to a place of the relay. */
  static TransferSpec toRelay(TransferSpec spec, BytePath place) {
    List<Operand> sources = new ArrayList<>();
    for (Operand source : spec.sources()) {
      Optional<byte[]> name = name(source.path());
      String number = Integer.toString(sources.size());
      sources.add(
          new Operand(
              withSlash(source.path(), name.isEmpty()),
              Optional.of(name.map(n -> joined(number, n)).orElse(BytePath.of(number)))));
    }
    return TransferSpec.builder()
        .sources(sources)
        .destination(place)
        .destinationIsDirectory(true)
        .recursive(spec.recursive())
        .delete(spec.recursive()) // removes leftovers of an earlier attempt
        .deleteFromEmpty(spec.recursive())
        .selection(spec.selection())
        .preservation(spec.preservation())
        .checksum(checksum(spec))
        .blockSize(ByteSize.ofBytes(spec.blockSize())) // both parts use the same chunks for digests
        .sync(new SyncRule(SyncRule.Level.CHECKSUM, false)) // existing files may be damaged
        .fsync(true) // handed-over files survive a power loss
        .streams(spec.streams())
        .compression(spec.compression())
        .rateLimit(spec.rateLimit())
        .build();
  }

  /** The second part of the route, from a place of the relay. */
  static TransferSpec fromRelay(TransferSpec spec, BytePath place) {
    List<Operand> sources = new ArrayList<>();
    for (Operand source : spec.sources()) {
      Optional<byte[]> name = name(source.path());
      BytePath directory =
          joined(place.toString(), (sources.size() + "").getBytes(StandardCharsets.UTF_8));
      BytePath path =
          name.map(n -> joined(directory.toString(), n)).orElse(withSlash(directory, true));
      sources.add(new Operand(path, source.target()));
    }
    return spec.toBuilder()
        .sources(sources)
        .checksum(checksum(spec))
        .fsync(true) // the relay then removes its files
        .build();
  }

  /** The requested checksum, if the relay can store it; both parts use the same. */
  private static Checksum checksum(TransferSpec spec) {
    Checksum wanted = spec.assurance().checksum();
    return wanted == Checksum.CRC32C || wanted == Checksum.NONE ? Checksum.XXH3 : wanted;
  }

  /**
   * All files are at the relay, which delivers from now on. Blocks.
   *
   * @return bytes at the relay
   */
  public long complete() throws FdtException, InterruptedException {
    BytePath own = BytePath.of(place.getPath().toByteArray());
    TransferRequest delivery = request.with(fromRelay(request.spec(), own));
    TransferPlan pull = TransferPlan.of(delivery.as(TransferRequest.Direction.PULL));
    TransferPlan push = TransferPlan.of(delivery.as(TransferRequest.Direction.PUSH));
    boolean encrypts = relay.dialer().encryptsData();
    SessionDeadlines deadlines = relay.dialer().deadlines();
    RunSession run =
        RunSession.newBuilder()
            .setOwn(
                pull.open().toBuilder()
                    .setEncrypted(encrypts)
                    .setRateLimit(push.limit().bytesPerSecond())
                    .setSessionId(ByteString.copyFrom(id.bytes()))
                    .setSessionSecret(ByteString.copyFrom(Join.newSecret(new SecureRandom()))))
            .setPeer(push.open().toBuilder().setEncrypted(encrypts))
            .setAddress(
                PeerAddress.newBuilder()
                    .setHost(destination.host())
                    .setPort(destination.port())
                    .setKey(ByteString.copyFrom(destination.key().digest())))
            .setIdleTimeout(deadlines.idleTimeout().toMillis())
            .setStallTimeout(deadlines.stallTimeout().toMillis())
            .setCommand(request.command())
            .build();
    return ask(message()
            .setRun(run)
            .setToken(destination.token())
            .setDeadlineSeconds(deadline.toSeconds()))
        .getBytes();
  }

  private io.fdt.core.wire.control.HandOver.Builder message() {
    return io.fdt.core.wire.control.HandOver.newBuilder().setId(ByteString.copyFrom(id.bytes()));
  }

  /** Sends a request to the relay; retries for the retry timeout while it is unreachable. */
  private HandOverPlace ask(io.fdt.core.wire.control.HandOver.Builder message)
      throws FdtException, InterruptedException {
    long deadlineNanos = System.nanoTime() + relay.dialer().deadlines().retryTimeout().toNanos();
    Request request = Request.newBuilder().setId(1).setHandOver(message).build();
    while (true) {
      try {
        return askOnce(request);
      } catch (FdtException e) {
        if (!PASSING.contains(e.code()) || System.nanoTime() > deadlineNanos) {
          throw e;
        }
        TimeUnit.SECONDS.sleep(1);
      }
    }
  }

  private HandOverPlace askOnce(Request request) throws FdtException, InterruptedException {
    RemoteConnection connection = RemoteConnection.open(relay.dialer());
    try {
      return connection.only(request, Reply::hasHandOverPlace, "a place").getHandOverPlace();
    } catch (RefusedException e) {
      throw e.cause();
    } finally {
      connection.close();
    }
  }

  /** The last name of a source; empty for the contents of a directory. */
  private static Optional<byte[]> name(BytePath path) {
    byte[] bytes = path.bytes();
    int from = bytes.length;
    while (from > 0 && bytes[from - 1] != '/') {
      from--;
    }
    byte[] name = Arrays.copyOfRange(bytes, from, bytes.length);
    boolean isDots =
        name.length <= 2 && new String(name, StandardCharsets.ISO_8859_1).matches("\\.*");
    return isDots ? Optional.empty() : Optional.of(name);
  }

  private static BytePath withSlash(BytePath path, boolean wanted) {
    if (!wanted || path.endsWithSlash()) {
      return path;
    }
    byte[] bytes = Arrays.copyOf(path.bytes(), path.length() + 1);
    bytes[path.length()] = '/';
    return BytePath.of(bytes);
  }

  /** Joins a directory that is text and a name of any bytes. */
  private static BytePath joined(String directory, byte[] name) {
    byte[] start = directory.getBytes(StandardCharsets.UTF_8);
    byte[] whole = Arrays.copyOf(start, start.length + 1 + name.length);
    whole[start.length] = '/';
    System.arraycopy(name, 0, whole, start.length + 1, name.length);
    return BytePath.of(whole);
  }
}
