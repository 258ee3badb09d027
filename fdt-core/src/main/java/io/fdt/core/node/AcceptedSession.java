package io.fdt.core.node;

import io.fdt.core.compress.Decompressor;
import io.fdt.core.engine.Session;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.transport.StreamSlot;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.PathKey;
import io.fdt.core.wire.SessionId;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The listening end of a session: decides which data connections belong to it. They may come from
 * other addresses than the control connection; the session's secret decides. Thread-safe.
 */
public final class AcceptedSession {
  /** Charges streams to the owner of the session. */
  public interface StreamCost {
    /** No limit. */
    StreamCost NONE =
        new StreamCost() {
          @Override
          public void take() {}

          @Override
          public void giveBack() {}
        };

    /**
     * Charges one stream.
     *
     * @throws FdtException BUSY when the owner is at its limit
     */
    void take() throws FdtException;

    /** Releases a stream that has ended. */
    void giveBack();
  }

  /** Most stream numbers that one session may use: each replacement of a stream takes a new one. */
  private static final int MAX_STREAM_NUMBERS = 100_000;

  private final SessionId id;
  private final Function<DataStream, DataStream.Handler> streamHandlers;

  /** Empty at a data node, which has only streams of the session. */
  private final Optional<Session> session;

  private final byte[] secret;
  private final boolean encrypted;
  private final int streams;
  private final StreamSettings settings;
  private final StreamCost cost;
  private final Set<Integer> usedNumbers = new HashSet<>();
  private final AtomicInteger openStreams = new AtomicInteger();
  private volatile boolean begun;

  /** The settings of a session's data streams, at either end. */
  public static StreamSettings settings(TransferSpec spec) {
    return new StreamSettings(
        spec.blockSize(), spec.socketBuffer(), Decompressor.of(spec.compression()));
  }

  /**
   * @param secret whose knowledge data connections prove
   * @param encrypted whether all of its data streams are encrypted
   * @param streams most data streams that the peer may have open at once
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
   * A session at a data node.
   *
   * @param handlers makes the handler of each stream, on its event loop
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

  /** The settings of one stream, with its path key. */
  static StreamSettings withKey(
      StreamSettings settings, SessionId session, int stream, byte[] secret) {
    return settings.withPathKey(new PathKey(Join.pathSecret(session, stream, secret)));
  }

  /** See {@link AcceptedSessions#slot}. */
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
      throw new FdtException(ErrorCode.BUSY, "session has all of its data streams already");
    }
    try {
      cost.take();
    } catch (FdtException e) {
      openStreams.decrementAndGet();
      throw e;
    }
    return new StreamSlot(withKey(settings, id, join.stream(), secret), this::counted, this::leave);
  }

  /** Allows for replacements of streams whose end is not known yet. */
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

  /** Accepts each number once. */
  void prove(Join join) throws FdtException {
    if (!join.isProvenBy(secret)) {
      throw AcceptedSessions.noSession();
    }
    synchronized (usedNumbers) {
      if (usedNumbers.size() >= MAX_STREAM_NUMBERS || !usedNumbers.add(join.stream())) {
        throw new FdtException(
            ErrorCode.FORBIDDEN, "stream number " + join.stream() + " was used before");
      }
    }
  }
}
