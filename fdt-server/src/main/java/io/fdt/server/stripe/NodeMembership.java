package io.fdt.server.stripe;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.NettySessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.node.Dialer;
import io.fdt.core.node.NodeSession;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.unit.Backoff;
import io.fdt.core.wire.AbortCoding;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Ping;
import io.fdt.core.wire.control.Pong;
import io.fdt.core.wire.stripe.DataNode;
import io.fdt.core.wire.stripe.FromNode;
import io.fdt.core.wire.stripe.JoinStripe;
import io.fdt.core.wire.stripe.NodeFailure;
import io.fdt.core.wire.stripe.ToNode;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a server a data node: keeps a connection to its front end, and runs its part of sessions.
 *
 * <pre>
 *   DIALLING -> JOINED -- lost, silent --> all sessions closed, DIALLING
 * </pre>
 *
 * <p>{@link #start} and {@link #close}: any thread. The rest is confined to one event loop, except
 * for dialling.
 */
public final class NodeMembership implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeMembership.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LAST_PAUSE = Duration.ofSeconds(5);

  private final Dialer frontEnd;
  private final DataNode address;
  private final NodeSession.Context context;
  private final EventLoop eventLoop;
  private final NettySessionLoop loop;
  private final Map<SessionId, NodeSession> sessions = new HashMap<>();
  private final Thread dialling = new Thread(this::dial, "fdt-server-join");

  /** The last connection; null before the first. On the event loop. */
  private Connection current;

  /** The last failure to join that was logged; null after a join. */
  private ErrorCode notJoined;

  private volatile long heardNanos;
  private volatile boolean closed;

  /**
   * @param address of this server for data connections; an empty host stands for the one that the
   *     front end sees
   */
  public NodeMembership(Dialer frontEnd, DataNode address, NodeSession.Context context) {
    this.frontEnd = frontEnd;
    this.address = address;
    this.context = context;
    this.eventLoop = frontEnd.node().loops().next();
    this.loop =
        new NettySessionLoop(eventLoop, defect -> LOG.error("defect of a data node", defect));
    dialling.setDaemon(true);
  }

  public void start() {
    dialling.start();
  }

  /** Whether the last message is so recent that the front end still uses this node. */
  static boolean isFresh(long heardNanos, long nowNanos) {
    return nowNanos - heardNanos < JoinedNode.PATIENCE.toNanos() * 3 / 4;
  }

  /** Whether the front end still uses this node. Any thread. */
  public boolean mayWrite() {
    return isFresh(heardNanos, System.nanoTime());
  }

  private void dial() {
    Backoff pauses = new Backoff(FIRST_PAUSE, LAST_PAUSE);
    try {
      while (!closed) {
        try {
          CountDownLatch ended = new CountDownLatch(1);
          frontEnd.dial(
              eventLoop, (peer, roundTrip) -> {}, dialled -> new Connection(dialled, ended));
          long since = System.nanoTime();
          ended.await(); // of this connection, which begins later on the event loop
          if (System.nanoTime() - since > LAST_PAUSE.toNanos()) {
            pauses.reset();
          }
        } catch (FdtException e) {
          tellNotJoined(e);
        }
        TimeUnit.NANOSECONDS.sleep(pauses.nextNanos());
      }
    } catch (InterruptedException e) {
      LOG.debug("no longer a data node");
    }
  }

  private synchronized void tellJoined() {
    notJoined = null;
    LOG.info("joined front end={}:{}", frontEnd.host(), frontEnd.port());
  }

  /** Logs a repeated failure only once. */
  private synchronized void tellNotJoined(FdtException why) {
    if (!closed && why.code() != notJoined) {
      notJoined = why.code();
      LOG.warn(
          "front end cannot be joined: trying again front end={}:{} reason={}",
          frontEnd.host(),
          frontEnd.port(),
          why.getMessage());
    }
  }

  /** One connection to the front end. */
  private final class Connection implements ControlConnection.Handler {
    private final ControlConnection connection;
    private final CountDownLatch ended;
    private boolean letIn;
    private boolean joined;

    Connection(ControlConnection connection, CountDownLatch ended) {
      this.connection = connection;
      this.ended = ended;
      heardNanos = System.nanoTime();
      current = this;
      loop.after(JoinedNode.PATIENCE.toNanos(), this::endUnlessLetIn);
      if (closed) {
        endBecauseClosed();
      }
    }

    private void endUnlessLetIn() {
      if (!letIn) {
        end(new FdtException(ErrorCode.TIMEOUT, "the front end does not answer"));
      }
    }

    private void endBecauseClosed() {
      end(new FdtException(ErrorCode.SHUTTING_DOWN, "the data node is stopping"));
    }

    private void end(FdtException cause) {
      lost(cause);
      connection.close();
    }

    private boolean isLost() {
      return ended.getCount() == 0;
    }

    /** Joins after the front end has accepted this server's token. */
    private void join() {
      letIn = true;
      connection.send(
          Control.newBuilder().setJoinStripe(JoinStripe.newBuilder().setAddress(address)).build());
      watch();
    }

    private void watch() {
      if (isLost()) {
        return;
      }
      if (System.nanoTime() - heardNanos > JoinedNode.PATIENCE.toNanos()) {
        end(new FdtException(ErrorCode.TIMEOUT, "the front end is silent"));
        return;
      }
      connection.send(Control.newBuilder().setPing(Ping.getDefaultInstance()).build());
      loop.after(JoinedNode.PATIENCE.toNanos() / 4, this::watch);
    }

    @Override
    public void message(Control message) throws FdtException {
      if (isLost()) {
        return;
      }
      heardNanos = System.nanoTime();
      switch (message.getBodyCase()) {
        case WELCOME -> join();
        case PONG -> answered();
        case PING ->
            connection.send(
                Control.newBuilder()
                    .setPong(Pong.newBuilder().setNonce(message.getPing().getNonce()))
                    .build());
        case TO_NODE -> order(message.getToNode());
        case ABORT -> {
          FdtException why = AbortCoding.decode(message.getAbort());
          if (joined) {
            LOG.warn("the front end refuses this data node reason={}", why.getMessage());
          }
          end(why);
        }
        default ->
            throw new FdtException(ErrorCode.PROTOCOL, message.getBodyCase() + " to a data node");
      }
    }

    /** Handles the answer to the ping after the join, which shows that the join was not refused. */
    private void answered() {
      if (!joined) {
        joined = true;
        tellJoined();
      }
    }

    private void order(ToNode message) throws FdtException {
      SessionId id;
      try {
        id = SessionId.of(message.getSession().toByteArray());
      } catch (IllegalArgumentException e) {
        throw new FdtException(ErrorCode.PROTOCOL, "a front end names no session", e);
      }
      if (message.hasOpen()) {
        open(id, message);
      } else if (message.hasClose()) {
        NodeSession ended = sessions.remove(id);
        if (ended != null) {
          ended.close();
        }
      } else {
        NodeSession session = sessions.get(id);
        if (session != null) { // otherwise it has failed here, and the front end gets the failure
          session.onMessage(message);
        }
      }
    }

    /** A failure ends this node's part in one session only. */
    private void open(SessionId id, ToNode message) {
      if (sessions.containsKey(id)) {
        return;
      }
      try {
        sessions.put(
            id,
            new NodeSession(
                context,
                id,
                message.getOpen(),
                event -> tell(id, event),
                connection::pendingBytes));
      } catch (FdtException e) {
        failed(id, e);
      } catch (RuntimeException e) {
        failed(id, FdtException.unforeseen("the data node failed", e));
      }
    }

    private void failed(SessionId id, FdtException cause) {
      LOG.warn("takes no part session={} reason={}", id.shortName(), cause.getMessage());
      tell(
          id,
          FromNode.newBuilder()
              .setFailed(
                  NodeFailure.newBuilder()
                      .setCode(cause.code().wireCode())
                      .setMessage(MessageText.fit(cause.getMessage()))));
    }

    private void tell(SessionId id, FromNode.Builder event) {
      connection.send(
          Control.newBuilder()
              .setFromNode(event.setSession(ByteString.copyFrom(id.bytes())))
              .build());
    }

    @Override
    public void closed(FdtException cause) {
      lost(cause);
    }

    private void lost(FdtException cause) {
      if (!isLost()) {
        if (joined) {
          LOG.info("front end lost reason={}", cause.getMessage());
        } else {
          tellNotJoined(cause);
        }
        sessions.values().forEach(NodeSession::close);
        sessions.clear();
        ended.countDown();
      }
    }
  }

  /** Leaves all sessions. */
  @Override
  public void close() {
    closed = true;
    dialling.interrupt();
    loop.run(
        () -> {
          if (current != null) {
            current.endBecauseClosed();
          }
        });
  }
}
