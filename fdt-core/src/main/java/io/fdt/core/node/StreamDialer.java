package io.fdt.core.node;

import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.DataTls;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.control.DataNodes;
import io.fdt.core.wire.stripe.DataNode;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the data streams of one session open: dials as many as were asked for, and a new one, under
 * a new number, for each that dies; to the peer, and to the data nodes that it has. Without any
 * stream for longer than the idle timeout it gives the session up. While the server has not agreed
 * to the session it may refuse streams, or let them wait in vain: such are replaced when it has.
 *
 * <p>A machine with several addresses has as many streams as one with a single address. Its first
 * address has all of them until others answer; then each has its share, and takes over what another
 * one loses. An address that does not answer is tried again now and then.
 *
 * <p>Confined to the event loop of the session.
 */
final class StreamDialer {
  private static final Logger LOG = LoggerFactory.getLogger(StreamDialer.class);
  private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LAST_DELAY_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Data nodes of one peer, so that a peer cannot have this end open connections without end. */
  static final int MOST_TARGETS = 256;

  /** What the streams belong to. */
  interface Owner {
    /** The handler of a new stream. On the stream's event loop. */
    DataStream.Handler attach(DataStream stream);

    /** No stream can be opened, or somebody stands in between. On the event loop of the session. */
    void failed(FdtException cause);
  }

  private final SessionLoop loop;
  private final PreconnectedSockets lines;
  private final StreamTerms terms;
  private final Owner owner;

  /** By their keys. */
  private final Map<Fingerprint, Machine> machines = new LinkedHashMap<>();

  /** What the peer has told last. */
  private DataNodes told = DataNodes.getDefaultInstance();

  private InetSocketAddress peer;
  private Fingerprint peerKey;
  private int nextNumber;
  private long withoutSinceNanos;
  private boolean stopped = true;
  private boolean agreed;
  private int round;

  /**
   * @param firstNumber of its streams
   * @param agreed whether the peer has agreed to the session already
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
   * @param dialled where that goes
   * @param key who the peer has proven to be
   */
  void start(InetSocketAddress dialled, Fingerprint key) {
    stopped = false;
    round++;
    withoutSinceNanos = loop.nanoTime();
    peer = dialled;
    peerKey = key;
    machines.clear();
    if (round > 1) {
      setNodes(told);
      return;
    }
    int steady = terms.spec().steadyStreams();
    Machine machine = new Machine(key, steady);
    machines.put(key, machine);
    Target target = machine.add(dialled);
    target.share = steady;
    target.dial(terms.spec().streams(), false);
  }

  /** The peer has agreed to the session, and says where it takes data. Once. */
  void agreed(DataNodes nodes) {
    agreed = true;
    withoutSinceNanos = loop.nanoTime();
    setNodes(nodes);
    for (Machine machine : machines.values()) {
      machine.targets.values().forEach(Target::dialMissing);
    }
  }

