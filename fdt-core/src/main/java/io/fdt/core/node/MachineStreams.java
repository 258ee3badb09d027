package io.fdt.core.node;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.DataTls;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.unit.Backoff;
import io.fdt.core.wire.Join;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams of one session to one machine, over all of its addresses: balances them, and moves
 * the streams of an address that does not answer to the others.
 *
 * <p>Confined to the event loop of the session.
 */
final class MachineStreams {
  private static final Logger LOG = LoggerFactory.getLogger(MachineStreams.class);

  private final StreamDialer dialer;
  private final Optional<DataTls> tls;

  private final int wanted;

  final Map<InetSocketAddress, Target> targets = new LinkedHashMap<>();

  /**
   * @param wanted total streams to all of the machine's addresses
   */
  MachineStreams(StreamDialer dialer, Fingerprint key, int wanted) {
    this.dialer = dialer;
    this.tls = dialer.terms.tls().map(client -> new DataTls(client, key));
    this.wanted = wanted;
  }

  Target add(InetSocketAddress address) {
    Target target = new Target(address);
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

  /** Whether streams are open, all over UDP. */
  boolean allUseUdp() {
    return open() > 0
        && targets.values().stream()
            .allMatch(target -> target.overUdp.size() == target.open.size());
  }

  /** Records the bytes that have arrived over each UDP stream, at either end. */
  void noteArrived(Map<DataStream, Long> bytes) {
    for (Target target : targets.values()) {
      for (DataStream stream : target.overUdp) {
        stream.pathState().ifPresent(state -> bytes.put(stream, state.arrivedBytes()));
      }
    }
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

  /** Dials missing streams at the address that has most. */
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
    if (best != null && dialer.agreed) {
      best.dial(wanted - expected, true);
    }
  }

  /** Closes a surplus stream of the fullest address after another address has gained one. */
  private void trim() {
    while (targets.size() > 1 && open() > wanted) {
      Target most = Collections.max(targets.values(), Comparator.comparingInt(Target::excess));
      if (most.excess() <= 0) {
        return;
      }
      most.closeOne();
    }
  }

  /** One address, and the streams to it. */
  final class Target {
    private final InetSocketAddress address;
    private final int of = dialer.round;

    /** Streams of the current round; older rounds may still be closing. */
    private final Set<DataStream> open = new HashSet<>();

    /** Open streams over UDP. */
    private final Set<DataStream> overUdp = new HashSet<>();

    /** Open streams that will close when their successors are ready. */
    private final ArrayDeque<DataStream> replaced = new ArrayDeque<>();

    int share;
    private int dialling;
    private int missing;
    private boolean triesLater;
    private final Backoff delays = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));

    Target(InetSocketAddress address) {
      this.address = address;
    }

    private boolean isOver() {
      return dialer.stopped || of != dialer.round || targets.get(address) != this;
    }

    int excess() {
      return open.size() - share;
    }

    void close() {
      List.copyOf(open).forEach(DataStream::close);
    }

    /** Closes the stream that has carried least. */
    void closeOne() {
      DataStream least = Collections.min(open, Comparator.comparingLong(DataStream::wireBytes));
      remove(least);
      least.close();
    }

    /**
     * Dials a successor for each open stream that does not use the current transport; the stream
     * closes once that is ready.
     */
    void replace() {
      replaced.clear();
      for (DataStream stream : open) {
        if (overUdp.contains(stream) != dialer.lines.usesUdp()) {
          replaced.add(stream);
        }
      }
      dial(replaced.size(), true);
    }

    private void closeReplaced() {
      DataStream old = replaced.poll();
      while (old != null && !remove(old)) { // it has closed meanwhile
        old = replaced.poll();
      }
      if (old != null) {
        old.close();
      }
    }

