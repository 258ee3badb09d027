package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.Routes;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.JoinAnswer;
import io.fdt.core.wire.Preface;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.AttributeKey;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The client's side of one relay on a route: requests the next connection, and leaves the pipeline
 * when it is established.
 *
 * <pre>
 *   preface (RELAY), join --&gt; preface (ANSWER), answer; then the bytes of the next relay or the peer
 * </pre>
 *
 * <p>Confined to the event loop of its connection.
 */
final class RelayHop extends PrefaceHandler {
  /** Time that the last relay of a route took to connect: one round trip of the whole route. */
  static final AttributeKey<Duration> ROUND_TRIP =
      AttributeKey.valueOf(RelayHop.class, "roundTrip");

  private final Routes.Route route;
  private final int number;
  private final Duration deadline;
  private final ChannelHandler last;
  private final Consumer<FdtException> done;
  private long askedNanos;

  /**
   * @param number of the relay on the route, from 0
   * @param deadline for each relay
   * @param last the handler of the connection once the peer is reached
   * @param done receives null then, or the failure
   */
  RelayHop(
      Routes.Route route,
      int number,
      Duration deadline,
      ChannelHandler last,
      Consumer<FdtException> done) {
    super(deadline);
    this.route = route;
    this.number = number;
    this.deadline = deadline;
    this.last = last;
    this.done = done;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    super.handlerAdded(context);
    if (number > 0) {
      ask(context); // the connection is already open
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    ask(context);
  }

  private void ask(ChannelHandlerContext context) {
    Join join = route.hops().get(number).prove();
    ByteBuf bytes = context.alloc().buffer(Preface.LENGTH + Join.LENGTH);
    Preface.of(Preface.Kind.RELAY).write(bytes);
    join.write(bytes);
    context.writeAndFlush(bytes);
    askedNanos = System.nanoTime();
    context.channel().config().setAutoRead(true);
  }

  @Override
  String whenClosed() {
    return "closed the connection before it had connected to the next server: is it an FDT relay?";
  }

  @Override
  void recognised(ChannelHandlerContext context) {
    // A client sends no reply to an answer.
  }

  @Override
  boolean preface(ChannelHandlerContext context, Preface preface) throws FdtException {
    TcpDialer.checkWelcome(context.channel(), preface);
    return false;
  }

  @Override
  boolean more(ChannelHandlerContext context, ByteBuf in) throws FdtException {
    if (in.readableBytes() < JoinAnswer.LENGTH) {
      return false;
    }
    JoinAnswer answer = JoinAnswer.read(in);
    if (!answer.isAccepted()) {
      throw refusal(context, answer.refusal().get());
    }
    context.channel().config().setAutoRead(false);
    if (number + 1 < route.hops().size()) {
      context.pipeline().addLast(new RelayHop(route, number + 1, deadline, last, done));
    } else {
      Duration roundTrip = Duration.ofNanos(System.nanoTime() - askedNanos);
      context.channel().attr(ROUND_TRIP).set(roundTrip);
      context.pipeline().addLast(last);
      context.executor().execute(() -> done.accept(null)); // after this handler has left
    }
    return true;
  }

  private FdtException refusal(ChannelHandlerContext context, ErrorCode code) {
    String relay = "the relay " + Addresses.text(context.channel().remoteAddress());
    if (code == ErrorCode.NOT_FOUND) {
      route.forget().run();
      return new FdtException(
          ErrorCode.UNREACHABLE, relay + " does not know this route any more: it was restarted");
    }
    if (code != ErrorCode.UNREACHABLE) {
      return new FdtException(code, relay + " refuses to connect further: " + code);
    }
    return new FdtException(
        code,
        route.hops().get(number).overUdp()
            ? relay + " cannot connect further over UDP: does the server there take it?"
            : relay + " cannot connect further: is the server running there?");
  }

  @Override
  void refused(ChannelHandlerContext context, FdtException cause) {
    done.accept(cause);
  }
}
