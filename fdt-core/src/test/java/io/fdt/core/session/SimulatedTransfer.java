package io.fdt.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.session.RandomDataset.Fault;
import io.fdt.core.session.RandomDataset.Item;
import io.fdt.core.session.SimulatedReceiver.Target;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Finished;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * A whole transfer in virtual time, of which everything random comes from one seed: a real sender's
 * session and a real receiver's session with a bad network and bad disks between them.
 */
final class SimulatedTransfer {
  /** Far beyond what the longest of them needs. */
  private static final long MOST_STEPS = 100_000;

  private static final int LONGEST_DELAY = 60;

  private final VirtualTime time;
  private final RandomDataset dataset;
  private final VirtualTime.Queue toReceiver;
  private final VirtualTime.Queue toSender;
  private final SimulatedSender sender;
  private final SimulatedReceiver receiver;
  private final SimulatedLink link;

  SimulatedTransfer(long seed) {
    this(new Random(seed));
  }

  private SimulatedTransfer(Random random) {
    this(random, new RandomDataset(random), new HashMap<>());
  }

  /**
   * One that is not the first.
   *
   * @param targets what earlier ones left at the destination, by entry; this one goes on with it
   */
  SimulatedTransfer(Random random, RandomDataset dataset, Map<Long, Target> targets) {
    this.dataset = dataset;
    time = new VirtualTime(random);
    toReceiver = time.new Queue(LONGEST_DELAY);
    toSender = time.new Queue(LONGEST_DELAY);
    sender = new SimulatedSender(time, random, dataset, new ControlToReceiver());
    receiver =
        new SimulatedReceiver(
            time,
            random,
            dataset,
            targets,
            message -> toSender.add(() -> lawful(() -> sender().onControl(message))));
    link = new SimulatedLink(time, random, new Streams());
  }

  private SimulatedSender sender() {
    return sender;
  }

  /** Lets it run to its end and checks that the end is the right one. */
  void run() {
    start();
    runOn();
    assertThat(sender.session().finished()).as("the end, before nothing more happens").isNotNull();
    checkFiles();
    checkOthers();
    checkTotals();
  }

  void start() {
    sender.start();
    link.start();
  }

  /** Lets so many things happen, or all that there are. */
  void run(int steps) {
    for (int i = 0; i < steps && time.step(); i++) {}
  }

  /** Lets everything happen that is still to come. */
  void runOn() {
    while (time.step()) {
      assertThat(time.steps()).as("steps").isLessThan(MOST_STEPS);
    }
  }

  boolean isFinished() {
    return sender.session().finished() != null;
  }

  SimulatedReceiver receiver() {
    return receiver;
  }

  /** The sender sends nothing more; what is on its way still arrives. */
  void killSender() {
    sender.die();
    runOn();
  }

  /** Nothing happens any more. */
  void killReceiver() {
    receiver.die();
  }

  /**
   * How much happened; so that a test can tell whether the simulation still does what it is for.
   */
  long steps() {
    return time.steps();
  }

  long damagedFrames() {
    return receiver.damagedFrames;
  }

  private void checkFiles() {
    for (Item item : dataset.items()) {
      if (!item.isFile()) {
        continue;
      }
      long id = item.entry().id();
      Optional<ErrorCode> atReceiver = receiver.settled.get(id);
      SimulatedSender.Settled atSender = sender.settled.get(id);
      assertThat(atReceiver).as("outcome of %s at the receiver", item).isNotNull();
      assertThat(atSender).as("outcome of %s at the sender", item).isNotNull();
      assertThat(atSender.code()).as("%s", item).isEqualTo(atReceiver.orElse(null));
      checkFate(item, atSender.outcome());
      checkBytes(item, atSender.outcome());
    }
    assertThat(sender.session().openFiles()).isEmpty();
    assertThat(receiver.session().openFiles()).isEmpty();
    assertThat(sender.inFlight.values()).as("frames in flight").allMatch(java.util.Set::isEmpty);
  }

  private void checkFate(Item item, SenderSession.FileOutcome outcome) {
    if (!dataset.hasPlace(item)) {
      assertThat(outcome).as("%s", item).isEqualTo(SenderSession.FileOutcome.FAILED);
      return;
    }
    switch (item.fault()) {
      case NONE -> assertThat(outcome).as("%s", item).isEqualTo(SenderSession.FileOutcome.DONE);
      case UNCHANGED ->
          assertThat(outcome).as("%s", item).isEqualTo(SenderSession.FileOutcome.UNCHANGED);
      case PREPARE, READ, WRITE, STORE ->
          assertThat(outcome).as("%s", item).isEqualTo(SenderSession.FileOutcome.FAILED);
      case READ_AGAIN, CONTENT ->
          assertThat(outcome).as("%s", item).isNotEqualTo(SenderSession.FileOutcome.UNCHANGED);
    }
  }