    private boolean remove(DataStream stream) {
      overUdp.remove(stream);
      return open.remove(stream);
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
     * @param again whether a stream was lost before: then this one sends nothing before the server
     *     answers
     */
    private void dial(boolean again) {
      if (isOver()) {
        return;
      }
      dialling++;
      Join join = Join.prove(dialer.terms.id(), dialer.takeNumber(), dialer.terms.secret());
      Dialled dialled = new Dialled(this, dialer.lines.usesUdp());
      boolean waits = again || dialer.terms.receives(); // a receiver has nothing to send earlier
      StreamSettings settings =
          AcceptedSession.withKey(
              AcceptedSession.settings(dialer.terms.spec()),
              dialer.terms.id(),
              join.stream(),
              dialer.terms.secret());
      dialer
          .lines
          .take(address)
          .thenCompose(line -> line.join(join, settings, tls, waits, dialled::handler))
          .whenComplete(
              (stream, failure) -> dialer.loop.run(() -> dialled.answered(stream, failure)));
    }

    private void accepted(DataStream stream, boolean udp) {
      if (udp != dialer.lines.usesUdp()) { // dialed before the transport changed
        stream.close();
        if (open.size() + dialling < wanted) {
          dial(true);
        }
        return;
      }
      boolean isBack = open.isEmpty() && targets.size() > 1;
      open.add(stream);
      if (udp) {
        overUdp.add(stream);
      }
      closeReplaced();
      dialer.accepted();
      delays.reset();
      trim();
      if (isBack) {
        dial(share - open.size() - dialling, true);
        cover();
      }
    }

    private void lost(FdtException cause) {
      if (isOver()) {
        return;
      }
      LOG.debug(
          "stream lost session={} address={} reason={}",
          dialer.terms.id().shortName(),
          address,
          cause.getMessage());
      boolean isOnly = targets.size() == 1;
      if (cause.code() == ErrorCode.UNTRUSTED) {
        if (targets.keySet().iterator().next().equals(address)) {
          dialer.owner.failed(cause); // a machine on the path interferes
        } else {
          targets.remove(address); // here the address belongs to another machine
          cover();
        }
        return;
      }
      if (!dialer.agreed) {
        missing++;
        return;
      }
      if (isOnly && open.size() >= wanted) {
        return; // it was only for the beginning
      }
      if (dialer.isTooLongWithout()) {
        dialer.owner.failed(
            new FdtException(
                ErrorCode.UNREACHABLE,
                "no data stream could be opened: " + cause.getMessage(),
                cause));
        return;
      }
      if (isOnly) {
        dialling++;
        dialer.loop.after(
            delays.nextNanos(),
            () -> {
              dialling--;
              dial(true);
            });
        return;
      }
      tryLater();
    }

    /** Tries the address again with a single attempt; others take over its streams meanwhile. */
    private void tryLater() {
      if (triesLater) {
        return;
      }
      triesLater = true;
      dialer.loop.after(
          delays.nextNanos(),
          () -> {
            triesLater = false;
            if (open.size() + dialling < share) {
              dial(open.isEmpty() ? 1 : share - open.size() - dialling, true);
            }
            cover();
          });
    }
  }

  /** One attempt to open a stream. */
  private final class Dialled {
    private final Target target;
    private final boolean udp;
    private DataStream accepted;

    /** Whether the stream is in use; then it reports its own end. */
    private volatile boolean sends;

    /**
     * @param udp whether the stream uses UDP
     */
    Dialled(Target target, boolean udp) {
      this.target = target;
      this.udp = udp;
    }

    void answered(DataStream stream, Throwable failure) {
      target.dialling--;
      if (failure == null && target.isOver()) {
        stream.close();
      } else if (failure == null) {
        accepted = stream;
        target.accepted(stream, udp);
      } else if (!sends) {
        target.lost(cause(failure));
      }
    }

    private FdtException cause(Throwable failure) {
      boolean wrapped = failure instanceof CompletionException;
      return Dialer.asFdtException(wrapped ? failure.getCause() : failure);
    }

    /** Wraps the handler of a stream that is joining the session. On the stream's event loop. */
    DataStream.Handler handler(DataStream stream) {
      sends = true;
      return dialer.owner.attach(stream).whenClosed(cause -> dialer.loop.run(() -> ended(cause)));
    }

    private void ended(FdtException cause) {
      boolean isOpen = accepted == null || target.remove(accepted);
      if (accepted != null && target.of == dialer.round && dialer.open() == 0) {
        dialer.withoutSinceNanos = dialer.loop.nanoTime();
      }
      if (isOpen) { // otherwise this end has closed it
        target.lost(cause);
      }
    }
  }
}
