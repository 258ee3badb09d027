package io.fdt.client.transfer;

import io.fdt.client.CopyDigests;
import io.fdt.client.NettestRequest;
import io.fdt.client.RemoteDigest;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.node.SessionPlan;
import io.fdt.core.node.SessionWork;
import io.fdt.core.plain.DigestedDestination;
import io.fdt.core.plain.DigestedSource;
import io.fdt.core.plain.PlainDigests;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.Storage;
import io.fdt.core.storage.stream.InOrderDestination;
import io.fdt.core.storage.stream.PartSource;
import io.fdt.core.storage.stream.StreamSource;
import io.fdt.core.storage.synthetic.EndlessSource;
import io.fdt.core.storage.synthetic.NullDestination;
import io.fdt.core.tuning.rate.RateSource;
import io.fdt.core.wire.control.Direction;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.storage.Storages;
import io.fdt.storage.local.LocalStorage;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Optional;

/**
 * The request to the server and the work of this machine. Immutable.
 *
 * @param spec for this end
 * @param open the request without the session's id and secret
 * @param files to transfer; empty for a network test
 * @param endsAfter when to end it; empty to end when everything is transferred
 * @param sink replaces the file system as destination; otherwise empty
 */
public record TransferPlan(
    TransferSpec spec,
    OpenSession open,
    Optional<TransferRequest> files,
    Optional<Duration> endsAfter,
    Optional<DestinationTree> sink)
    implements SessionPlan {
  /**
   * Most streams on a long path, unless the user chose their number. All carry the beginning: each
   * may have ten segments in flight at first (RFC 6928), and twice as many after each round trip,
   * so that 1 MiB is sent in the third.
   */
  private static final int LONG_PATH_STREAMS = 12;

  /**
   * Above this round-trip time, saving two round trips is worth the cost of opening this many
   * connections.
   */
  private static final Duration LONG_ROUND_TRIP = Duration.ofMillis(20);

  /** The default block size. */
  private static final int MOST_WIDE_BLOCK = 1 << 20;

  /**
   * The plan of a transfer of files.
   *
   * @throws IllegalArgumentException no storage of a local path's scheme is installed
   */
  public static TransferPlan of(TransferRequest request) {
    boolean pull = request.direction() == TransferRequest.Direction.PULL;
    TransferSpec spec = ownSpec(request);
    OpenSession.Builder open =
        OpenSession.newBuilder()
            .setDirection(pull ? Direction.PULL : Direction.PUSH)
            .setInOrder(request.output().isPresent())
            .setRateLimit(pull ? rateNow(spec) : 0)
            .setTellState(pull && (request.explain() || request.monitor() || spec.tuning().isAny()))
            .setTellDetails(request.monitor())
            .setRequestKey(RequestKey.of(request));
    TransferPlan plan =
        new TransferPlan(
            spec, open.build(), Optional.of(request), Optional.empty(), Optional.empty());
    Storage unused = plan.storage();
    return plan;
  }

  /** A copy that receives into this tree. */
  TransferPlan into(DestinationTree tree) {
    return new TransferPlan(spec, open, files, endsAfter, Optional.of(tree));
  }

  /** A stream has a single reader, whatever the tuning: its blocks come one after another. */
  private static TransferSpec ownSpec(TransferRequest request) {
    TransferSpec spec = request.spec();
    return request.input().isEmpty()
        ? spec
        : spec.toBuilder().readersPerDisk(1).keepReaders().build();
  }

  @Override
  public RateSource limit() {
    return spec.rateLimit().isNone() ? RateSource.NONE : () -> rateNow(spec);
  }

  private static long rateNow(TransferSpec spec) {
    return spec.rateLimit().bytesPerSecondAt(LocalDateTime.now(ZoneId.systemDefault()));
  }

  public static TransferPlan of(NettestRequest request) {
    boolean pull = request.direction() == TransferRequest.Direction.PULL;
    TransferSpec spec =
        TransferSpec.builder()
            .streams(request.streams())
            .readersPerDisk(1)
            .writersPerDisk(1)
            .blockSize(request.blockSize())
            .socketBuffer(request.socketBuffer())
            .build();
    OpenSession open =
        OpenSession.newBuilder()
            .setDirection(pull ? Direction.PULL : Direction.PUSH)
            .setNettest(true)
            .setTellState(pull)
            .build();
    return new TransferPlan(
        spec, open, Optional.empty(), Optional.of(request.duration()), Optional.empty());
  }

  /** The request without the session's id and secret. */
  @Override
  public OpenSession open() {
    TransferSpec ofPeer = isPull() ? spec.forSender() : spec.forReceiver();
    return open.toBuilder().setSpec(TransferSpecCoding.encode(ofPeer)).build();
  }

  @Override
  public boolean isPull() {
    return open.getDirection() == Direction.PULL;
  }

  /** A copy with another initial number of streams. */
  TransferPlan startingWith(int startStreams) {
    return with(spec.startingWith(startStreams));
  }

  /**
   * A copy for a path with this round trip: on a long one the sender tunes streams and congestion
   * control, unless the user chose the number of streams. A server reserves memory for a block of
   * each stream, which adds up for large blocks.
   */
  @Override
  public TransferPlan over(Duration roundTrip) {
    boolean helps =
        spec.blockSize() <= MOST_WIDE_BLOCK
            && files.filter(request -> request.input().isPresent()).isEmpty();
    return spec.streamsChosen() || !helps || roundTrip.compareTo(LONG_ROUND_TRIP) <= 0
        ? this
        : with(spec.tunedWithin(LONG_PATH_STREAMS)).receivingState();
  }

  private TransferPlan with(TransferSpec other) {
    return new TransferPlan(other, open, files, endsAfter, sink);
  }

  /** A copy whose sender reports its state. */
  public TransferPlan receivingState() {
    OpenSession receiving = open.toBuilder().setTellState(isPull()).build();
    return new TransferPlan(spec, receiving, files, endsAfter, sink);
  }

  /** Why a second session cannot repeat it; empty when it can. */
  public Optional<String> reasonNotToRepeat() {
    if (files.isEmpty()) {
      return Optional.of("a network test is not continued");
    }
    if (files.get().input().isPresent()) {
      return Optional.of("the input cannot be read twice: run the command again with all of it");
    }
    return files.get().output().isPresent()
        ? Optional.of("bytes written to the output cannot be taken back: run the command again")
        : Optional.empty();
  }

  /** The digests computed at this end; empty for none. */
  Optional<PlainDigests> plainDigests() {
    return files.flatMap(TransferRequest::plainDigests).map(CopyDigests::digests);
  }

  /** The construction of digests as displayed. */
  String construction() {
    return plainDigests()
        .map(plain -> RemoteDigest.plainName(plain.checksum()))
        .orElseGet(() -> spec.digestMethod().construction());
  }

  TransferRequest.Direction direction() {
    return isPull() ? TransferRequest.Direction.PULL : TransferRequest.Direction.PUSH;
  }

  @Override
  public SessionWork work() {
    return isPull()
        ? new SessionWork.Receives(destination(), open.getTellState(), open.getTellDetails())
        : new SessionWork.Sends(source(), false, open.getTellDetails());
  }

  SourceTree source() {
    SourceTree own = ownSource();
    return plainDigests().<SourceTree>map(digests -> new DigestedSource(own, digests)).orElse(own);
  }

  private SourceTree ownSource() {
    if (files.isEmpty()) {
      return new EndlessSource(FileName.of("nettest"));
    }
    if (files.get().input().isPresent()) {
      return new StreamSource(
          files.get().input().get(), spec.bufferBytes(), LocalStorage.OF_USER.newFileMode());
    }
    SourceTree whole = storage().source(spec);
    return spec.part().isWhole() ? whole : new PartSource(whole, spec.part());
  }

  DestinationTree destination() {
    DestinationTree own = ownDestination();
    return plainDigests()
        .<DestinationTree>map(digests -> new DigestedDestination(own, digests))
        .orElse(own);
  }

  private DestinationTree ownDestination() {
    if (sink.isPresent()) {
      return sink.get();
    }
    if (files.isEmpty()) {
      return new NullDestination();
    }
    if (files.get().output().isPresent()) {
      return new InOrderDestination(files.get().output().get(), spec.bufferBytes());
    }
    return storage().destination(spec, OpenFileLimit.NONE);
  }

  /**
   * The storage of this machine's end; {@link #of(TransferRequest)} has checked that it is
   * installed.
   */
  private Storage storage() {
    try {
      return isPull() ? Storages.of(spec.destination()) : Storages.ofSources(spec.sources());
    } catch (FdtException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }
}