  /** This is where the peer takes data now, besides the address of the control connection. */
  void setNodes(DataNodes nodes) {
    told = nodes;
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
   * These are the machines to which streams go, and no others.
   *
   * @param each streams to each of them
   */
  void setTargets(List<DataNode> targets, int each) {
    stopped = false;
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

  /** Streams to machines that are gone are closed: one that hangs does not close them. */
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
                    k -> new Machine(k, k.equals(peerKey) ? terms.spec().steadyStreams() : each))
                .setAddresses(List.copyOf(addresses)));
  }

  /** Streams to each of so many machines: together those of the session, at least one to each. */
  static int share(TransferSpec spec, int machines) {
    return (spec.steadyStreams() + machines - 1) / machines;
  }

  /** Opens no more streams until {@link #start}. */
  void stop() {
    stopped = true;
    round++;
  }

  /** The next number of this session that has not been used. */
  int takeNumber() {
    return nextNumber++;
  }

  private int open() {
    int sum = 0;
    for (Machine machine : machines.values()) {
      sum += machine.open();
    }
    return sum;
  }

  /** One machine that takes streams, and its addresses. */
  private final class Machine {
    private final Optional<DataTls> tls;

    /** Streams to all of its addresses together. */
    private final int wanted;

    private final Map<InetSocketAddress, Target> targets = new LinkedHashMap<>();

    Machine(Fingerprint key, int wanted) {
      this.tls = terms.tls().map(client -> new DataTls(client, key));
      this.wanted = wanted;
    }

    Target add(InetSocketAddress address) {
      Target target = new Target(this, address);
      targets.put(address, target);
      return target;
    }

    int open() {
      int sum = 0;
      for (Target target : targets.values()) {
        sum += target.open.size();
      }
      return sum;
    }

    /** With fewer streams than addresses, the first ones are used. */
    void setAddresses(List<InetSocketAddress> all) {
      List<InetSocketAddress> used = all.subList(0, Math.min(wanted, all.size()));
      for (InetSocketAddress address : List.copyOf(targets.keySet())) {
        if (!used.contains(address)) {
          targets.remove(address).close();
        }
      }
      for (int i = 0; i < used.size(); i++) {
        boolean isFirst = targets.isEmpty();
        Target known = targets.get(used.get(i));
        Target target = known == null ? add(used.get(i)) : known;
        target.share = wanted / used.size() + (i < wanted % used.size() ? 1 : 0);
        if (known == null) {
          target.dial(isFirst ? wanted : target.share, true);
        }
      }
      cover();
    }

    /** Streams that no address has are dialled to the one that has most. */
    private void cover() {
      Target best = null;
      int expected = 0;
      for (Target target : targets.values()) {
        if (!target.open.isEmpty()) {
          expected += target.open.size() + target.dialling + target.missing;
          if (best == null || target.open.size() > best.open.size()) {
            best = target;
          }
        }
      }
      if (best != null && agreed) {
        best.dial(wanted - expected, true);
      }
    }

    /** An address has one stream more: another one, which has more than its share, has one less. */
    private void trim() {
      while (targets.size() > 1 && open() > wanted) {
        Target most =
            Collections.max(targets.values(), Comparator.comparingInt(Target::excess));
        if (most.excess() <= 0) {
          return;
        }
        most.closeOne();
      }
    }
  }

  /** One address, and the streams to it. */
  private final class Target {
    private final Machine machine;
    private final InetSocketAddress address;
    private final int of = round;

    /** Of this round: those of earlier ones may take a while to end. */
    private final Set<DataStream> open = new HashSet<>();

    private int share;
    private int dialling;
    private int missing;
    private boolean triesLater;
    private long delayNanos = FIRST_DELAY_NANOS;

    Target(Machine machine, InetSocketAddress address) {
      this.machine = machine;
      this.address = address;
    }

    private boolean isOver() {
      return stopped || of != round || machine.targets.get(address) != this;
    }

    int excess() {
      return open.size() - share;
    }

    void close() {
      List.copyOf(open).forEach(DataStream::close);
    }

    /** The one that has carried least. */
    void closeOne() {
      DataStream least = Collections.min(open, Comparator.comparingLong(DataStream::wireBytes));
      open.remove(least);
      least.close();
    }

    void dial(int count, boolean again) {
      for (int i = 0; i < count; i++) {
        dial(again);
      }
    }

    void dialMissing() {
      dial(missing, true);
      missing = 0;
    }

    /**
     * @param again whether something was lost before: then nothing is sent before the server
     *     answers
     */
    private void dial(boolean again) {
      if (isOver()) {
        return;
      }
      dialling++;
      Join join = Join.prove(terms.id(), takeNumber(), terms.secret());
      Dialled dialled = new Dialled(this);
      boolean waits = again || terms.receives(); // who receives has nothing to send before
      TransferSpec spec = terms.spec();
      lines
          .take(address)
          .thenCompose(
              line ->
                  line.join(
                      join,
                      new StreamSettings(spec.blockSize(), spec.socketBuffer()),
                      machine.tls,
                      waits,
                      dialled::handler))
          .whenComplete((stream, failure) -> loop.run(() -> dialled.answered(stream, failure)));
    }

    private void accepted(DataStream stream) {
      boolean isBack = open.isEmpty() && machine.targets.size() > 1;
      open.add(stream);
      delayNanos = FIRST_DELAY_NANOS;
      machine.trim();
      if (isBack) {
        dial(share - open.size() - dialling, true);
        machine.cover();
      }
    }

    private void lost(FdtException cause) {
      if (isOver()) {
        return;
      }
      LOG.debug(
          "stream lost session={} address={} reason={}",
          terms.id().shortName(),
          address,
          cause.getMessage());
      boolean isOnly = machine.targets.size() == 1;
      if (cause.code() == ErrorCode.UNTRUSTED) {
        if (machine.targets.keySet().iterator().next().equals(address)) {
          owner.failed(cause); // somebody stands in between
        } else {
          machine.targets.remove(address); // the address means another machine here
          machine.cover();
        }
        return;
      }
      if (!agreed) {
        missing++;
        return;
      }
      if (isOnly && open.size() >= machine.wanted) {
        return; // it only helped at the beginning
      }
      long now = loop.nanoTime();
      if (open() == 0 && now - withoutSinceNanos > terms.idleTimeout().toNanos()) {
        owner.failed(
            new FdtException(
                ErrorCode.UNREACHABLE,
                "no data stream could be opened: " + cause.getMessage(),
                cause));
        return;
      }
      if (isOnly) {
        dialling++;
        loop.after(
            delayNanos,
            () -> {
              dialling--;
              dial(true);
            });
        lengthenDelay();
        return;
      }
      tryLater();
    }

    private void lengthenDelay() {
      delayNanos = Math.min(LAST_DELAY_NANOS, delayNanos * 2);
    }

    /**
     * One attempt is enough to find out whether it answers again; others take over its streams
     * meanwhile.
     */
    private void tryLater() {
      if (triesLater) {
        return;
      }
      triesLater = true;
      loop.after(
          delayNanos,
          () -> {
            triesLater = false;
            if (open.size() + dialling < share) {
              dial(open.isEmpty() ? 1 : share - open.size() - dialling, true);
            }
            machine.cover();
          });
      lengthenDelay();
    }
  }

  /** One attempt to open a stream, and what becomes of it. */
  private final class Dialled {
    private final Target target;
    private DataStream accepted;

    /** The stream sends already, and says itself when it ends. */
    private volatile boolean sends;

    Dialled(Target target) {
      this.target = target;
    }

    void answered(DataStream stream, Throwable failure) {
      target.dialling--;
      if (failure == null && target.isOver()) {
        stream.close();
      } else if (failure == null) {
        accepted = stream;
        target.accepted(stream);
      } else if (!sends) {
        target.lost(cause(failure));
      }
    }

    private FdtException cause(Throwable failure) {
      boolean wrapped = failure instanceof CompletionException;
      return Dialer.asFdtException(wrapped ? failure.getCause() : failure);
    }

    /** Watches a stream on its way to the session. On the stream's event loop. */
    DataStream.Handler handler(DataStream stream) {
      sends = true;
      return owner.attach(stream).whenClosed(cause -> loop.run(() -> ended(cause)));
    }

    private void ended(FdtException cause) {
      boolean isOpen = accepted == null || target.open.remove(accepted);
      if (accepted != null && target.of == round && open() == 0) {
        withoutSinceNanos = loop.nanoTime();
      }
      if (isOpen) { // otherwise this end has closed it
        target.lost(cause);
      }
    }
  }
}
