package io.fdt.core.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.engine.DataPath;
import io.fdt.core.engine.Session;
import io.fdt.core.engine.SessionRuntime;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.receive.ReceiverPipeline;
import io.fdt.core.send.SenderPipeline;
import io.fdt.core.session.RandomDataset;
import io.fdt.core.session.RandomDataset.Fault;
import io.fdt.core.session.RandomDataset.Item;
import io.fdt.core.session.sender.FileOutcome;
import io.fdt.core.simulation.SimulatedDestination.Target;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.spec.Specs;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Control;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * A whole transfer in virtual time, of which everything random comes from one seed: the sessions
 * and pipelines of production, with a bad network and bad disks between them. Only the loop, the
 * threads, the connections and the trees are simulated.
 */
final class SimulatedTransfer {
  /** Far beyond what the longest of them needs. */
  private static final long MOST_STEPS = 200_000;

  private static final SessionId ID = SessionId.of(new byte[SessionId.LENGTH]);

  /** One end. */
  final class End implements TransferEvents, Session.Listener {
    final VirtualHost host;
    final Map<Long, FileOutcome> outcomes = new HashMap<>();
    final Map<Long, ErrorCode> failures = new HashMap<>();
    final Set<Long> failedOthers = new HashSet<>();
    Session session;
    DataPath path;
    ControlConnection control;
    boolean finished;
    boolean ended;
    boolean detached;
    int stalls;
    FdtException failure;

    End() {
      host = new VirtualHost(time, random);
    }

    void connect(ControlConnection connection) {
      control = connection;
      session = new Session(ID, host, connection, deadlines, this);
    }

    void arrived(Control message) {
      if (ended) {
        return;
      }
      try {
        session.onMessage(control, message);
      } catch (FdtException e) {
        throw new AssertionError("an end that keeps the rules was refused: " + e.getMessage(), e);
      }
    }

    private void settled(Supplier<String> where, FileOutcome outcome) {
      assertThat(outcomes.put(idOf(where.get()), outcome)).as("outcome before").isNull();
    }

    @Override
    public void problem(String where, boolean skipped, ErrorCode code, String message) {
      if (where.isEmpty()) {
        return; // the message says it
      }
      if (dataset == null) {
        throw new AssertionError("%s: %s: %s".formatted(where, code, message));
      }
      long id = idOf(where);
      if (dataset.item(id).isFile()) {
        settled(() -> where, FileOutcome.FAILED);
        failures.put(id, code);
      } else {
        failedOthers.add(id);
      }
    }

    @Override
    public void fileDone(Supplier<String> where, long size, boolean resumed, byte[] digest) {
      settled(where, FileOutcome.DONE);
    }

    @Override
    public void fileUnchanged(Supplier<String> where, long size, boolean isNewer, byte[] digest) {
      settled(where, FileOutcome.UNCHANGED);
    }

    @Override
    public void notice(String message) {}

    @Override
    public void finished() {
      finished = true;
      session.finish();
    }

    @Override
    public void failed(FdtException cause) {
      session.abort(cause);
    }

    @Override
    public void detached(Session ignored, FdtException cause) {
      detached = true;
    }

    @Override
    public void stalled(Session ignored) {
      stalls++;
    }

    @Override
    public void ended(Session ignored, FdtException cause) {
      ended = true;
      failure = cause;
    }
  }

  private static long idOf(String path) {
    return Long.parseLong(path.substring(path.lastIndexOf("entry") + "entry".length()));
  }

  final VirtualTime time;
  private final Random random;
  private final RandomDataset dataset;
  private final SessionDeadlines deadlines;
  private final SimulatedDestination destination;
  private final IntSupplier openFiles;
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  final VirtualNetwork network;
  final End sender;
  final End receiver;

  SimulatedTransfer(long seed) {
    this(new Random(seed));
  }

  private SimulatedTransfer(Random random) {
    this(random, new RandomDataset(random));
  }

  /** One of sound files over a network that does nothing worse than to delay. */
  static SimulatedTransfer withoutFaults(long seed) {
    Random random = new Random(seed);
    SimulatedTransfer transfer = new SimulatedTransfer(random, RandomDataset.sound(random));
    transfer.network.mend();
    return transfer;
  }

  private static TransferSpec threads(int perDisk) {
    return TransferSpec.builder().readersPerDisk(perDisk).writersPerDisk(perDisk).build();
  }

  private SimulatedTransfer(Random random, RandomDataset dataset) {
    this(random, dataset, new SimulatedDestination(dataset, random), SessionDeadlines.DEFAULT);
  }

  /**
   * One that is perhaps not the first.
   *
   * @param destination what earlier ones left there; this one goes on with it
   */
  SimulatedTransfer(
      Random random,
      RandomDataset dataset,
      SimulatedDestination destination,
      SessionDeadlines deadlines) {
    this(random, dataset, destination, deadlines, new SimulatedSource(dataset));
  }

