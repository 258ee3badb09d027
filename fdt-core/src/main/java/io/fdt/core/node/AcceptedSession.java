package io.fdt.core.node;

import io.fdt.core.compress.Decompressor;
import io.fdt.core.engine.Session;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.transport.StreamSlot;
import io.fdt.core.udt.packet.PathKey;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The end of a session that was dialled: decides which data connections belong to it. They may come
 * from other addresses than the control connection; what counts is the session's secret.
 * Thread-safe.
 */
public final class AcceptedSession {
  /** What streams cost the owner of the session. */
  public interface StreamCost {
    /** Streams that cost nothing. */
    StreamCost NONE =
        new StreamCost() {
          @Override
          public void take() {}

          @Override
          public void giveBack() {}
        };

    /**
     * One more stream.
     *
     * @throws FdtException BUSY when there is no room for it
     */
    void take() throws FdtException;

    /** A stream has ended. */
    void giveBack();
  }

  /** Numbers that one session may use up: streams that died are replaced under new ones. */
  private static final int MAX_STREAM_NUMBERS = 100_000;

  private final SessionId id;
  private final Function<DataStream, DataStream.Handler> streamHandlers;

  /** Empty at a data node, which has streams of the session and nothing else. */
  private final Optional<Session> session;

  private final byte[] secret;
  private final boolean encrypted;
  private final int streams;
  private final StreamSettings settings;
  private final StreamCost cost;
  private final Set<Integer> usedNumbers = new HashSet<>();
  private final AtomicInteger openStreams = new AtomicInteger();
  private volatile boolean begun;

  /** What the data streams of a session are like, at either end. */
  public static StreamSettings settings(TransferSpec spec) {
    return new StreamSettings(
        spec.blockSize(), spec.socketBuffer(), Decompressor.of(spec.compression()));
  }

  /**
   * @param secret what data connections prove to know
   * @param encrypted whether its data streams are encrypted, all of them
   * @param streams data streams that the peer may have open at once
   */
  public AcceptedSession(
      Session session,
      byte[] secret,
      boolean encrypted,
      int streams,
      StreamSettings settings,
      StreamCost cost) {
    this(
        session.id(),
        session::attach,
        Optional.of(session),
        secret,
        encrypted,
        streams,
        settings,
        cost);
  }

  /**
   * The streams of a session at a data node.
   *
   * @param handlers makes the handler of each, on its event loop
   */
  static AcceptedSession atNode(
      SessionId id,
      Function<DataStream, DataStream.Handler> handlers,
      byte[] secret,
      boolean encrypted,
      int streams,
      StreamSettings settings) {
    return new AcceptedSession(
        id, handlers, Optional.empty(), secret, encrypted, streams, settings, StreamCost.NONE);
  }

  private AcceptedSession(
      SessionId id,
      Function<DataStream, DataStream.Handler> streamHandlers,
      Optional<Session> session,
      byte[] secret,
      boolean encrypted,
      int streams,
      StreamSettings settings,
      StreamCost cost) {
    this.id = id;
    this.streamHandlers = streamHandlers;
    this.session = session;
    this.secret = secret.clone();
    this.encrypted = encrypted;
    this.streams = streams;
    this.settings = settings;
    this.cost = cost;
  }

  /** The session; empty at a data node. */
  Optional<Session> session() {
    return session;
  }

  public SessionId id() {
    return id;
  }

  boolean hasBegun() {
    return begun;
  }

  void begin() {
    begun = true;
  }

  /** What one stream is like, with what only its ends know. */
  static StreamSettings withKey(
      StreamSettings settings, SessionId session, int stream, byte[] secret) {
    return settings.withPathKey(new PathKey(Join.pathSecret(session, stream, secret)));
  }

  /** A place for a data stream; see {@link AcceptedSessions#slot}. */
  StreamSlot slot(Join join, boolean streamIsEncrypted) throws FdtException {
    prove(join);
    if (encrypted != streamIsEncrypted) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          streamIsEncrypted
              ? "encrypted data stream of a clear session"
              : "clear data stream of an encrypted session");
    }
    if (openStreams.incrementAndGet() > maxStreams()) {
      openStreams.decrementAndGet();
      throw new FdtException(ErrorCode.BUSY, "session has its data streams already");
    }
    try {
      cost.take();
    } catch (FdtException e) {
      openStreams.decrementAndGet();
      throw e;
    }
    return new StreamSlot(withKey(settings, id, join.stream(), secret), this::counted, this::leave);
  }

  /** Streams that died without a word may still count while others have taken their place. */
  private int maxStreams() {
    return 2 * streams + 2;
  }

  /** The handler of a stream, which counts until it is closed. */
  private DataStream.Handler counted(DataStream stream) {
    return streamHandlers.apply(stream).whenClosed(cause -> leave());
  }

  private void leave() {
    openStreams.decrementAndGet();
    cost.giveBack();
  }

  /** Each number is good for one proof. */
  void prove(Join join) throws FdtException {
    if (!join.isProvenBy(secret)) {
      throw AcceptedSessions.noSession();
    }
    synchronized (usedNumbers) {
      if (usedNumbers.size() >= MAX_STREAM_NUMBERS || !usedNumbers.add(join.stream())) {
        throw new FdtException(
            ErrorCode.FORBIDDEN, "number " + join.stream() + " has been used before");
      }
    }
  }
}
