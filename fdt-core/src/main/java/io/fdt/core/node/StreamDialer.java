package io.fdt.core.node;

import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.transport.DataStream;
import io.fdt.core.wire.control.DataNodes;
import io.fdt.core.wire.stripe.DataNode;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the data streams of one session open: dials the requested number, to the peer and its data
 * nodes, and replaces each lost one under a new number. Gives the session up without any stream for
 * longer than the idle timeout. A server that has not accepted the session yet may refuse streams,
 * or leave them waiting; they are replaced once it has.
 *
 * <p>A machine with several addresses has as many streams as one with a single address. Its first
 * address has all of them until others answer; then each has its share, and takes over the streams
 * that another one loses. An address that does not answer is retried now and then.
 *
 * <p>Confined to the event loop of the session.
 */
final class StreamDialer {
  private static final Logger LOG = LoggerFactory.getLogger(StreamDialer.class);

  /** Limit on a peer's data nodes, and so on the connections of this end. */
  static final int MOST_TARGETS = 256;

  /** The session of the streams. */
  interface Owner {
    /** The handler of a new stream. On the stream's event loop. */
    DataStream.Handler attach(DataStream stream);

    /**
     * No stream can be opened, or a machine on the path interferes. On the event loop of the
     * session.
     */
    void failed(FdtException cause);
  }

  final SessionLoop loop;
  final PreconnectedSockets lines;
  final StreamTerms terms;
  final Owner owner;

  /** The machines by their keys. */
  private final Map<Fingerprint, MachineStreams> machines = new LinkedHashMap<>();

  /** The nodes last announced by the peer. */
  private DataNodes announced = DataNodes.getDefaultInstance();

  private InetSocketAddress peer;
  private Fingerprint peerKey;
  private int nextNumber;
  long withoutSinceNanos;
  private boolean hadStreams;
  boolean stopped = true;
  boolean agreed;
  int round;
  private Runnable moved = () -> {};

  /** The bytes that have arrived over each UDP stream. */
  private final Map<DataStream, Long> arrived = new HashMap<>();

  /**
   * @param firstNumber of its streams
   * @param agreed whether the peer has accepted the session already
   */
  StreamDialer(
      SessionLoop loop,
      PreconnectedSockets lines,
      StreamTerms terms,
      int firstNumber,
      boolean agreed,
      Owner owner) {
    this.loop = loop;
    this.lines = lines;
    this.terms = terms;
    this.nextNumber = firstNumber;
    this.agreed = agreed;
    this.owner = owner;
  }

  /**
   * Opens the streams to the peer, once the session has a control connection.
   *
   * @param dialled the address that was dialed
   * @param key of the peer, proven
   */
  void start(InetSocketAddress dialled, Fingerprint key) {
    stopped = false;
    round++;
    withoutSinceNanos = loop.nanoTime();
    peer = dialled;
    peerKey = key;
    machines.clear();
    if (round > 1) {
      setNodes(announced);
      return;
    }
    int count = terms.spec().streams();
    MachineStreams machine = new MachineStreams(this, key, count);
    machines.put(key, machine);
    MachineStreams.Target target = machine.add(dialled);
    target.share = count;
    target.dial(count, false);
  }

  /** The peer has accepted the session, and announces its addresses for data. Called once. */
  void agreed(DataNodes nodes) {
    agreed = true;
    withoutSinceNanos = loop.nanoTime();
    setNodes(nodes);
    for (MachineStreams machine : machines.values()) {
      machine.targets.values().forEach(MachineStreams.Target::dialMissing);
    }
  }

  /** Updates the addresses for data, besides that of the control connection. */
  void setNodes(DataNodes nodes) {
    announced = nodes;
    if (stopped) {
      return;
    }
    Map<Fingerprint, Set<InetSocketAddress>> named = new LinkedHashMap<>();
    named
        .computeIfAbsent(peerKey, k -> new LinkedHashSet<>())
        .add(NodeAddress.ofData(peer, nodes.getDataPort()));
    addAll(nodes.getNodesList(), named);
    lay(named, share(terms.spec(), named.size()));
  }

