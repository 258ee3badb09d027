package io.fdt.core.receive;

import com.google.protobuf.ByteString;
import io.fdt.core.digest.BlockHasher;
import io.fdt.core.digest.DigestMethod;
import io.fdt.core.engine.DiskWork;
import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.NodePart;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.SessionRuntime;
import io.fdt.core.engine.StreamSet;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.NodeFiles;
import io.fdt.core.transport.DataStream;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.stripe.CloseFile;
import io.fdt.core.wire.stripe.FileClosed;
import io.fdt.core.wire.stripe.FrameHeld;
import io.fdt.core.wire.stripe.FromNode;
import io.fdt.core.wire.stripe.Held;
import io.fdt.core.wire.stripe.HeldWritten;
import io.fdt.core.wire.stripe.NodeFailure;
import io.fdt.core.wire.stripe.PayloadPart;
import io.fdt.core.wire.stripe.SharedFile;
import io.fdt.core.wire.stripe.StreamDown;
import io.fdt.core.wire.stripe.StreamUp;
import io.fdt.core.wire.stripe.ToNode;
import io.fdt.core.wire.stripe.WriteHeld;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The part of a data node in a session that receives: holds the blocks of its streams, reports them
 * to its front end, and writes each as instructed by the front end. Small files are forwarded to
 * the front end.
 *
 * <p>Confined to the loop of the session.
 */
public final class NodeReceiver implements NodePart {
  /** The disk of all writes, which share one queue. */
  private static final DiskId DISK = new DiskId("data node");

  /** Most bytes of a payload in one message. */
  private static final int PART_BYTES = 256 << 10;

  /** The interval of checks whether forwarded payloads have been sent. */
  private static final long DRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private record Key(int stream, long number) {
    static Key of(Held frame) {
      return new Key(frame.getStream(), frame.getNumber());
    }

    Held held() {
      return Held.newBuilder().setStream(stream).setNumber(number).build();
    }
  }

  private final SessionRuntime runtime;
  private final SessionLoop loop;
  private final NodeFiles files;
  private final Consumer<FromNode.Builder> frontEnd;
  private final LongSupplier pendingBytes;
  private final BooleanSupplier mayWrite;
  private final DigestMethod method;
  private final ThreadLocal<BlockHasher> hashers;
  private final StreamSet streams = new StreamSet();
  private final Backpressure backpressure;
  private final DiskWorkers writers;
  private final Map<Key, ReceivedFrame> held = new HashMap<>();
  private final Map<Long, NodeFiles.Partial> open = new ConcurrentHashMap<>();
  private final CompletableFuture<Void> released = new CompletableFuture<>();
  private volatile boolean closed;
  private long forwardedBytes;

  /**
   * @param files closed with this
   * @param frontEnd takes the messages of this node
   * @param pendingBytes bytes of messages to the front end that wait to be sent
   * @param mayWrite whether the front end has sent a message recently: otherwise it may have
   *     dropped this node, and the file may have its final name; any thread
   */
  public NodeReceiver(
      SessionRuntime runtime,
      TransferSpec spec,
      NodeFiles files,
      Consumer<FromNode.Builder> frontEnd,
      LongSupplier pendingBytes,
      BooleanSupplier mayWrite) {
    this.pendingBytes = pendingBytes;
    this.runtime = runtime;
    this.loop = runtime.loop();
    this.files = files;
    this.frontEnd = frontEnd;
    this.mayWrite = mayWrite;
    this.method = spec.digestMethod();
    this.hashers = ThreadLocal.withInitial(() -> new BlockHasher(method));
    this.backpressure = new Backpressure(streams, spec.bufferBytes());
    this.writers = runtime.threads().ofDisks(runtime.name() + "-write", spec.writersPerDisk());
  }

  @Override
  public DataStream.Handler attach(DataStream stream) {
    loop.run(() -> add(stream)); // before its frames, whatever loop this is
    return new DataStream.Handler() {
      @Override
      public void frame(ReceivedFrame frame) {
        loop.run(() -> arrived(stream, frame));
      }

      @Override
      public void writable() {
        // A receiver sends nothing on data streams.
      }

      @Override
      public void closed(FdtException cause) {
        loop.run(() -> lost(stream));
      }
    };
  }

  private void add(DataStream stream) {
    if (closed) {
      stream.close();
      return;
    }
    streams.add(stream);
    if (backpressure.isPulled()) {
      stream.setReading(false);
    }
    frontEnd.accept(
        FromNode.newBuilder().setStreamUp(StreamUp.newBuilder().setStream(stream.number())));
  }

  private void lost(DataStream stream) {
    streams.remove(stream);
    if (!closed) {
      frontEnd.accept(
          FromNode.newBuilder().setStreamDown(StreamDown.newBuilder().setStream(stream.number())));
    }
  }

  private void arrived(DataStream stream, ReceivedFrame frame) {
    if (closed) {
      frame.release();
      return;
    }
    FrameHeader header = frame.header();
    Key key = new Key(stream.number(), header.number());
    if (!frame.isIntact()) {
      frame.release();
    } else if (header.type() == FrameHeader.Type.PACK) {
      forward(key, frame);
    } else {
      backpressure.add(header.length());
      held.put(key, frame);
    }
    ByteBuf bytes = Unpooled.buffer(FrameHeader.LENGTH, FrameHeader.LENGTH);
    header.write(bytes);
    frontEnd.accept(
        FromNode.newBuilder()
            .setHeld(
                FrameHeld.newBuilder()
                    .setStream(stream.number())
                    .setHeader(ByteString.copyFrom(bytes.nioBuffer()))
                    .setIntact(frame.isIntact())));
  }