  private SimulatedTransfer(
      Random random,
      RandomDataset dataset,
      SimulatedDestination destination,
      SessionDeadlines deadlines,
      SimulatedSource source) {
    this(
        random,
        dataset,
        destination,
        deadlines,
        source,
        destination.tree(),
        Specs.withBlocks(RandomDataset.BLOCK, threads(1 + random.nextInt(3))),
        () -> source.openFiles() + destination.openFiles());
  }

  /** One of other trees, whose every entry arrives. */
  SimulatedTransfer(Random random, TransferSpec spec, SourceTree source, DestinationTree tree) {
    this(random, null, null, SessionDeadlines.DEFAULT, source, tree, spec, () -> 0);
  }

  private SimulatedTransfer(
      Random random,
      RandomDataset dataset,
      SimulatedDestination destination,
      SessionDeadlines deadlines,
      SourceTree source,
      DestinationTree tree,
      TransferSpec spec,
      IntSupplier openFiles) {
    this.random = random;
    this.dataset = dataset;
    this.destination = destination;
    this.deadlines = deadlines;
    this.openFiles = openFiles;
    time = new VirtualTime(random);
    sender = new End();
    receiver = new End();
    network =
        new VirtualNetwork(
            time,
            random,
            spec.blockSize(),
            new VirtualNetwork.End(sender.host, stream -> attached(sender, stream)),
            new VirtualNetwork.End(receiver.host, stream -> attached(receiver, stream)));
    connect();
    sender.path =
        new SenderPipeline(
            new SessionRuntime("sender", sender.host, sender.host),
            allocator,
            spec,
            source,
            sender.session::send,
            sender);
    receiver.path =
        new ReceiverPipeline(
            new SessionRuntime("receiver", receiver.host, receiver.host),
            spec,
            tree,
            receiver.session::send,
            receiver);
  }

  private static DataStream.Handler attached(End end, DataStream stream) {
    return end.session.attach(stream);
  }

  private void connect() {
    VirtualNetwork.ControlPair pair = network.control(sender::arrived, receiver::arrived);
    sender.connect(pair.atSender());
    receiver.connect(pair.atReceiver());
  }

  /** Both ends go on over a new control connection, as after a client has dialled again. */
  void reconnect() throws FdtException {
    VirtualNetwork.ControlPair pair = network.control(sender::arrived, receiver::arrived);
    long atSender = sender.session.received();
    long atReceiver = receiver.session.received();
    sender.control = pair.atSender();
    receiver.control = pair.atReceiver();
    sender.session.resume(pair.atSender(), null, atReceiver);
    receiver.session.resume(pair.atReceiver(), null, atSender);
  }

  /** Lets it run to its end and checks that the end is the right one. */
  void run() {
    start();
    runOn();
    assertFinished();
    checkFiles();
    checkOthers();
    checkTotals();
  }

  void start() {
    receiver.session.start(receiver.path);
    sender.session.start(sender.path);
    network.start();
  }

