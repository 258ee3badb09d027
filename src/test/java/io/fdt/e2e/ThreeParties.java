package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.SimulatedDirector;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Checksum;
import io.fdt.core.session.RandomDataset;
import io.fdt.core.simulation.SimulatedDestination;
import io.fdt.core.simulation.SimulatedProcess;
import io.fdt.core.simulation.VirtualLoop;
import io.fdt.core.simulation.VirtualTime;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.transport.memory.MemoryNetwork;
import io.fdt.server.SimulatedServer;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A client that directs copies between two servers, in virtual time. Each of the three can be
 * stopped, can die, and comes back; connections break. All of it comes from one seed.
 */
public final class ThreeParties {
  /** One of the three. */
  public enum Party {
    CLIENT,
    SOURCE,
    DESTINATION,
    /** What lies between source and destination, if anything does. */
    RELAY
  }

  private static final int SOURCE_PORT = 1001;
  private static final int DESTINATION_PORT = 1002;
  private static final int BLOCK = 4096;

  /** Units of virtual time. */
  private static final long LONGEST_HOLD = 200;

  /** Far beyond what the longest of them needs. */
  private static final long MOST_STEPS = 2_000_000;

  /** What no party may end with, whatever happens to the others. */
  private static final Set<ErrorCode> DEFECTS = EnumSet.of(ErrorCode.INTERNAL, ErrorCode.PROTOCOL);

  /** Nor under attack. */
  private static final Set<ErrorCode> DEFECTS_UNDER_ATTACK = EnumSet.of(ErrorCode.INTERNAL);

  public final VirtualTime time;
  public final Random random;
  private final MemoryNetwork network = new MemoryNetwork();
  private final RandomDataset dataset;
  public final SimulatedDestination destination;
  private final SessionDeadlines deadlines;
  private final SimulatedServer.Keys keys;
  private final boolean sourceDials;
  private final boolean destinationDials;
  private final int streams;
  private final Checksum checksum;
  private SimulatedServer source;
  private SimulatedServer target;
  private SimulatedDirector director;
  private SimulatedProcess relay;
  private Hostility hostility;
  private boolean somebodyDied;

  /** With a relay that does this to data, if anything. */
  public ThreeParties(Random random, SimulatedServer.Keys keys, Hostility hostility)
      throws FdtException {
    this.hostility = hostility;
    this.checksum = hostility.checksum();
    this.random = random;
    this.keys = keys;
    this.time = new VirtualTime(random);
    this.dataset = RandomDataset.sound(random, BLOCK);
    this.destination = new SimulatedDestination(dataset, random, BLOCK);
    int who = random.nextInt(3);
    this.sourceDials = who != 0;
    this.destinationDials = who != 1;
    this.streams = 1 + random.nextInt(4);
    Duration retry = random.nextInt(4) == 0 ? Duration.ZERO : Duration.ofSeconds(40);
    this.deadlines = new SessionDeadlines(Duration.ofSeconds(8), retry, Duration.ofSeconds(60));
    start(Party.SOURCE);
    start(Party.DESTINATION);
    start(Party.CLIENT);
  }

  /** From now on data passes a relay. */
  public void relay() throws FdtException {
    start(Party.RELAY);
    network.setMiddle(
        (stream, frame, onward) ->
            relay
                .loops()
                .execute(
                    () ->
                        hostility.frame(
                            new Hostility.Way(
                                random, stream, onward, task -> time.within(LONGEST_HOLD, task)),
                            frame)));
  }

  /** The relay does no harm any more; what it held back is lost. */
  public void relayHonestly() {
    hostility = Hostility.NONE;
    network.cutStreams();
  }

  private void start(Party party) throws FdtException {
    SimulatedProcess process = new SimulatedProcess(time, random);
    switch (party) {
      case CLIENT ->
          director =
              new SimulatedDirector(
                  process,
                  network,
                  new SimulatedDirector.Copy(
                      SOURCE_PORT,
                      DESTINATION_PORT,
                      sourceDials,
                      destinationDials,
                      streams,
                      BLOCK,
                      checksum,
                      SimulatedServer.token(),
                      deadlines));
      case SOURCE -> source = server(process, SOURCE_PORT);
      case DESTINATION -> target = server(process, DESTINATION_PORT);
      case RELAY -> relay = process;
    }
  }

