package io.fdt.compare;

import com.sun.jna.ptr.LongByReference;
import io.fdt.compare.Way.Part;
import io.netty.util.internal.PlatformDependent;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;

/**
 * The receiving end of one stream of a {@link Way}. Confined to one thread, except for its writer.
 */
final class WayReceiver {
  /** Blocks of one stream that are in memory. */
  private static final int BLOCKS_UNDER_WAY = 8;

  /** The offset of a block that is not written: the end. */
  private static final long NOWHERE = -1;

  private record Block(ByteBuffer bytes, long offset) {}

  private final Way way;
  private final SocketChannel socket;
  private final FileChannel file;
  private final int descriptor;
  private final ByteBuffer header = ByteBuffer.allocateDirect(Way.HEADER_BYTES);

  // For the block whose header was read last.
  private long offset;
  private int length;
  private int checksum;

  /**
   * @param descriptor the descriptor of the file
   */
  WayReceiver(Way way, SocketChannel socket, FileChannel file, int descriptor) {
    this.way = way;
    this.socket = socket;
    this.file = file;
    this.descriptor = descriptor;
  }

  /** Receives and writes until the stream ends. */
  void run() throws Exception {
    if (way.has(Part.SPLICED)) {
      splice();
    } else if (way.has(Part.MAPPED)) {
      while (nextHeader()) {
        MappedByteBuffer bytes = file.map(FileChannel.MapMode.READ_WRITE, offset, length);
        receive(bytes);
        unmap(bytes);
      }
    } else if (way.has(Part.OTHER_THREAD)) {
      handOver();
    } else {
      ByteBuffer bytes = way.buffer();
      while (nextHeader()) {
        receive(bytes);
        write(bytes, offset);
      }
    }
  }

  /**
   * Unmaps now: until the garbage collector runs, a mapping would keep the disk space of a deleted
   * copy.
   */
  @SuppressWarnings("deprecation") // what replaces it frees only what it has allocated
  private static void unmap(MappedByteBuffer bytes) {
    PlatformDependent.freeDirectBuffer(bytes);
  }

  private void handOver() throws Exception {
    BlockingQueue<ByteBuffer> free = new ArrayBlockingQueue<>(BLOCKS_UNDER_WAY);
    for (int i = 0; i < BLOCKS_UNDER_WAY; i++) {
      free.add(way.buffer());
    }
    BlockingQueue<Block> received = new ArrayBlockingQueue<>(BLOCKS_UNDER_WAY + 1);
    FutureTask<Void> writing = new FutureTask<>(() -> writeAll(received, free));
    Thread writer = new Thread(writing, "ladder-writer");
    writer.start();
    Block end = new Block(header, NOWHERE);
    try {
      while (nextHeader()) {
        ByteBuffer bytes = free.take();
        receive(bytes);
        received.add(new Block(bytes, offset));
      }
      received.add(end);
      writing.get();
    } catch (ClosedChannelException e) {
      received.add(end);
      writing.get(); // if the writer has closed it, this says why
      throw e;
    } finally {
      writer.interrupt();
    }
  }

  private Void writeAll(BlockingQueue<Block> received, BlockingQueue<ByteBuffer> free)
      throws Exception {
    for (Block block = received.take(); block.offset() != NOWHERE; block = received.take()) {
      try {
        write(block.bytes(), block.offset());
      } catch (IOException e) {
        socket.close(); // who receives waits for a buffer, or for bytes
        throw e;
      } finally {
        free.add(block.bytes());
      }
    }
    return null;
  }

  private void splice() throws IOException {
    int[] pipe = SystemCalls.pipe(way.block());
    try {
      int from = SystemCalls.descriptor(socket);
      while (nextHeader()) {
        for (int left = length; left > 0; ) {
          int moved = SystemCalls.splice(from, pipe[1], null, left);
          atLeastOne(moved == 0 ? -1 : moved);
          left -= moved;
          empty(pipe[0], moved);
        }
      }
    } finally {
      SystemCalls.close(pipe[0]);
      SystemCalls.close(pipe[1]);
    }
  }

  /** Moves the content of the pipe to the next offset of the block. */
  private void empty(int pipe, int bytes) throws IOException {
    LongByReference at = new LongByReference(offset);
    for (int left = bytes; left > 0; ) {
      left -= SystemCalls.splice(pipe, descriptor, at, left);
    }
    offset += bytes;
  }

  /** Reads the next header; false at the end of the stream. */
  private boolean nextHeader() throws IOException {
    header.clear();
    if (socket.read(header) < 0) {
      return false;
    }
    while (header.hasRemaining()) {
      atLeastOne(socket.read(header));
    }
    header.flip();
    offset = header.getLong();
    length = header.getInt();
    checksum = header.getInt();
    return true;
  }

  /** Receives a block, and leaves it between position and limit. */
  private void receive(ByteBuffer bytes) throws IOException {
    if (way.fill(bytes.clear().limit(length), socket::read) != checksum) {
      throw new IOException("a block arrived damaged at " + offset);
    }
  }

  private void write(ByteBuffer bytes, long at) throws IOException {
    int all = bytes.remaining();
    while (bytes.hasRemaining()) {
      file.write(bytes, at + bytes.position());
    }
    if (way.has(Part.WRITE_BEHIND)) {
      SystemCalls.beginWriteBack(descriptor, at, all);
    }
  }

  static void atLeastOne(int count) throws EOFException {
    if (count < 0) {
      throw new EOFException("less than was promised");
    }
  }
}
