package io.fdt.core.stripe;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.stripe.CloseNodeStream;
import io.fdt.core.wire.stripe.DataNode;
import io.fdt.core.wire.stripe.DialFromNode;
import io.fdt.core.wire.stripe.Done;
import io.fdt.core.wire.stripe.FromNode;
import io.fdt.core.wire.stripe.NodeFailure;
import io.fdt.core.wire.stripe.OpenOnNode;
import io.fdt.core.wire.stripe.ToNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The data nodes of one session and their streams, at the front end.
 *
 * <p>{@link #joined}, {@link #left} and {@link #heard}: any thread. The rest is confined to the
 * loop of the session.
 */
public abstract sealed class SessionNodes<M extends SessionNodes.Member>
    permits ReceivingStripe, SendingStripe {
  /** The size of the range of stream numbers of one machine in a session. */
  public static final int NUMBERS_OF_NODE = 1_000_000;

  /**
   * The time without a due answer after which a node counts as hanging, although it answers pings.
   */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** One data node. */
  abstract static class Member {
    final NodeLink link;
    final Set<Integer> streams = new HashSet<>();
    long wireBytes;

    /** The time of the last answer, or of the first order without an answer. */
    long answeredNanos;

    Member(NodeLink link) {
      this.link = link;
    }
  }

  private final SessionLoop loop;
  private final ByteString session;
  private final OpenOnNode open;
  private final Map<NodeLink, M> members = new LinkedHashMap<>();

  /** The node of each stream, by number. */
  private final Map<Integer, M> streams = new HashMap<>();

  private List<DataNode> targets = List.of();
  private int streamsOfTarget;
  private int numbersGiven;
  private long wireBytesOfOthers;
  private boolean started;
  private boolean closed;

  /**
   * @param open the session as each node gets it; without numbers of streams
   */
  SessionNodes(SessionLoop loop, SessionId session, OpenOnNode open) {
    this.loop = loop;
    this.session = ByteString.copyFrom(session.bytes());
    this.open = open;
  }

  abstract M member(NodeLink link);

  /** Adds a stream of a node. */
  abstract void streamUp(int stream);

  /** Removes a stream of a node. */
  abstract void streamDown(int stream);

  /** Handles any other message of a node. */
  abstract void onMessage(M member, FromNode message) throws FdtException;

  /** Handles a lost node, after its streams. */
  abstract void gone(M member);

  /** Whether the node has unanswered orders. */
  abstract boolean owesAnswers(M member);

  abstract void notice(String message);

  /** Records that a node gets an order. */
  final void ordered(M member) {
    if (!owesAnswers(member)) {
      member.answeredNanos = loop.nanoTime();
    }
  }

  public final void tick(long nowNanos) {
    for (M member : members()) {
      if (owesAnswers(member) && nowNanos - member.answeredNanos > PATIENCE_NANOS) {
        dismiss(
            member,
            new FdtException(
                ErrorCode.TIMEOUT,
                "no answer for %d s".formatted(TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS))));
      }
    }
  }

  final void begin() {
    started = true;
    members.values().forEach(this::open);
  }

  /** Adds a node. */
  public final void joined(NodeLink link) {
    loop.run(
        () -> {
          if (!closed && !members.containsKey(link)) {
            M member = member(link);
            members.put(link, member);
            if (started) {
              open(member);
              notice("data node " + link.name() + " has joined");
            }
          }
        });
  }

  private void open(M member) {
    numbersGiven += NUMBERS_OF_NODE;
    send(member, ToNode.newBuilder().setOpen(open.toBuilder().setFirstStream(numbersGiven)));
    dial(member);
  }

  /** Removes a node. */
  public final void left(NodeLink link, FdtException cause) {
    loop.run(
        () -> {
          M member = members.remove(link);
          if (member != null && !closed) {
            remove(member, cause);
          }
        });
  }

  private void remove(M member, FdtException cause) {
    for (int stream : List.copyOf(member.streams)) {
      down(member, stream);
    }
    wireBytesOfOthers += member.wireBytes;
    if (started) {
      gone(member);
      notice("data node " + member.link.name() + " has left: " + cause.getMessage());
    }
  }

  /** Handles a message of a node about this session. */
  public final void heard(NodeLink link, FromNode message) {
    loop.run(
        () -> {
          M member = members.get(link);
          if (member != null && !closed) {
            try {
              dispatch(member, message);
            } catch (FdtException e) {
              dismiss(member, e);
            } catch (RuntimeException e) { // of what it says; the session goes on without it
              dismiss(member, FdtException.unforeseen("cannot handle a message of a data node", e));
            }
          }
        });
  }

  /** Drops a node that has failed or violated the protocol. */
  private void dismiss(M member, FdtException cause) {
    members.remove(member.link);
    send(member, ToNode.newBuilder().setClose(Done.getDefaultInstance()));
    remove(member, cause);
  }

  private void dispatch(M member, FromNode message) throws FdtException {
    switch (message.getWhatCase()) {
      case STREAM_UP -> {
        int stream = message.getStreamUp().getStream();
        if (streams.putIfAbsent(stream, member) == null) {
          member.streams.add(stream);
          streamUp(stream);
        } else { // two streams of one number: their frames could not be told apart
          send(member, closing(stream));
        }
      }
      case STREAM_DOWN -> down(member, message.getStreamDown().getStream());
      case FIGURES -> member.wireBytes = message.getFigures().getWireBytes();
      case FAILED -> throw failure(message.getFailed());
      default -> {
        member.answeredNanos = loop.nanoTime();
        onMessage(member, message);
      }
    }
  }

  private void down(M member, int stream) {
    if (member.streams.remove(stream)) {
      streams.remove(stream);
      streamDown(stream);
    }
  }

  /** Converts the failure of a node. */
  static FdtException failure(NodeFailure failure) {
    return new FdtException(
        ErrorCode.ofWireCode(failure.getCode()), MessageText.received(failure.getMessage()));
  }

  /**
   * Makes each node open streams to the peer's data nodes and front end.
   *
   * @param streamsEach from each machine of this end to each address
   */
  public final void dial(List<DataNode> others, int streamsEach) {
    targets = List.copyOf(others);
    streamsOfTarget = streamsEach;
    if (started) {
      members.values().forEach(this::dial);
    }
  }

  private void dial(M member) {
    if (!targets.isEmpty()) {
      send(
          member,
          ToNode.newBuilder()
              .setDial(DialFromNode.newBuilder().addAllTargets(targets).setStreams(share())));
    }
  }

  /**
   * The streams of one node to each address: the session's streams are divided among front end and
   * nodes.
   */
  private int share() {
    int machines = members.size() + 1;
    return (streamsOfTarget + machines - 1) / machines;
  }

  final void send(M member, ToNode.Builder message) {
    member.link.send(message.setSession(session).build());
  }

  final List<M> members() {
    return new ArrayList<>(members.values());
  }

  private static ToNode.Builder closing(int stream) {
    return ToNode.newBuilder().setCloseStream(CloseNodeStream.newBuilder().setStream(stream));
  }

  /** The node with this stream; null for a stream of the front end. */
  final M memberOf(int stream) {
    return streams.get(stream);
  }

  public final void closeStream(int stream) {
    M member = streams.get(stream);
    if (member != null) {
      send(member, closing(stream));
    }
  }

  public final int streams() {
    return streams.size();
  }

  public final long wireBytes() {
    long sum = wireBytesOfOthers;
    for (M member : members.values()) {
      sum += member.wireBytes;
    }
    return sum;
  }

  public final void dropStreams() {
    List.copyOf(streams.keySet()).forEach(this::closeStream);
  }

  public final void close() {
    if (!closed) {
      closed = true;
      for (M member : members.values()) {
        send(member, ToNode.newBuilder().setClose(Done.getDefaultInstance()));
        if (started) {
          gone(member);
        }
      }
    }
  }
}
