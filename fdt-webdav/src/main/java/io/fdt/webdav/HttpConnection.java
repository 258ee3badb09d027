package io.fdt.webdav;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.tcp.UnauthenticatedConnections;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.fdt.server.web.WebHost;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection: requests, one after the other, each answered on a thread that may block.
 *
 * <pre>
 *   handshake -&gt; IDLE -- head of a request --&gt; BUSY -- answer and body complete --&gt; IDLE
 *                  '-- deadline --&gt; closed       '-- anything else --&gt; closed
 * </pre>
 *
 * <p>At most one message is read ahead of what the running request wants, so that memory is bounded
 * and the end of a connection is seen. Confined to its event loop.
 */
final class HttpConnection extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

  private final WebHost host;
  private final Methods methods;
  private final UnauthenticatedConnections idle;
  private ChannelHandlerContext context;
  private InetAddress address;
  private Future<?> deadline;
  private boolean isWaiting;

  /** The running request; null for none. */
  private Exchange current;

  /** A request that came before the answer to the running one; null for none. */
  private HttpRequest next;

  HttpConnection(WebHost host, Methods methods, UnauthenticatedConnections idle) {
    this.host = host;
    this.methods = methods;
    this.idle = idle;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    address = ((InetSocketAddress) added.channel().remoteAddress()).getAddress();
    readNext();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext unused, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (handshake.isSuccess()) {
        expect(host.handshake());
      } else {
        context.close();
      }
    }
  }

  /** Asks for one more message. */
  private void readNext() {
    isWaiting = true;
    context.read();
  }

  /** {@inheritDoc} Bytes without a message, as those of a handshake, leave the wish open. */
  @Override
  public void channelReadComplete(ChannelHandlerContext unused) {
    if (isWaiting) {
      context.read();
    }
  }

  /** Closes the connection unless the head of a request comes in time. */
  private void expect(Duration patience) {
    deadline =
        context
            .executor()
            .schedule(() -> context.close(), patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void channelRead(ChannelHandlerContext unused, Object message) {
    isWaiting = false;
    if (message instanceof HttpRequest request) {
      if (current != null) {
        next = request;
      } else {
        begin(request);
      }
    } else if (current != null && message instanceof HttpContent content) {
      current.offer(content);
    } else {
      ReferenceCountUtil.release(message); // the end of a request that was refused
      readNext();
    }
  }

  private void begin(HttpRequest request) {
    if (deadline != null) {
      deadline.cancel(false);
      deadline = null;
    }
    String peer = Addresses.text(context.channel().remoteAddress());
    Exchange exchange =
        new Exchange(
            context,
            request,
            peer,
            host.deadlines().idleTimeout(),
            () -> context.executor().execute(this::readNext),
            this::finished);
    current = exchange;
    try {
      check(request);
    } catch (HttpRefusal e) {
      exchange.refuseAndClose(e);
      return;
    }
    try {
      if (!request.method().name().equals("OPTIONS")) {
        exchange.admit(host.admission().admit(exchange.token(), address, peer));
      }
    } catch (FdtException e) {
      if (e.code() == ErrorCode.UNAUTHENTICATED && exchange.token().isEmpty()) {
        host.refusals().count(e.code());
      } else {
        host.refusals().log(peer, "", request.method().name(), exchange.shownPath(), e);
      }
      exchange.refuseAndClose(HttpRefusal.of(e));
      return;
    }
    idle.known(context.channel());
    readNext();
    try {
      host.threads().execute(() -> serve(exchange));
    } catch (RejectedExecutionException | OutOfMemoryError e) { // or there is no thread
      exchange.release();
      exchange.refuseAndClose(
          HttpRefusal.of(new FdtException(ErrorCode.SHUTTING_DOWN, "the server is stopping")));
    }
  }

  /** Refuses what the decoder could not read, or what another program could read otherwise. */
  private static void check(HttpRequest request) throws HttpRefusal {
    if (request.decoderResult().isFailure()) {
      Throwable cause = request.decoderResult().cause();
      if (cause instanceof TooLongHttpLineException) {
        throw new HttpRefusal(414, "the path is too long");
      }
      if (cause instanceof TooLongHttpHeaderException) {
        throw new HttpRefusal(431, "the headers are too long");
      }
      throw new HttpRefusal(400, "this is no request; check its headers");
    }
    HttpHeaders headers = request.headers();
    List<String> coding = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
    boolean isOld = !request.protocolVersion().equals(HttpVersion.HTTP_1_1);
    if (!coding.isEmpty()
        && (isOld
            || coding.size() > 1
            || !HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(coding.get(0)))) {
      throw new HttpRefusal(501, "the transfer coding is not 'chunked'; leave others out");
    }
    String length = headers.get(HttpHeaderNames.CONTENT_LENGTH, "0");
    if (!length.matches("[0-9]{1,18}")) {
      throw new HttpRefusal(400, "the length of the body is no number");
    }
    if (headers.getAll(HttpHeaderNames.HOST).size() != 1 && !isOld) {
      throw new HttpRefusal(400, "a request has one Host header");
    }
    if (request.protocolVersion().majorVersion() != 1) {
      throw new HttpRefusal(505, "this server speaks HTTP/1.1");
    }
    String expected = headers.get(HttpHeaderNames.EXPECT, "");
    if (!expected.isEmpty() && !HttpUtil.is100ContinueExpected(request)) {
      throw new HttpRefusal(417, "of expectations only 100-continue is met");
    }
  }

  private void serve(Exchange exchange) {
    try {
      methods.serve(exchange);
    } catch (RuntimeException | Error e) {
      LOG.error("defect method={} path={}", exchange.method(), exchange.shownPath(), e);
      exchange.refuse(HttpRefusal.of(FdtException.unforeseen("the request failed", e)));
    } finally {
      exchange.release();
    }
    exchange.finish();
  }

  /** The answer is complete: another request may come. */
  private void finished() {
    context
        .executor()
        .execute(
            () -> {
              current = null;
              idle.addAgain(context.channel(), address);
              HttpRequest early = next;
              next = null;
              if (early != null) {
                begin(early);
              } else {
                expect(host.deadlines().idleTimeout());
              }
            });
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext unused) {
    if (current != null) {
      current.writabilityChanged();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext unused) {
    if (deadline != null) {
      deadline.cancel(false);
    }
    if (current != null) {
      current.gone();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext unused, Throwable cause) {
    LOG.debug("http: connection failed peer={}", context.channel().remoteAddress(), cause);
    context.close();
  }
}
