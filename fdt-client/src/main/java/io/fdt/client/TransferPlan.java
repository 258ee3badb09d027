package io.fdt.client;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.AssuranceCoding;
import io.fdt.core.engine.DeletionCoding;
import io.fdt.core.engine.PreservationCoding;
import io.fdt.core.engine.SyncRuleCoding;
import io.fdt.core.engine.TuningCoding;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Deletion;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.model.SyncRule;
import io.fdt.core.node.SessionPlan;
import io.fdt.core.node.SessionWork;
import io.fdt.core.spec.Assurance;
import io.fdt.core.spec.TransferSettings;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.destination.DryRunDestination;
import io.fdt.core.storage.destination.InOrderDestination;
import io.fdt.core.storage.destination.LocalDestination;
import io.fdt.core.storage.source.FoundOperands;
import io.fdt.core.storage.source.LocalSource;
import io.fdt.core.storage.source.StreamSource;
import io.fdt.core.storage.synthetic.NullDestination;
import io.fdt.core.storage.synthetic.SyntheticSource;
import io.fdt.core.tuning.RateSource;
import io.fdt.core.tuning.Tuning;
import io.fdt.core.unit.RateSchedule;
import io.fdt.core.wire.SelectionCoding;
import io.fdt.core.wire.control.Direction;
import io.fdt.core.wire.control.FilePart;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.Source;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a transfer is made of: the request to the server and this machine's half of the work.
 * Immutable.
 *
 * @param settings for this end
 * @param open what the server is asked for, but for the session's id and secret
 * @param files what to move; empty for a transfer from memory to memory
 * @param endsAfter when to end it; empty for when everything is moved
 */