  private void checkBytes(Item item, SenderSession.FileOutcome outcome) {
    Target target = receiver.targets.get(item.entry().id());
    if (target == null) {
      assertThat(outcome)
          .as("%s without a place", item)
          .isNotEqualTo(SenderSession.FileOutcome.DONE);
      return;
    }
    assertThat(Arrays.stream(target.writes).max().orElse(0)).as("writes of %s", item).isLessThan(2);
    boolean done = outcome == SenderSession.FileOutcome.DONE;
    assertThat(target.stored).as("%s stored", item).isEqualTo(done ? 1 : 0);
    if (!done) {
      return;
    }
    assertThat(Arrays.stream(target.writes)).as("writes of %s", item).allMatch(n -> n == 1);
    int length = target.bytes.length;
    boolean packed = length <= RandomDataset.BLOCK / 4 - 16;
    int versions = packed && item.fault() == Fault.CONTENT ? 1000 : 1;
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
        assertThat(receiver.finishedDirectories.contains(id)).as("%s", item).isEqualTo(made);
      }
      if (!item.isFile()) {
        boolean fails = !made || item.fault() == Fault.STORE;
        assertThat(receiver.failedOthers.contains(id)).as("%s", item).isEqualTo(fails);
      }
    }
  }

  private void checkTotals() {
    Finished finished = sender.session().finished();
    Map<Long, SimulatedSender.Settled> outcomes = sender.settled;
    assertThat(finished.getFilesDone()).isEqualTo(count(outcomes, SenderSession.FileOutcome.DONE));
    assertThat(finished.getFilesUnchanged())
        .isEqualTo(count(outcomes, SenderSession.FileOutcome.UNCHANGED));
    assertThat(finished.getFilesFailed())
        .isEqualTo(
            count(outcomes, SenderSession.FileOutcome.FAILED) + receiver.failedOthers.size());
    assertThat(finished.getDirectories()).isEqualTo(receiver.finishedDirectories.size());
    assertThat(finished.getLinks()).isEqualTo(placedLinks());
    assertThat(finished.getBytes()).isEqualTo(receiver.bytesWritten);
    long bytes = 0;
    for (Item item : dataset.items()) {
      SimulatedSender.Settled settled = outcomes.get(item.entry().id());
      if (settled != null && settled.outcome() == SenderSession.FileOutcome.DONE) {
        bytes += item.entry().size();
      }
    }
    assertThat(sender.session().bytesWanted()).as("bytes wanted, sender").isEqualTo(bytes);
    assertThat(receiver.session().bytesWanted()).as("bytes wanted, receiver").isEqualTo(bytes);
  }

  private static long count(
      Map<Long, SimulatedSender.Settled> outcomes, SenderSession.FileOutcome outcome) {
    return outcomes.values().stream().filter(settled -> settled.outcome() == outcome).count();
  }

  private long placedLinks() {
    return dataset.items().stream()
        .filter(item -> item.entry().kind() == EntryKind.SYMLINK)
        .filter(item -> !receiver.failedOthers.contains(item.entry().id()))
        .count();
  }

  private interface Protocol {
    void run() throws FdtException;
  }

  /** Both ends keep the rules, so none may say that the other does not. */
  private static void lawful(Protocol protocol) {
    try {
      protocol.run();
    } catch (FdtException e) {
      throw new AssertionError("an end that keeps the rules was refused: " + e.getMessage(), e);
    }
  }

  private final class ControlToReceiver implements SimulatedSender.ToReceiver {
    @Override
    public void manifest(List<Entry> entries, List<Long> endedDirectories) {
      toReceiver.add(() -> lawful(() -> receiver.onManifest(entries, endedDirectories)));
    }

    @Override
    public void control(Control message) {
      toReceiver.add(() -> lawful(() -> receiver.onControl(message)));
    }
  }

  private final class Streams implements SimulatedLink.Ends {
    @Override
    public void frameArrived(int stream, SimulatedLink.Frame frame) {
      lawful(() -> receiver.onFrame(stream, frame));
    }

    @Override
    public void streamWritable() {
      sender.dispatch();
    }

    @Override
    public void streamLost(SimulatedLink.Stream stream) {
      sender.streamLost(stream);
    }

    @Override
    public void streamOpened(SimulatedLink.Stream stream) {
      sender.streamOpened(stream);
    }
  }
}