  private SimulatedServer server(SimulatedProcess process, int port) throws FdtException {
    return new SimulatedServer(
        process, network, port, keys, new SimulatedServer.Files(dataset, destination), deadlines);
  }

  private SimulatedProcess processOf(Party party) {
    return switch (party) {
      case CLIENT -> director.process();
      case SOURCE -> source.process();
      case DESTINATION -> target.process();
      case RELAY -> relay;
    };
  }

  /** How long it is until each party has noticed that another one is gone, and given it up. */
  private Duration patience() {
    return deadlines
        .retryTimeout()
        .plus(deadlines.stallTimeout())
        .plus(deadlines.idleTimeout().multipliedBy(4));
  }

  public boolean isAlive(Party party) {
    return !processOf(party).isDead();
  }

  /** Breaks one connection. */
  public void cutOne() {
    network.cutOne(random);
  }

  /** Breaks all connections. */
  public void cutAll() {
    network.cutConnections();
  }

  /**
   * Kills a party.
   *
   * @param silently as when its machine loses power: nobody tells its peers
   */
  public void kill(Party party, boolean silently) {
    SimulatedProcess process = processOf(party);
    somebodyDied = true;
    List<Runnable> onDisks = process.die();
    if (party == Party.DESTINATION) {
      destination.tear(onDisks);
      target.stopListening();
    } else if (party == Party.SOURCE) {
      source.stopListening();
    } else if (party == Party.RELAY && !silently) {
      network.cutStreams();
    }
    if (!silently) {
      network.cutConnections((one, other) -> isOf(one, process) || isOf(other, process));
    }
    destination.assertNothingWrong();
  }

  private static boolean isAlive(EventLoop loop) {
    return !((VirtualLoop) loop).process().isDead();
  }

  private static boolean isOf(EventLoop loop, SimulatedProcess process) {
    return ((VirtualLoop) loop).process() == process;
  }

  /** A party that has died comes back: a server at its port, the client with the same command. */
  public void comeBack(Party party) throws FdtException {
    start(party);
  }

  public void stop(Party party) {
    processOf(party).stop();
  }

  public void goOn(Party party) {
    processOf(party).goOn();
  }

  public void cancel() {
    director.cancel();
  }

  /** Lets so many things happen, at most until the client's command has ended. */
  public void run(int steps) {
    for (int i = 0; i < steps && !hasEnded() && time.step(); i++) {
      assertThat(time.steps()).as("steps").isLessThan(MOST_STEPS);
    }
  }

  /** Lets time pass. */
  public void runFor(Duration duration) {
    long end = time.nanos() + duration.toNanos();
    boolean[] over = new boolean[1];
    time.after(duration.toNanos(), () -> over[0] = true);
    while (!over[0] && time.nanos() <= end && time.step()) {
      assertThat(time.steps()).as("steps").isLessThan(MOST_STEPS);
    }
  }

  public boolean hasEnded() {
    return director.completion().isDone();
  }

  /** Waits for the end of the client's command, which comes in time. All parties are there. */
  public TransferReport await() {
    return await(patience());
  }

  /** The same under attack: whatever arrives is progress, and what does not is sent again. */
  public TransferReport awaitUnderAttack() {
    return await(patience().multipliedBy(20));
  }

  private TransferReport await(Duration most) {
    CompletableFuture<TransferReport> completion = director.completion();
    long deadline = time.nanos() + most.toNanos();
    while (!completion.isDone() && time.nanos() < deadline && time.step()) {}
    assertThat(completion).as("the end of the client's command").isDone();
    TransferReport report = completion.join();
    report
        .failure()
        .ifPresent(
            code ->
                assertThat(code)
                    .as("a clear end: %s", report.failureMessage())
                    .isNotIn(relay == null ? DEFECTS : DEFECTS_UNDER_ATTACK));
    return report;
  }

  /** Each party gives up in time what it had of any session; then nothing happens any more. */
  public void assertNothingIsLeft() {
    runFor(patience());
    assertHoldNothing();
    while (time.step()) {
      assertThat(time.steps()).as("steps").isLessThan(MOST_STEPS);
    }
    assertHoldNothing();
  }

  private void assertHoldNothing() {
    assertThat(network.connections((one, other) -> isAlive(one) && isAlive(other)))
        .as("connections")
        .isZero();
    source.assertHoldsNothing("the source", !somebodyDied);
    target.assertHoldsNothing("the destination", !somebodyDied);
    assertThat(destination.openFiles()).as("files open for writing").isZero();
  }
}