  /**
   * Replaces the machines that streams go to.
   *
   * @param each streams to each of them
   */
  void setTargets(List<DataNode> targets, int each) {
    if (stopped) {
      stopped = false;
      withoutSinceNanos = loop.nanoTime();
    }
    Map<Fingerprint, Set<InetSocketAddress>> named = new LinkedHashMap<>();
    addAll(targets, named);
    lay(named, each);
  }

  private void addAll(List<DataNode> nodes, Map<Fingerprint, Set<InetSocketAddress>> named) {
    for (DataNode node : nodes.subList(0, Math.min(MOST_TARGETS, nodes.size()))) {
      try {
        Fingerprint key = Fingerprint.ofDigest(node.getKey().toByteArray());
        InetSocketAddress address = NodeAddress.of(node);
        if (named.containsKey(key) && !terms.rule().allows(address.getAddress())) {
          LOG.debug("not dialled session={} address={}", terms.id().shortName(), address);
          continue; // the machine has another address
        }
        terms.rule().check(address.getAddress());
        named.computeIfAbsent(key, k -> new LinkedHashSet<>()).add(address);
      } catch (FdtException | IllegalArgumentException e) {
        LOG.warn(
            "data node is not used session={} reason={}", terms.id().shortName(), e.getMessage());
      }
    }
  }

  /** Closes streams to removed machines. */
  private void lay(Map<Fingerprint, Set<InetSocketAddress>> named, int each) {
    for (Fingerprint key : List.copyOf(machines.keySet())) {
      if (!named.containsKey(key)) {
        machines.remove(key).setAddresses(List.of());
      }
    }
    named.forEach(
        (key, addresses) ->
            machines
                .computeIfAbsent(
                    key,
                    k ->
                        new MachineStreams(
                            this, k, k.equals(peerKey) ? terms.spec().streams() : each))
                .setAddresses(List.copyOf(addresses)));
  }

  /** Streams to each of a number of machines: together those of the session, at least one each. */
  static int share(TransferSpec spec, int machines) {
    return (spec.streams() + machines - 1) / machines;
  }

  /**
   * Dials a successor for each open stream, over UDP, or over TCP again. The old streams close when
   * their successors are ready.
   */
  void useUdp(boolean udp) {
    lines.useUdp(udp);
    arrived.clear();
    if (!stopped) {
      machines
          .values()
          .forEach(machine -> machine.targets.values().forEach(MachineStreams.Target::replace));
    }
  }

  /**
   * Called before UDP is used.
   *
   * @param moved called when all streams use it; again for each further one
   */
  void watchUdp(Runnable moved) {
    this.moved = moved;
  }

  /** A new stream was accepted. */
  void accepted() {
    hadStreams = true;
    if (lines.usesUdp() && machines.values().stream().allMatch(MachineStreams::allUseUdp)) {
      moved.run();
    }
  }

  /**
   * Bytes that have arrived at either end over UDP; for closed streams, as seen by an earlier call.
   */
  long arrivedOverUdp() {
    machines.values().forEach(machine -> machine.noteArrived(arrived));
    return arrived.values().stream().mapToLong(Long::longValue).sum();
  }

  /** The address of all streams; empty when there are several. */
  Optional<InetSocketAddress> onlyAddress() {
    List<InetSocketAddress> all =
        machines.values().stream().flatMap(machine -> machine.targets.keySet().stream()).toList();
    return all.size() == 1 ? Optional.of(all.get(0)) : Optional.empty();
  }

  /** Opens no more streams until {@link #start}. */
  void stop() {
    stopped = true;
    round++;
  }

  /** The next unused number of this session. */
  int takeNumber() {
    return nextNumber++;
  }

  /** Whether the session has been without a stream for longer than allowed. */
  boolean isTooLongWithout() {
    Duration most = hadStreams ? terms.idleTimeout() : terms.firstTimeout();
    return open() == 0 && loop.nanoTime() - withoutSinceNanos > most.toNanos();
  }

  int open() {
    int sum = 0;
    for (MachineStreams machine : machines.values()) {
      sum += machine.open();
    }
    return sum;
  }
}
