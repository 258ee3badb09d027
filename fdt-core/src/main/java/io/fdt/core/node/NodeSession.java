package io.fdt.core.node;

import io.fdt.core.engine.NettySessionLoop;
import io.fdt.core.engine.NodePart;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.SessionRuntime;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.receive.NodeReceiver;
import io.fdt.core.security.ClientTls;
import io.fdt.core.security.DialRule;
import io.fdt.core.send.NodeSender;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.storage.NodeFiles;
import io.fdt.core.stripe.SendingStripe;
import io.fdt.core.transport.DataStream;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.stripe.DialFromNode;
import io.fdt.core.wire.stripe.FromNode;
import io.fdt.core.wire.stripe.NodeFailure;
import io.fdt.core.wire.stripe.NodeFigures;
import io.fdt.core.wire.stripe.OpenOnNode;
import io.fdt.core.wire.stripe.ToNode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * One session at a data node: its streams, dialed or accepted, and the disk work that its front end
 * assigns.
 *
 * <p>Thread-safe: work runs on the event loop of the session.
 */
public final class NodeSession {
  /** Fewest data streams that one session may have at one node, whatever its number elsewhere. */
  private static final int LEAST_STREAMS = 64;

  private static final long FIGURES_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * The node's shared state.
   *
   * @param exports of this machine
   * @param accepted where streams are joined
   * @param tls certificate of this end when it dials
   * @param rule allowed addresses
   * @param mayWrite whether the front end has sent a message recently
   */
  public record Context(
      Node node,
      ExportedStorage exports,
      AcceptedSessions accepted,
      CompletableFuture<ClientTls> tls,
      DialRule rule,
      Duration idleTimeout,
      BooleanSupplier mayWrite) {}

  private final Context context;
  private final SessionId id;
  private final Consumer<FromNode.Builder> frontEnd;
  private final SessionLoop loop;
  private final NodePart part;
  private final AcceptedSession accepted;
  private final StreamDialer streams;
  private long reportedBytes;
  private boolean closed;

  /**
   * Opens the session; streams may join at once.
   *
   * @param frontEnd receives messages for the front end
   * @param pendingBytes bytes of those messages that wait to be sent
   * @throws FdtException PROTOCOL for an invalid request
   */
  public NodeSession(
      Context context,
      SessionId id,
      OpenOnNode open,
      Consumer<FromNode.Builder> frontEnd,
      LongSupplier pendingBytes)
      throws FdtException {
    this.context = context;
    this.id = id;
    this.frontEnd = frontEnd;
    this.loop = new NettySessionLoop(context.node().loops().next(), this::fail);
    TransferSpec spec = TransferSpecCoding.ofBytes(open.getSpec().toByteArray());
    byte[] secret = open.getSecret().toByteArray();
    if (secret.length != Join.SECRET_LENGTH) {
      throw new FdtException(ErrorCode.PROTOCOL, "session secret of " + secret.length + " bytes");
    }
    SessionRuntime runtime = new SessionRuntime("fdt-" + id.shortName() + "-node", loop);
    NodeFiles files = context.exports().nodeFiles();
    this.part =
        open.getSends()
            ? new NodeSender(
                runtime,
                context.node().allocator(),
                spec,
                files,
                frontEnd,
                SendingStripe.BLOCKS_OF_NODE)
            : new NodeReceiver(runtime, spec, files, frontEnd, pendingBytes, context.mayWrite());
    this.accepted =
        AcceptedSession.atNode(
            id,
            part::attach,
            secret,
            open.getEncrypted(),
            Math.max(LEAST_STREAMS, spec.streams()),
            AcceptedSession.settings(spec));
    this.streams =
        new StreamDialer(
            loop,
            new PreconnectedSockets(context.node().transport()),
            new StreamTerms(
                id,
                secret,
                spec,
                open.getEncrypted() ? Optional.of(context.tls().join()) : Optional.empty(),
                context.rule(),
                context.idleTimeout(),
                context.idleTimeout(),
                !open.getSends()),
            open.getFirstStream(),
            true,
            new StreamDialer.Owner() {
              @Override
              public DataStream.Handler attach(DataStream stream) {
                return part.attach(stream);
              }

              @Override
              public void failed(FdtException cause) {
                fail(cause);
              }
            });
    try {
      context.accepted().add(accepted);
    } catch (FdtException e) {
      part.close();
      throw e;
    }
    context.accepted().begun(accepted);
    loop.after(FIGURES_NANOS, this::reportFigures);
  }

  private void reportFigures() {
    if (closed) {
      return;
    }
    long bytes = part.wireBytes();
    if (bytes != reportedBytes) {
      reportedBytes = bytes;
      frontEnd.accept(
          FromNode.newBuilder().setFigures(NodeFigures.newBuilder().setWireBytes(bytes)));
    }
    loop.after(FIGURES_NANOS, this::reportFigures);
  }

  /** Handles a message of the front end about this session. */
  public void onMessage(ToNode message) {
    loop.run(
        () -> {
          if (closed) {
            return;
          }
          try {
            if (message.hasDial()) {
              DialFromNode dial = message.getDial();
              streams.setTargets(dial.getTargetsList(), Math.max(1, dial.getStreams()));
            } else {
              part.onMessage(message);
            }
          } catch (FdtException e) {
            fail(e);
          }
        });
  }

  /** Ends the participation with a failure, which is sent to the front end. */
  private void fail(FdtException cause) {
    loop.run(
        () -> {
          if (!closed) {
            frontEnd.accept(
                FromNode.newBuilder()
                    .setFailed(
                        NodeFailure.newBuilder()
                            .setCode(cause.code().wireCode())
                            .setMessage(MessageText.fit(cause.getMessage()))));
            end();
          }
        });
  }

  /** Closes streams and files; the session has ended, or the front end is gone. Idempotent. */
  public void close() {
    loop.run(this::end);
  }

  private void end() {
    if (!closed) {
      closed = true;
      context.accepted().remove(accepted);
      streams.stop();
      part.close();
    }
  }

  public SessionId id() {
    return id;
  }
}