  void assertFinished() {
    assertThat(sender.failure).isNull();
    assertThat(receiver.failure).isNull();
    assertThat(isFinished()).as("the end, before nothing more happens").isTrue();
    assertThat(receiver.ended).isTrue();
    assertThat(openFiles.getAsInt()).as("open files").isZero();
    assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory())
        .as("memory of frames")
        .isZero();
  }

  /** Lets so many things happen, or all that there are. */
  void run(int steps) {
    for (int i = 0; i < steps && !isOver() && time.step(); i++) {}
  }

  /** Lets time pass. */
  void runFor(long nanos) {
    long end = time.nanos() + nanos;
    while (time.nanos() < end && time.step()) {}
  }

  private boolean isOver() {
    return sender.ended && receiver.ended;
  }

  /** Lets everything happen that is still to come. */
  void runOn() {
    while (time.step()) {
      assertThat(time.steps()).as("steps").isLessThan(MOST_STEPS);
    }
  }

  boolean isFinished() {
    return sender.finished && sender.ended;
  }

  /** The sender does nothing more; what is on its way still arrives. */
  void killSender() {
    sender.host.die();
    run(1000);
    killReceiver();
  }

  /** Nothing happens any more. */
  void killReceiver() {
    destination.tear(receiver.host.die());
  }

  /**
   * How much happened; so that a test can tell whether the simulation still does what it is for.
   */
  long steps() {
    return time.steps();
  }

  private void checkFiles() {
    for (Item item : dataset.items()) {
      if (!item.isFile()) {
        continue;
      }
      long id = item.entry().id();
      FileOutcome outcome = sender.outcomes.get(id);
      assertThat(outcome).as("outcome of %s at the sender", item).isNotNull();
      assertThat(outcome).as("%s at both ends", item).isEqualTo(receiver.outcomes.get(id));
      assertThat(sender.failures.get(id)).as("%s", item).isEqualTo(receiver.failures.get(id));
      checkOutcome(item, outcome);
      checkBytes(item, outcome);
    }
  }

  private void checkOutcome(Item item, FileOutcome outcome) {
    if (!dataset.hasPlace(item)) {
      assertThat(outcome).as("%s", item).isEqualTo(FileOutcome.FAILED);
      return;
    }
    switch (item.fault()) {
      case NONE -> assertThat(outcome).as("%s", item).isEqualTo(FileOutcome.DONE);
      case UNCHANGED -> assertThat(outcome).as("%s", item).isEqualTo(FileOutcome.UNCHANGED);
      case PREPARE, READ, STORE -> assertThat(outcome).as("%s", item).isEqualTo(FileOutcome.FAILED);
      case WRITE -> // nothing is written of a file without bytes
          assertThat(outcome)
              .as("%s", item)
              .isEqualTo(item.entry().size() == 0 ? FileOutcome.DONE : FileOutcome.FAILED);
      case READ_AGAIN, CONTENT ->
          assertThat(outcome).as("%s", item).isNotEqualTo(FileOutcome.UNCHANGED);
    }
  }

  private void checkBytes(Item item, FileOutcome outcome) {
    Target target = destination.targets.get(item.entry().id());
    boolean done = outcome == FileOutcome.DONE;
    if (target == null) {
      assertThat(done).as("%s without a place", item).isFalse();
      return;
    }
    assertThat(Arrays.stream(target.writes).max().orElse(0)).as("writes of %s", item).isLessThan(2);
    assertThat(target.published).as("%s published", item).isEqualTo(done ? 1 : 0);
    if (!done) {
      return;
    }
    assertThat(Arrays.stream(target.writes)).as("writes of %s", item).allMatch(n -> n == 1);
    int length = target.bytes.length;
    boolean packed = length <= RandomDataset.BLOCK / 4 - 16;
    int versions = packed && item.fault() == Fault.CONTENT ? 2 : 1;
    boolean whole = false;
    for (int version = 0; version < versions && !whole; version++) {
      whole = Arrays.equals(target.bytes, item.content(0, length, version));
    }
    assertThat(whole).as("content of %s", item).isTrue();
  }

  private void checkOthers() {
    for (Item item : dataset.items()) {
      long id = item.entry().id();
      boolean made = item.fault() != Fault.PREPARE && dataset.hasPlace(item);
      if (item.entry().kind() == EntryKind.DIRECTORY) {
        assertThat(destination.finishedDirectories.contains(id)).as("%s", item).isEqualTo(made);
      }
      if (!item.isFile()) {
        assertThat(receiver.failedOthers.contains(id)).as("%s", item).isEqualTo(!made);
      }
    }
  }

  private void checkTotals() {
    long files = dataset.items().stream().filter(Item::isFile).count();
    assertThat(receiver.session.progress().figures().files().total()).isEqualTo(files);
    assertThat(sender.session.progress().figures().files().total()).isEqualTo(files);
    long done = count(FileOutcome.DONE);
    assertThat(receiver.session.progress().figures().files().done()).isEqualTo(done);
    assertThat(sender.session.progress().figures().files().done()).isEqualTo(done);
    assertThat(receiver.session.progress().figures().files().unchanged())
        .isEqualTo(count(FileOutcome.UNCHANGED));
    long unfinished =
        dataset.items().stream()
            .filter(item -> destination.finishedDirectories.contains(item.entry().id()))
            .filter(item -> item.fault() == Fault.STORE)
            .count();
    long failed = count(FileOutcome.FAILED) + receiver.failedOthers.size() + unfinished;
    assertThat(receiver.session.progress().figures().files().failed()).isEqualTo(failed);
    assertThat(sender.session.progress().figures().files().failed()).isEqualTo(failed);
    assertThat(receiver.session.progress().figures().bytesDone())
        .as("bytes written")
        .isEqualTo(destination.bytesWritten - unpublishedPackedBytes());
    assertThat(sender.session.progress().figures().bytesDone())
        .as("bytes written, sender")
        .isEqualTo(receiver.session.progress().figures().bytesDone());
    long bytes = 0;
    for (Item item : dataset.items()) {
      if (sender.outcomes.get(item.entry().id()) == FileOutcome.DONE) {
        bytes += item.entry().size();
      }
    }
    assertThat(sender.session.progress().figures().bytesTotal())
        .as("bytes wanted, sender")
        .isEqualTo(bytes);
    assertThat(receiver.session.progress().figures().bytesTotal())
        .as("bytes wanted, receiver")
        .isEqualTo(bytes);
  }

  /** Files of packs count once they have their names. */
  private long unpublishedPackedBytes() {
    return dataset.items().stream()
        .filter(item -> item.isFile() && item.fault() == Fault.STORE)
        .filter(item -> item.entry().size() <= RandomDataset.BLOCK / 4 - 16)
        .filter(item -> destination.targets.containsKey(item.entry().id()))
        .mapToLong(item -> item.entry().size())
        .sum();
  }

  private long count(FileOutcome outcome) {
    return sender.outcomes.values().stream().filter(one -> one == outcome).count();
  }
}