  /** Sends a payload to the front end; it counts as memory of this node until it is sent. */
  private void forward(Key key, ReceivedFrame frame) {
    int length = frame.header().length();
    sendPayload(key, frame);
    backpressure.add(length);
    boolean isWatched = forwardedBytes > 0;
    forwardedBytes += length;
    if (!isWatched) {
      loop.after(DRAIN_NANOS, this::drained);
    }
  }

  private void drained() {
    if (closed) {
      return;
    }
    if (pendingBytes.getAsLong() <= PART_BYTES) {
      backpressure.remove(forwardedBytes);
      forwardedBytes = 0;
    } else {
      loop.after(DRAIN_NANOS, this::drained);
    }
  }

  private void sendPayload(Key key, ReceivedFrame frame) {
    ByteBuf payload = frame.payload();
    int end = payload.writerIndex();
    for (int at = payload.readerIndex(); at < end; at += PART_BYTES) {
      int length = Math.min(PART_BYTES, end - at);
      frontEnd.accept(
          FromNode.newBuilder()
              .setPayload(
                  PayloadPart.newBuilder()
                      .setFrame(key.held())
                      .setBytes(ByteString.copyFrom(payload.nioBuffer(at, length)))
                      .setLast(at + length == end)));
    }
    frame.release();
  }

  @Override
  public void onMessage(ToNode message) throws FdtException {
    switch (message.getWhatCase()) {
      case WRITE -> write(message.getWrite());
      case DROP -> {
        ReceivedFrame frame = held.remove(Key.of(message.getDrop()));
        if (frame != null) {
          release(frame);
        }
      }
      case FETCH -> {
        Key key = Key.of(message.getFetch());
        ReceivedFrame frame = take(key);
        backpressure.remove(frame.header().length());
        forward(key, frame);
      }
      case CLOSE_FILE -> closeFile(message.getCloseFile());
      case READING -> backpressure.hold(!message.getReading());
      case CLOSE_STREAM -> streams.close(message.getCloseStream().getStream());
      default ->
          throw new FdtException(
              ErrorCode.PROTOCOL,
              "unexpected " + message.getWhatCase() + " to a data node that receives");
    }
  }

  private ReceivedFrame take(Key key) throws FdtException {
    ReceivedFrame frame = held.remove(key);
    if (frame == null) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "frame %d of stream %d is not held here".formatted(key.number(), key.stream()));
    }
    return frame;
  }

  private void release(ReceivedFrame frame) {
    backpressure.remove(frame.header().length());
    frame.release();
  }

  private void write(WriteHeld message) throws FdtException {
    Key key = Key.of(message.getFrame());
    ReceivedFrame frame = take(key);
    SharedFile file = message.getFile();
    FrameHeader header = frame.header();
    writers.submit(
        DISK,
        () -> {
          byte[][] hashes = {{}};
          FdtException failure =
              DiskWork.attempt(
                  () -> {
                    hashes[0] = hashes(frame.payload(), header.offset(), file.getSize());
                    NodeFiles.Partial target = target(file);
                    if (closed || !mayWrite.getAsBoolean()) {
                      throw new FdtException(ErrorCode.UNREACHABLE, "the front end is silent");
                    }
                    target.write(frame.payload(), header.offset());
                  });
          loop.post(
              () -> {
                release(frame);
                HeldWritten.Builder written =
                    HeldWritten.newBuilder()
                        .setFrame(key.held())
                        .setHashes(ByteString.copyFrom(hashes[0]));
                if (failure != null) {
                  written.setWhy(why(failure));
                }
                tell(FromNode.newBuilder().setWritten(written));
              });
        });
  }

  private void tell(FromNode.Builder message) {
    if (!closed) {
      frontEnd.accept(message);
    }
  }

  private static NodeFailure why(FdtException failure) {
    return NodeFailure.newBuilder()
        .setCode(failure.code().wireCode())
        .setMessage(MessageText.fit(failure.getMessage()))
        .build();
  }

  private byte[] hashes(ByteBuf block, long offset, long size) {
    return method.isOfChunks()
        ? hashers.get().chunks(block, block.readerIndex(), block.readableBytes(), offset, size)
        : new byte[0];
  }

  /** The partial file, opened for the first block. */
  private NodeFiles.Partial target(SharedFile file) throws FdtException {
    NodeFiles.Partial known = open.get(file.getId());
    if (known != null) {
      return known;
    }
    synchronized (open) {
      known = open.get(file.getId());
      if (known == null) {
        known = files.partial(BytePath.of(file.getPath().toByteArray()), file.getInode());
        open.put(file.getId(), known);
      }
      return known;
    }
  }

  private void closeFile(CloseFile message) {
    NodeFiles.Partial file = open.remove(message.getId());
    writers.submit(
        DISK,
        () -> {
          FdtException failure =
              file == null ? null : DiskWork.attempt(() -> file.finish(message.getFsync()));
          FileClosed.Builder answer = FileClosed.newBuilder().setId(message.getId());
          if (failure != null) {
            answer.setWhy(why(failure));
          }
          loop.post(() -> tell(FromNode.newBuilder().setFileClosed(answer)));
        });
  }

  @Override
  public long wireBytes() {
    return streams.wireBytes();
  }

  @Override
  public CompletableFuture<Void> close() {
    if (closed) {
      return released;
    }
    closed = true;
    streams.closeAll();
    held.values().forEach(ReceivedFrame::release);
    held.clear();
    writers.close();
    runtime
        .threads()
        .run(
            runtime.name() + "-close",
            () -> {
              writers.awaitEnd();
              open.values().forEach(NodeFiles.Partial::close);
              files.close();
              released.complete(null);
            });
    return released;
  }
}
