package io.fdt.client;

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
import io.fdt.core.tuning.RateSource;
import io.fdt.core.wire.control.Direction;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.storage.Storages;
import io.fdt.storage.local.LocalStorage;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Optional;

/**
 * What a transfer is made of: the request to the server and this machine's half of the work.
 * Immutable.
 *
 * @param spec for this end
 * @param open what else the server is asked for, but for the session's id and secret
 * @param files what to move; empty for a transfer from memory to memory
 * @param endsAfter when to end it; empty for when everything is moved
 * @param sink what receives in place of the file system; empty for that
 */
record TransferPlan(
    TransferSpec spec,
    OpenSession open,
    Optional<TransferRequest> files,
    Optional<Duration> endsAfter,
    Optional<DestinationTree> sink)
    implements SessionPlan {
  /**
   * Streams that a transfer over a long path begins with, unless somebody chose their number. Each
   * may have ten segments under way at first (RFC 6928), and twice as many after each round trip: 1
   * MiB leaves in the third.
   */
  private static final int STREAMS_AT_START = 12;

  /** Here two round trips less are worth more than opening so many connections. */
  private static final Duration LONG_ROUND_TRIP = Duration.ofMillis(20);

  /** As by default. */
  private static final int MOST_WIDE_BLOCK = 1 << 20;

  /**
   * @throws IllegalArgumentException no storage of a local path's scheme is installed
   */
  static TransferPlan of(TransferRequest request) {
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

  /** The same, received by this tree. */
  TransferPlan into(DestinationTree tree) {
    return new TransferPlan(spec, open, files, endsAfter, Optional.of(tree));
  }

  /** A stream has one reader, whatever would be found out: its blocks come one after another. */
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

  static TransferPlan of(NettestRequest request) {
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

  /** What the server is asked for, but for the session's id and secret. */
  @Override
  public OpenSession open() {
    TransferSpec ofPeer = isPull() ? spec.forSender() : spec.forReceiver();
    return open.toBuilder().setSpec(TransferSpecCoding.encode(ofPeer)).build();
  }

  @Override
  public boolean isPull() {
    return open.getDirection() == Direction.PULL;
  }

  /** The same, with so many streams at first. */
  TransferPlan startingWith(int startStreams) {
    return with(spec.beginningWith(spec.streams(), startStreams));
  }

  /**
   * The same over a path that takes so long. Blocks that cannot be cut would all go over a few
   * streams; and a server keeps memory for a block of each, which is much of larger ones.
   */
  @Override
  public TransferPlan over(Duration roundTrip) {
    boolean helps =
        !spec.digestMethod().isOfChunks()
            && spec.blockSize() <= MOST_WIDE_BLOCK
            && files.filter(request -> request.input().isPresent()).isEmpty();
    return spec.streamsChosen() || !helps || roundTrip.compareTo(LONG_ROUND_TRIP) <= 0
        ? this
        : with(spec.beginningWith(STREAMS_AT_START, spec.streams()));
  }

  private TransferPlan with(TransferSpec other) {
    return new TransferPlan(other, open, files, endsAfter, sink);
  }

  /** The same, with a sender that says what it sees. */
  TransferPlan hearingState() {
    OpenSession hearing = open.toBuilder().setTellState(isPull()).build();
    return new TransferPlan(spec, hearing, files, endsAfter, sink);
  }

  /** Why no second session can do the same; empty when one can. */
  Optional<String> reasonNotToRepeat() {
    if (files.isEmpty()) {
      return Optional.of("a network test is not continued");
    }
    if (files.get().input().isPresent()) {
      return Optional.of("the input cannot be read twice: run the command again with all of it");
    }
    return files.get().output().isPresent()
        ? Optional.of("what has gone to the output cannot be taken back: run the command again")
        : Optional.empty();
  }

  /** Those that this end makes; empty for none. */
  Optional<PlainDigests> plainDigests() {
    return files.flatMap(TransferRequest::plainDigests).map(CopyDigests::digests);
  }

  /** How the digests are made that people see. */
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
    return spec.part().isWhole() ? whole : new PartSource(whole, spec.part(), false);
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

  /** The storage of this machine's end; {@link #of(TransferRequest)} made sure that it is there. */
  private Storage storage() {
    try {
      return isPull() ? Storages.of(spec.destination()) : Storages.ofSources(spec.sources());
    } catch (FdtException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }
}
