package io.fdt.udt.transport;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.udt.protocol.Dialing;
import io.fdt.udt.protocol.UdtSettings;
import io.fdt.udt.protocol.WindowMemory;
import io.fdt.udt.protocol.packet.Terms;
import io.fdt.udt.protocol.path.PathProbe;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Dials one UDT connection: with the longest packets that this host sends unfragmented, and with
 * shorter ones if a {@link PathProbe} finds that the path drops them. The shortest are not probed,
 * and may be fragmented. Confined to the event loop of its socket.
 */
final class UdtDial implements PacketTarget {
  private static final long TICK_MILLIS = 50;

  /** Time without an answer, with one retransmission, after which the dial fails. */
  private static final long FIRST_ANSWER_MICROS = 2_000_000;

  private final UdpSocket socket;
  private final InetSocketAddress peer;
  private final UdtSettings settings;
  private final WindowMemory memory;
  private final ByteBufAllocator allocator;
  private final Duration deadline;
  private final Consumer<UdtChannel> prepare;
  private final ArrayDeque<Integer> segments = new ArrayDeque<>();
  private int ownSocket;
  private Dialing dialing;
  private PathProbe probe;
  private final CompletableFuture<UdtChannel> result = new CompletableFuture<>();
  private ScheduledFuture<?> timer;
  private long firstAnswerMicros;
  private long endMicros;

  private UdtDial(
      EventLoop loop,
      InetSocketAddress peer,
      UdtSettings settings,
      WindowMemory memory,
      ByteBufAllocator allocator,
      Duration deadline,
      Consumer<UdtChannel> prepare) {
    this.memory = memory;
    this.socket = new UdpSocket(loop);
    this.peer = peer;
    this.settings = settings;
    this.allocator = allocator;
    this.deadline = deadline;
    this.prepare = prepare;
  }

  /**
   * Opens a connection.
   *
   * @param memory shared by all windows
   * @param prepare sets up the channel before it is active
   * @return fails with an {@link FdtException}
   */
  static CompletableFuture<UdtChannel> dial(
      EventLoop loop,
      InetSocketAddress peer,
      UdtSettings settings,
      WindowMemory memory,
      ByteBufAllocator allocator,
      Duration deadline,
      Consumer<UdtChannel> prepare) {
    UdtDial dial = new UdtDial(loop, peer, settings, memory, allocator, deadline, prepare);
    try {
      loop.execute(dial::start);
    } catch (RejectedExecutionException e) { // the client or server was closed
      dial.result.completeExceptionally(dial.unreachable("the client or server was closed", e));
    }
    return dial.result;
  }

  private void start() {
    try {
      endMicros = UdpSocket.nowMicros() + TimeUnit.NANOSECONDS.toMicros(deadline.toNanos());
      socket
          .connect(peer)
          .addListener(
              connected -> {
                if (connected.isSuccess()) {
                  begin();
                } else {
                  fail(String.valueOf(connected.cause().getMessage()), connected.cause());
                }
              });
    } catch (RuntimeException | Error e) { // or the failure would go unnoticed
      result.completeExceptionally(FdtException.unforeseen("connection to " + text(), e));
    }
  }

  private void begin() {
    socket.tune();
    segments.addAll(Segments.toTry(settings.segment(), socket.localAddress().getAddress()));
    dialNext();
    timer =
        socket
            .loop()
            .scheduleAtFixedRate(
                () -> step(UdpSocket.nowMicros()), 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Dials with the longest packets not tried yet. */
  private void dialNext() {
    probe = null;
    firstAnswerMicros = UdpSocket.nowMicros() + FIRST_ANSWER_MICROS;
    socket.remove(ownSocket);
    ownSocket = UdpSocket.random();
    dialing = new Dialing(settings.withSegment(segments.remove()), UdpSocket.random(), ownSocket);
    socket.mayFragment(segments.isEmpty());
    socket.add(ownSocket, this);
  }

  @Override
  public void packet(long now, ByteBuf memory, int at, int length, InetSocketAddress from) {
    if (result.isDone()) {
      return;
    }
    if (probe != null) {
      probe.receive(memory, at, length);
    } else {
      dialing.receive(now, memory, at, length);
    }
  }

  @Override
  public void packetsEnd(long now, boolean allRead) {
    step(now);
  }

  @Override
  public void canSend(long now) {
    step(now);
  }

  private void step(long now) {
    if (result.isDone()) {
      return;
    }
    if (dialing.terms().isPresent()) {
      probe(now, dialing.terms().get());
    } else if (dialing.isRefused()) {
      fail("the server takes no connections over UDP now", null);
    } else if (now >= (dialing.isAnswered() ? endMicros : Math.min(endMicros, firstAnswerMicros))) {
      fail("no answer over UDP; check the address and the firewalls between, or use TCP", null);
    } else {
      dialing.transmit(now, PooledByteBufAllocator.DEFAULT).ifPresent(this::send);
    }
  }

  /** The listener has answered: probes with long packets. */
  private void probe(long now, Terms terms) {
    if (probe == null) {
      if (segments.isEmpty()) {
        connected(terms);
        return;
      }
      probe = new PathProbe(terms, UdpSocket.random());
    }
    if (probe.hasPassed()) {
      connected(terms);
    } else if (probe.hasFailed(now)) {
      send(probe.shutdown(PooledByteBufAllocator.DEFAULT));
      dialNext();
      step(now);
    } else {
      probe.transmit(now, PooledByteBufAllocator.DEFAULT).ifPresent(this::send);
    }
  }

  private void send(ByteBuf packet) {
    socket.writeAndRelease(packet, peer);
    socket.flush();
  }

  private void connected(Terms terms) {
    timer.cancel(false);
    UdtChannel channel = new UdtChannel(socket, true, peer, terms, settings, memory, () -> {});
    channel.config().setAllocator(allocator);
    socket.replace(ownSocket, channel);
    prepare.accept(channel);
    socket
        .loop()
        .register(channel)
        .addListener(
            registered -> {
              if (registered.isSuccess()) {
                channel.canSend(UdpSocket.nowMicros()); // starts its timers
                result.complete(channel);
              } else {
                fail("it was closed", registered.cause());
              }
            });
  }

  private void fail(String reason, Throwable cause) {
    if (timer != null) {
      timer.cancel(false);
    }
    result.completeExceptionally(unreachable(reason, cause));
    socket.close();
  }

  private FdtException unreachable(String reason, Throwable cause) {
    return new FdtException(
        ErrorCode.UNREACHABLE, "cannot connect to " + text() + " over UDP: " + reason, cause);
  }

  private String text() {
    return peer.getAddress() == null
        ? peer.toString()
        : peer.getAddress().getHostAddress() + ":" + peer.getPort();
  }

  @Override
  public void unreachable(Throwable cause) {
    if (!result.isDone()) {
      fail("connection refused: does the server there take UDP?", cause);
    }
  }

  @Override
  public void socketClosed() {
    if (!result.isDone()) {
      fail("the socket was closed", null);
    }
  }
}
