package io.fdt.core.node;

import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.ClientTls;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.DataTls;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.stripe.DataNode;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
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

  /**
   * What every stream of the session needs.
   *
   * @param tls within which streams are; empty for clear ones
   * @param rule to which addresses this end connects
   * @param idleTimeout how long there may be no stream at all
   * @param receives whether this end receives
   */
  record Terms(
      SessionId id,
      byte[] secret,
      TransferSpec spec,
      Optional<ClientTls> tls,
      DialRule rule,
      Duration idleTimeout,
      boolean receives) {
    /** Those of a session that is dialled. */
    static Terms of(Dialer dialer, SessionPlan plan, SessionId id, byte[] secret) {
      return new Terms(
          id,
          secret,
          plan.spec(),
          dialer.dataTls(),
          dialer.rule(),
          dialer.idleTimeout(),
          plan.isPull());
    }
  }

  private final SessionLoop loop;
  private final PreconnectedSockets lines;
  private final Terms terms;
  private final Owner owner;
  private final Map<InetSocketAddress, Target> targets = new LinkedHashMap<>();
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
      Terms terms,
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
   * @param key who the peer has proven to be
   */
  void start(InetSocketAddress peer, Fingerprint key) {
    stopped = false;
    round++;
    withoutSinceNanos = loop.nanoTime();
    int count = round == 1 ? terms.spec().streams() : terms.spec().steadyStreams();
    targets.clear();
    Target target = new Target(peer, key, terms.spec().steadyStreams());
    targets.put(peer, target);
    target.dial(count, round > 1);
  }

  /** The peer has agreed to the session. Once. */
  void agreed() {
    agreed = true;
    withoutSinceNanos = loop.nanoTime();
    for (Target target : targets.values()) {
      target.dialMissing();
    }
  }

  /**
   * These are the data nodes now. Streams to those that are gone are closed: a node that hangs does
   * not close them.
   *
   * @param peer stays in any case; null when it is named among the nodes, if at all
   * @param each streams to each of them; 0 for an equal share of those of the session
   */
  void setNodes(InetSocketAddress peer, List<DataNode> nodes, int each) {
    if (stopped && peer != null) {
      return;
    }
    if (stopped) {
      stopped = false;
      withoutSinceNanos = loop.nanoTime();
    }
    Set<InetSocketAddress> named = new HashSet<>();
    if (peer != null) {
      named.add(peer);
    }
    int share = share(terms.spec(), nodes.size() + 1);
    for (DataNode node : nodes.subList(0, Math.min(MOST_TARGETS, nodes.size()))) {
      try {
        InetSocketAddress address = NodeAddress.of(node);
        terms.rule().check(address.getAddress());
        named.add(address);
        if (!targets.containsKey(address)) {
          Fingerprint key = Fingerprint.ofDigest(node.getKey().toByteArray());
          Target target = new Target(address, key, each > 0 ? each : share);
          targets.put(address, target);
          target.dial(target.wanted, true);
        }
      } catch (FdtException | IllegalArgumentException e) {
        LOG.warn(
            "data node is not used session={} reason={}", terms.id().shortName(), e.getMessage());
      }
    }
    for (InetSocketAddress address : List.copyOf(targets.keySet())) {
      if (!named.contains(address)) {
        targets.remove(address).close();
      }
    }
  }

  /** Streams to each of so many addresses: together those of the session, at least one to each. */
  static int share(TransferSpec spec, int addresses) {
    return (spec.steadyStreams() + addresses - 1) / addresses;
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
    for (Target target : targets.values()) {
      sum += target.open.size();
    }
    return sum;
  }

  /** One address, and the streams to it. */
  private final class Target {
    private final InetSocketAddress address;
    private final Optional<DataTls> tls;
    private final int wanted;
    private final int of = round;

    /** Of this round: those of earlier ones may take a while to end. */
    private final Set<DataStream> open = new HashSet<>();

    private int missing;
    private long delayNanos = FIRST_DELAY_NANOS;

    Target(InetSocketAddress address, Fingerprint key, int wanted) {
      this.address = address;
      this.tls = terms.tls().map(client -> new DataTls(client, key));
      this.wanted = wanted;
    }

    private boolean isOver() {
      return stopped || of != round || targets.get(address) != this;
    }

    void close() {
      List.copyOf(open).forEach(DataStream::close);
    }

    void dial(int count, boolean again) {
      for (int i = 0; i < count; i++) {
        dial(again);
      }
    }

    void dialMissing() {
      for (; missing > 0; missing--) {
        dial(true);
      }
    }

    /**
     * @param again whether something was lost before: then nothing is sent before the server
     *     answers
     */
    private void dial(boolean again) {
      if (isOver()) {
        return;
      }
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
                      tls,
                      waits,
                      dialled::handler))
          .whenComplete((stream, failure) -> loop.run(() -> dialled.answered(stream, failure)));
    }

    private void lost(FdtException cause) {
      if (isOver()) {
        return;
      }
      LOG.debug("stream lost session={} reason={}", terms.id().shortName(), cause.getMessage());
      if (cause.code() == ErrorCode.UNTRUSTED) {
        owner.failed(cause); // somebody stands in between
        return;
      }
      if (!agreed) {
        missing++;
        return;
      }
      if (open.size() >= wanted) {
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
      loop.after(delayNanos, () -> dial(true));
      delayNanos = Math.min(LAST_DELAY_NANOS, delayNanos * 2);
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
      if (failure == null && target.isOver()) {
        stream.close();
      } else if (failure == null) {
        accepted = stream;
        target.open.add(stream);
        target.delayNanos = FIRST_DELAY_NANOS;
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
      if (accepted != null && target.of == round) {
        target.open.remove(accepted);
        if (open() == 0) {
          withoutSinceNanos = loop.nanoTime();
        }
      }
      target.lost(cause);
    }
  }
}
