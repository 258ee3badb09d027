package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.SimulatedDirector;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
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
final class ThreeParties {
  /** One of the three. */
  enum Party {
    CLIENT,
    SOURCE,
    DESTINATION
  }

  private static final int SOURCE_PORT = 1001;
  private static final int DESTINATION_PORT = 1002;
  private static final int BLOCK = 4096;

  /** Far beyond what the longest of them needs. */
  private static final long MOST_STEPS = 2_000_000;

  /** What no party may end with, whatever happens to the others. */
  private static final Set<ErrorCode> DEFECTS = EnumSet.of(ErrorCode.INTERNAL, ErrorCode.PROTOCOL);

  final VirtualTime time;
  final Random random;
  private final MemoryNetwork network = new MemoryNetwork();
  private final RandomDataset dataset;
  final SimulatedDestination destination;
  private final SessionDeadlines deadlines;
  private final SimulatedServer.Keys keys;
  private final boolean sourceDials;
  private final boolean destinationDials;
  private final int streams;
  private SimulatedServer source;
  private SimulatedServer target;
  private SimulatedDirector director;
  private boolean somebodyDied;

  ThreeParties(Random random, SimulatedServer.Keys keys) throws FdtException {
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
                      SimulatedServer.token(),
                      deadlines));
      case SOURCE -> source = server(process, SOURCE_PORT);
      case DESTINATION -> target = server(process, DESTINATION_PORT);
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
    };
  }

  /** How long it is until each party has noticed that another one is gone, and given it up. */
  private Duration patience() {
    return deadlines
        .retryTimeout()
        .plus(deadlines.stallTimeout())
        .plus(deadlines.idleTimeout().multipliedBy(4));
  }

  boolean isAlive(Party party) {
    return !processOf(party).isDead();
  }

  /** Breaks one connection. */
  void cutOne() {
    network.cutOne(random);
  }

  /** Breaks all connections. */
  void cutAll() {
    network.cutConnections();
  }

  /**
   * Kills a party.
   *
   * @param silently as when its machine loses power: nobody tells its peers
   */
  void kill(Party party, boolean silently) {
    SimulatedProcess process = processOf(party);
    somebodyDied = true;
    List<Runnable> onDisks = process.die();
    if (party == Party.DESTINATION) {
      destination.tear(onDisks);
      target.stopListening();
    } else if (party == Party.SOURCE) {
      source.stopListening();
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
  void comeBack(Party party) throws FdtException {
    start(party);
  }

  void stop(Party party) {
    processOf(party).stop();
  }

  void goOn(Party party) {
    processOf(party).goOn();
  }

  void cancel() {
    director.cancel();
  }

  /** Lets so many things happen, at most until the client's command has ended. */
  void run(int steps) {
    for (int i = 0; i < steps && !hasEnded() && time.step(); i++) {
      assertThat(time.steps()).as("steps").isLessThan(MOST_STEPS);
    }
  }

  /** Lets time pass. */
  void runFor(Duration duration) {
    long end = time.nanos() + duration.toNanos();
    boolean[] over = new boolean[1];
    time.after(duration.toNanos(), () -> over[0] = true);
    while (!over[0] && time.nanos() <= end && time.step()) {
      assertThat(time.steps()).as("steps").isLessThan(MOST_STEPS);
    }
  }

  boolean hasEnded() {
    return director.completion().isDone();
  }

  /** Waits for the end of the client's command, which comes in time. All parties are there. */
  TransferReport await() {
    CompletableFuture<TransferReport> completion = director.completion();
    long deadline = time.nanos() + patience().toNanos();
    while (!completion.isDone() && time.nanos() < deadline && time.step()) {}
    assertThat(completion).as("the end of the client's command").isDone();
    TransferReport report = completion.join();
    report
        .failure()
        .ifPresent(
            code ->
                assertThat(code).as("a clear end: %s", report.failureMessage()).isNotIn(DEFECTS));
    return report;
  }

  /** Each party gives up in time what it had of any session; then nothing happens any more. */
  void assertNothingIsLeft() {
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
