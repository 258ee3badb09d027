package io.fdt.core.stripe;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.HeldFrame;
import io.fdt.core.engine.ReceivingNodes;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.storage.SharedFile.Shared;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.stripe.CloseFile;
import io.fdt.core.wire.stripe.FileClosed;
import io.fdt.core.wire.stripe.FrameHeld;
import io.fdt.core.wire.stripe.FromNode;
import io.fdt.core.wire.stripe.Held;
import io.fdt.core.wire.stripe.HeldWritten;
import io.fdt.core.wire.stripe.OpenOnNode;
import io.fdt.core.wire.stripe.PayloadPart;
import io.fdt.core.wire.stripe.SharedFile;
import io.fdt.core.wire.stripe.ToNode;
import io.fdt.core.wire.stripe.WriteHeld;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The data nodes that receive for one session. A node holds each received frame until the front end
 * assigns its place; the node then writes it into the partial file that the front end has created.
 */
public final class ReceivingStripe extends SessionNodes<ReceivingStripe.ReceivingMember>
    implements ReceivingNodes {

  /** The most payloads that may arrive before their frame is announced. */
  private static final int MOST_EARLY = 16;

  /** Identifies a frame: its stream, and its number on that stream. */
  private record Key(int stream, long number) {
    static Key of(Held frame) {
      return new Key(frame.getStream(), frame.getNumber());
    }
  }

  static final class ReceivingMember extends Member {
    /** Frames that the node writes. */
    private final Map<Key, HeldFrame.Result> writing = new HashMap<>();

    /** Frames whose payload the node sends. */
    private final Map<Key, Fetching> fetching = new HashMap<>();

    /** Payloads received before their frame was announced. */
    private final Map<Key, ByteBuf> early = new HashMap<>();

    /** Files that the node has open. */
    private final Set<Long> files = new HashSet<>();

    private boolean isGone;

    ReceivingMember(NodeLink link) {
      super(link);
    }
  }

  private record Fetching(ByteBuf payload, HeldFrame.Fetched result) {}

  /** A file that nodes close. */
  private static final class Closing {
    final Consumer<Closed> closed;
    final Consumer<FdtException> failed;
    final Set<ReceivingMember> open = new HashSet<>();
    boolean isUnknown;
    FdtException failure;

    Closing(Consumer<Closed> closed, Consumer<FdtException> failed) {
      this.closed = closed;
      this.failed = failed;
    }

    void endIfDone() {
      if (!open.isEmpty()) {
        return;
      }
      if (failure != null) {
        failed.accept(failure);
      } else {
        closed.accept(isUnknown ? Closed.UNKNOWN : Closed.WHOLE);
      }
    }
  }

  private final int maxPayload;
  private final ByteBufAllocator allocator;
  private final Map<Long, Closing> closings = new HashMap<>();

  /** Files that a lost node has written to. */
  private final Set<Long> unknown = new HashSet<>();

  private Listener listener;

  /**
   * @param maxPayload most bytes of a frame in this session
   */
  public ReceivingStripe(
      SessionLoop loop,
      SessionId session,
      OpenOnNode open,
      int maxPayload,
      ByteBufAllocator allocator) {
    super(loop, session, open);
    this.maxPayload = maxPayload;
    this.allocator = allocator;
  }

  @Override
  public void start(Listener target) {
    listener = target;
    begin();
  }

  @Override
  ReceivingMember member(NodeLink link) {
    return new ReceivingMember(link);
  }

  @Override
  void onMessage(ReceivingMember member, FromNode message) throws FdtException {
    switch (message.getWhatCase()) {
      case HELD -> onHeld(member, message.getHeld());
      case WRITTEN -> onWritten(member, message.getWritten());
      case PAYLOAD -> onPayload(member, message.getPayload());
      case FILE_CLOSED -> onFileClosed(member, message.getFileClosed());
      default ->
          throw new FdtException(
              ErrorCode.PROTOCOL,
              "unexpected message of a data node that receives: " + message.getWhatCase());
    }
  }

  private void onHeld(ReceivingMember member, FrameHeld held) throws FdtException {
    if (!member.streams.contains(held.getStream())
        || held.getHeader().size() != FrameHeader.LENGTH) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          ("a frame of stream %d with a header of %d bytes; the node must have the stream, and"
                  + " headers have %d")
              .formatted(held.getStream(), held.getHeader().size(), FrameHeader.LENGTH));
    }
    FrameHeader header =
        FrameHeader.read(Unpooled.wrappedBuffer(held.getHeader().toByteArray()), maxPayload);
    Key key = new Key(held.getStream(), header.number());
    ByteBuf payload = member.early.remove(key);
    if (payload != null && payload.readableBytes() != header.length()) {
      payload.release();
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "the payload of frame %d of stream %d is not of %d bytes"
              .formatted(key.number(), key.stream(), header.length()));
    }
    if (payload != null) {
      listener.frame(held.getStream(), new ReceivedFrame(header, payload, held.getIntact()));
    } else {
      listener.frame(held.getStream(), new AtNode(member, key, header, held.getIntact()));
    }
  }

  /** A frame held by a node. */
  private final class AtNode extends HeldFrame {
    private final ReceivingMember member;
    private final Key key;

    AtNode(ReceivingMember member, Key key, FrameHeader header, boolean intact) {
      super(header, intact);
      this.member = member;
      this.key = key;
    }

    private Held held() {
      return Held.newBuilder().setStream(key.stream()).setNumber(key.number()).build();
    }

    @Override
    public void write(long file, long size, Shared partial, Result result) {
      if (member.isGone) {
        result.lost();
        return;
      }
      ordered(member);
      member.writing.put(key, result);
      member.files.add(file);
      send(
          member,
          ToNode.newBuilder()
              .setWrite(
                  WriteHeld.newBuilder()
                      .setFrame(held())
                      .setFile(
                          SharedFile.newBuilder()
                              .setId(file)
                              .setSize(size)
                              .setPath(ByteString.copyFrom(partial.path().bytes()))
                              .setInode(partial.inode()))));
    }

    @Override
    public void fetch(Fetched result) {
      if (member.isGone) {
        result.lost();
        return;
      }
      member.fetching.put(key, new Fetching(buffer(header().length()), result));
      send(member, ToNode.newBuilder().setFetch(held()));
    }

    @Override
    public void release() {
      if (!member.isGone) {
        send(member, ToNode.newBuilder().setDrop(held()));
      }
    }
  }

  private ByteBuf buffer(int length) {
    return allocator.directBuffer(length, length);
  }

  private void onWritten(ReceivingMember member, HeldWritten written) throws FdtException {
    HeldFrame.Result result = member.writing.remove(Key.of(written.getFrame()));
    if (result == null) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "a data node wrote frame %d of stream %d without an order"
              .formatted(written.getFrame().getNumber(), written.getFrame().getStream()));
    }
    FdtException failure = written.hasWhy() ? failure(written.getWhy()) : null;
    if (failure != null && isOfNode(failure.code())) {
      result.lost();
      throw failure;
    } else {
      result.written(written.getHashes().toByteArray(), failure);
    }
  }

  /** Whether the failure is one of the node: a lost connection, or different files. */
  private static boolean isOfNode(ErrorCode code) {
    return switch (code) {
      case UNREACHABLE, NOT_FOUND, FORBIDDEN, PERMISSION, WRONG_KIND, SOURCE_CHANGED -> true;
      default -> false;
    };
  }

  /** Handles a payload: packs are sent with it, blocks only on request. */
  private void onPayload(ReceivingMember member, PayloadPart part) throws FdtException {
    Key key = Key.of(part.getFrame());
    Fetching fetching = member.fetching.get(key);
    ByteBuf payload =
        fetching == null
            ? member.early.computeIfAbsent(key, k -> buffer(part.getBytes().size()))
            : fetching.payload();
    if (fetching == null && !member.streams.contains(key.stream())) {
      member.early.remove(key).release();
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "frame %d of stream %d, which this data node does not have"
              .formatted(key.number(), key.stream()));
    }
    if (fetching == null
        && (payload.readableBytes() + part.getBytes().size() > maxPayload
            || member.early.size() > MOST_EARLY)) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "%d payloads before their frames, one of %d bytes; at most %d of %d bytes are allowed"
              .formatted(
                  member.early.size(),
                  payload.readableBytes() + part.getBytes().size(),
                  MOST_EARLY,
                  maxPayload));
    }
    if (fetching == null && payload.maxWritableBytes() < part.getBytes().size()) {
      ByteBuf longer = buffer(payload.readableBytes() + part.getBytes().size());
      longer.writeBytes(payload);
      payload.release();
      payload = longer;
      member.early.put(key, longer);
    }
    if (payload.maxWritableBytes() < part.getBytes().size()) {
      throw new FdtException(ErrorCode.PROTOCOL, "a payload that is longer than its frame");
    }
    payload.writeBytes(part.getBytes().asReadOnlyByteBuffer());
    if (fetching != null && part.getLast()) {
      member.fetching.remove(key);
      fetching.result().payload(payload);
    }
  }

  @Override
  public boolean hasOpen(long file) {
    return unknown.contains(file)
        || members().stream().anyMatch(member -> member.files.contains(file));
  }

  @Override
  public void closeFile(
      long file, boolean fsync, Consumer<Closed> closed, Consumer<FdtException> failed) {
    Closing closing = new Closing(closed, failed);
    closing.isUnknown = unknown.remove(file);
    for (ReceivingMember member : members()) {
      if (member.files.contains(file)) {
        closing.open.add(member);
      }
    }
    closings.put(file, closing);
    for (ReceivingMember member : new ArrayList<>(closing.open)) {
      send(
          member,
          ToNode.newBuilder().setCloseFile(CloseFile.newBuilder().setId(file).setFsync(fsync)));
    }
    endIfDone(file, closing);
  }

  private void endIfDone(long file, Closing closing) {
    if (closing.open.isEmpty()) {
      closings.remove(file);
    }
    closing.endIfDone();
  }

  private void onFileClosed(ReceivingMember member, FileClosed message) throws FdtException {
    long file = message.getId();
    Closing closing = closings.get(file);
    if (closing == null || !closing.open.remove(member)) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "a data node closed file %d without an order".formatted(file));
    }
    member.files.remove(file);
    if (message.hasWhy() && closing.failure == null) {
      closing.failure = failure(message.getWhy());
    }
    endIfDone(file, closing);
  }

  @Override
  public void setReading(boolean reading) {
    for (ReceivingMember member : members()) {
      send(member, ToNode.newBuilder().setReading(reading));
    }
  }

  @Override
  boolean owesAnswers(ReceivingMember member) {
    return !member.writing.isEmpty();
  }

  @Override
  void streamUp(int stream) {
    // Ignored: only a sender uses it.
  }

  @Override
  void streamDown(int stream) {
    // The sender of the stream sends the blocks held by the node again.
  }

  /** Handles a lost node; it is unknown whether its writes have reached the file system. */
  @Override
  void gone(ReceivingMember member) {
    member.isGone = true;
    for (long file : member.files) {
      Closing closing = closings.get(file);
      if (closing != null && closing.open.remove(member)) {
        closing.isUnknown = true;
        endIfDone(file, closing);
      } else {
        unknown.add(file);
      }
    }
    member.files.clear();
    new ArrayList<>(member.writing.values()).forEach(HeldFrame.Result::lost);
    member.writing.clear();
    for (Fetching fetching : new ArrayList<>(member.fetching.values())) {
      fetching.payload().release();
      fetching.result().lost();
    }
    member.fetching.clear();
    member.early.values().forEach(ByteBuf::release);
    member.early.clear();
  }

  @Override
  void notice(String message) {
    listener.notice(message);
  }
}