record TransferPlan(
    TransferSettings settings,
    OpenSession open,
    Optional<TransferRequest> files,
    Optional<Duration> endsAfter)
    implements SessionPlan {
  private static final int MOST_BLOCK_SECONDS = 2;

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

  private static final SyncRule PARTS = new SyncRule(SyncRule.Level.NEVER, false);

  static TransferPlan of(TransferRequest request) {
    boolean pull = request.direction() == TransferRequest.Direction.PULL;
    TransferSettings settings =
        new TransferSettings(
            blockSize(request),
            threads(request),
            Math.toIntExact(request.socketBuffer().bytes()),
            request.rateLimit().bytesPerSecondAt(LocalDateTime.now(ZoneId.systemDefault())),
            new Assurance(request.checksum(), request.verify(), request.fsync()),
            isPart(request) ? PARTS : request.sync(),
            request.dryRun(),
            deletion(request),
            request.preservation());
    OpenSession.Builder open =
        OpenSession.newBuilder()
            .setDirection(pull ? Direction.PULL : Direction.PUSH)
            .setRecursive(request.recursive())
            .setStreams(request.streams())
            .setReadersPerDisk(request.readersPerDisk())
            .setWritersPerDisk(request.writersPerDisk())
            .setBlockSize(settings.blockSize())
            .setSocketBuffer(settings.socketBuffer())
            .setRateLimit(pull ? settings.rateLimit() : 0)
            .setDryRun(request.dryRun());
    if (pull) {
      for (Operand operand : request.sources()) {
        Source.Builder source =
            Source.newBuilder().setPath(ByteString.copyFrom(operand.path().bytes()));
        operand.target().ifPresent(t -> source.setTarget(ByteString.copyFrom(t.bytes())));
        open.addSources(source);
      }
      open.setSelection(SelectionCoding.encode(request.selection()));
      open.setInOrder(request.output().isPresent());
      if (isPart(request)) {
        open.setPart(
            FilePart.newBuilder()
                .setOffset(request.part().offset())
                .setLengthPlusOne(request.part().length().orElse(-1) + 1));
      }
    } else {
      open.setDestination(ByteString.copyFrom(request.destination().bytes()))
          .setDestinationIsDirectory(isDirectory(request));
      request.backups().ifPresent(path -> open.setBackups(ByteString.copyFrom(path.bytes())));
    }
    AssuranceCoding.encode(settings.assurance(), open);
    SyncRuleCoding.encode(settings.sync(), open);
    DeletionCoding.encode(settings.deletion(), open);
    PreservationCoding.encode(settings.preservation(), open);
    TuningCoding.encode(tuning(request), open);
    open.setTellState(pull && (request.explain() || request.tuning().isAny()));
    open.setRequestKey(RequestKey.of(request));
    return new TransferPlan(settings, open.build(), Optional.of(request), Optional.empty());
  }

  /** A block that takes very long looks like a stall, and is lost with its stream. */
  private static int blockSize(TransferRequest request) {
    long wanted = request.blockSize().bytes();
    long least = request.rateLimit().leastBytesPerSecond();
    if (least == 0 || wanted <= least * MOST_BLOCK_SECONDS) {
      return Math.toIntExact(wanted);
    }
    long slow = Long.highestOneBit(least * MOST_BLOCK_SECONDS);
    return Math.toIntExact(Math.max(TransferSettings.MIN_BLOCK, slow));
  }

  @Override
  public RateSource limit() {
    RateSchedule schedule = files.map(TransferRequest::rateLimit).orElse(RateSchedule.NONE);
    return schedule.isNone()
        ? RateSource.NONE
        : () -> schedule.bytesPerSecondAt(LocalDateTime.now(ZoneId.systemDefault()));
  }

  /** Of this end. A stream has one reader: its blocks come one after another. */
  private static int threads(TransferRequest request) {
    if (request.input().isPresent()) {
      return 1;
    }
    return request.direction() == TransferRequest.Direction.PULL
        ? request.writersPerDisk()
        : request.readersPerDisk();
  }

  /** A stream has one reader, whatever would be found out. */
  private static Tuning tuning(TransferRequest request) {
    Tuning asked = request.tuning();
    return request.input().isEmpty()
        ? asked
        : new Tuning(asked.streams(), asked.startStreams(), false, asked.congestion());
  }

  private static Deletion deletion(TransferRequest request) {
    if (!request.delete()) {
      return Deletion.NONE;
    }
    return new Deletion(
        true, request.maxDelete(), request.selection(), Optional.of(arrivals(request)));
  }

  /** Where the sources arrive; one that cannot arrive fails, and then nothing is deleted. */
  private static List<BytePath> arrivals(TransferRequest request) {
    List<BytePath> arrivals = new ArrayList<>();
    for (Operand operand : request.sources()) {
      FoundOperands.arrival(operand).ifPresent(arrivals::add);
    }
    return arrivals;
  }

  static TransferPlan of(NettestRequest request) {
    TransferSettings settings =
        new TransferSettings(
            Math.toIntExact(request.blockSize().bytes()),
            1,
            Math.toIntExact(request.socketBuffer().bytes()),
            0);
    boolean pull = request.direction() == TransferRequest.Direction.PULL;
    OpenSession open =
        OpenSession.newBuilder()
            .setDirection(pull ? Direction.PULL : Direction.PUSH)
            .setNettest(true)
            .setTellState(pull)
            .setStreams(request.streams())
            .setReadersPerDisk(1)
            .setWritersPerDisk(1)
            .setBlockSize(settings.blockSize())
            .setSocketBuffer(settings.socketBuffer())
            .build();
    return new TransferPlan(settings, open, Optional.empty(), Optional.of(request.duration()));
  }

  @Override
  public boolean isPull() {
    return open.getDirection() == Direction.PULL;
  }

  @Override
  public int streams() {
    return open.getStreams();
  }

  @Override
  public int steadyStreams() {
    return tuning().steadyStreams(streams());
  }

  /** What the sender finds out while it runs. */
  Tuning tuning() {
    return new Tuning(
        open.getAutoStreams(), open.getStartStreams(), open.getAutoReaders(), open.getCongestion());
  }

  /** The same, with so many streams at first. */
  TransferPlan startingWith(int startStreams) {
    return new TransferPlan(
        settings, open.toBuilder().setStartStreams(startStreams).build(), files, endsAfter);
  }

  /**
   * The same over a path that takes so long. Blocks that cannot be cut would all go over a few
   * streams; and a server keeps memory for a block of each, which is much of larger ones.
   */
  @Override
  public TransferPlan over(Duration roundTrip) {
    boolean isChosen = files.isEmpty() || files.get().choosesStreams();
    boolean helps =
        !settings.digestMethod().isOfChunks()
            && settings.blockSize() <= MOST_WIDE_BLOCK
            && files.filter(request -> request.input().isPresent()).isEmpty();
    if (isChosen || !helps || roundTrip.compareTo(LONG_ROUND_TRIP) <= 0) {
      return this;
    }
    OpenSession wide =
        open.toBuilder().setStreams(STREAMS_AT_START).setStartStreams(streams()).build();
    return new TransferPlan(settings, wide, files, endsAfter);
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

  TransferRequest.Direction direction() {
    return isPull() ? TransferRequest.Direction.PULL : TransferRequest.Direction.PUSH;
  }

  @Override
  public SessionWork work() {
    return isPull()
        ? new SessionWork.Receives(destination(), open.getTellState())
        : new SessionWork.Sends(source(), tuning(), false);
  }

  SourceTree source() {
    if (files.isPresent() && files.get().input().isPresent()) {
      return new StreamSource(files.get().input().get(), settings.bufferBytes());
    }
    return files.isPresent()
        ? LocalSource.trusted(
            files.get().sources(),
            files.get().recursive(),
            files.get().selection(),
            settings.preservation())
        : SyntheticSource.endless(FileName.of("nettest"), false);
  }

  DestinationTree destination() {
    if (files.isEmpty()) {
      return NullDestination.dropping();
    }
    if (files.get().output().isPresent()) {
      return new InOrderDestination(files.get().output().get(), settings.bufferBytes());
    }
    BytePath path = files.get().destination();
    boolean isDirectory = isDirectory(files.get());
    return settings.dryRun()
        ? DryRunDestination.trusted(path, isDirectory, files.get().backups())
        : LocalDestination.trusted(
            path, isDirectory, settings.preservation(), files.get().backups());
  }

  private static boolean isPart(TransferRequest request) {
    return !request.part().isWhole();
  }

  /** Several sources need a directory, also when all but one of them turn out to be missing. */
  private static boolean isDirectory(TransferRequest request) {
    return request.destinationIsDirectory() || request.sources().size() > 1;
  }
}
