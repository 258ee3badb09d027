package io.fdt.compare;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;

/**
 * One way to move a file over loopback, or a {@link VethPair}: blocking sockets, a thread at each
 * end of each stream, any block on any stream. A block is its offset (8 bytes), length (4) and
 * CRC32C (4), then its bytes.
 *
 * @param streams connections; 0 for one thread that reads and writes without sockets
 * @param block bytes
 * @param socketBuffer bytes of SO_SNDBUF and SO_RCVBUF; 0 leaves them to the kernel
 * @param parts the differences from read, send, receive and write
 */
record Way(int streams, int block, int socketBuffer, Set<Part> parts) implements Mover {
  static final int HEADER_BYTES = 16;

  /** Bytes whose checksum is computed at once if it is fused with reading: they fit into L2. */
  private static final int PIECE = 128 << 10;

  /** The alignment of O_DIRECT buffers: no device needs a larger one. */
  private static final int ALIGNMENT = 4096;

  /** Variants of a way. */
  enum Part {
    /** Both ends compute the CRC32C of each block. */
    CHECKSUMS,
    /** Both ends compute it piece by piece, as the bytes are read or arrive. */
    FUSED,
    /** The connection passes a pair of virtual network cards. */
    VETH,
    /** The kernel sends from the sender's buffers, without a copy of its own. */
    ZERO_COPY,
    /** The kernel moves bytes from the file to the socket. */
    SENDFILE,
    /** The source is read around the page cache. */
    DIRECT,
    /** The copy is written around the page cache. */
    DIRECT_COPY,
    /** The copy is on its disk before the end. */
    FORCED,
    /** The kernel is told that the source is read from its start to its end. */
    READ_AHEAD,
    /** The copy gets its size before its first byte. */
    SIZE_FIRST,
    /** The blocks of the copy are allocated before its first byte. */
    BLOCKS_FIRST,
    /** One thread receives, another thread writes. */
    OTHER_THREAD,
    /** Blocks are received into a mapping of the copy, without a buffer. */
    MAPPED,
    /** The kernel moves bytes from the socket to the copy, through a pipe. */
    SPLICED,
    /** The kernel is told to write each block to the disk at once. */
    WRITE_BEHIND
  }

  /** A copy without a network, like cp. */
  static Way local(int block) {
    return plain(0, block);
  }

  /** pread and send, recv and pwrite. */
  static Way plain(int streams, int block) {
    return new Way(streams, block, 0, Set.of());
  }

  Way with(Part part) {
    Set<Part> more = EnumSet.of(part);
    more.addAll(parts);
    return new Way(streams, block, socketBuffer, more);
  }

  Way withSocketBuffers(int bytes) {
    return new Way(streams, block, bytes, parts);
  }

  boolean has(Part part) {
    return parts.contains(part);
  }

  @Override
  public Ends move(Path source, Path copy) throws Exception {
    if (streams == 0) {
      copyHere(source, copy);
      return Ends.UNKNOWN;
    }
    try (FileChannel in = FileChannel.open(source, with(StandardOpenOption.READ, Part.DIRECT));
        FileChannel out =
            FileChannel.open(
                copy,
                with(
                    StandardOpenOption.CREATE_NEW,
                    Part.DIRECT_COPY,
                    StandardOpenOption.READ, // a mapping wants both
                    StandardOpenOption.WRITE))) {
      prepare(copy, in.size());
      if (has(Part.READ_AHEAD)) {
        SystemCalls.adviseSequential(SystemCalls.descriptor(source));
      }
      AtomicLong next = new AtomicLong();
      int descriptor = SystemCalls.descriptor(copy);
      Loopback.End sender = socket -> send(in, socket, next);
      Loopback.End receiver = socket -> new WayReceiver(this, socket, out, descriptor).run();
      Ends ends;
      if (has(Part.VETH)) {
        try (VethPair pair = new VethPair()) {
          ends =
              Loopback.run(
                  pair.listening(), pair.address(), streams, socketBuffer, sender, receiver);
        }
      } else {
        ends = Loopback.run(streams, socketBuffer, sender, receiver);
      }
      if (has(Part.FORCED)) {
        out.force(false);
      }
      return ends;
    }
  }

  private void copyHere(Path source, Path copy) throws IOException {
    ByteBuffer bytes = buffer();
    try (FileChannel in = FileChannel.open(source, StandardOpenOption.READ);
        FileChannel out =
            FileChannel.open(copy, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      while (in.read(bytes.clear()) >= 0) {
        bytes.flip();
        while (bytes.hasRemaining()) {
          out.write(bytes);
        }
      }
    }
  }

  private void prepare(Path copy, long bytes) throws IOException {
    if (has(Part.SIZE_FIRST) || has(Part.MAPPED)) {
      try (RandomAccessFile file = new RandomAccessFile(copy.toFile(), "rw")) {
        file.setLength(bytes);
      }
    }
    if (has(Part.BLOCKS_FIRST)) {
      SystemCalls.allocate(SystemCalls.descriptor(copy), bytes);
    }
  }

  private Set<OpenOption> with(OpenOption option, Part direct, OpenOption... more) {
    Set<OpenOption> options = new HashSet<>(List.of(more));
    options.add(option);
    if (has(direct)) {
      options.add(ExtendedOpenOption.DIRECT);
    }
    return options;
  }

  private void send(FileChannel file, SocketChannel socket, AtomicLong next) throws IOException {
    boolean sendfile = has(Part.SENDFILE);
    ZeroCopy zeroCopy = has(Part.ZERO_COPY) ? new ZeroCopy(socket, this) : null;
    ByteBuffer header = ByteBuffer.allocateDirect(HEADER_BYTES);
    ByteBuffer payload = buffer();
    long size = file.size();
    for (long at = next.getAndAdd(block); at < size; at = next.getAndAdd(block)) {
      int length = (int) Math.min(block, size - at);
      if (zeroCopy != null) {
        payload = zeroCopy.buffer();
      }
      payload.clear().limit(sendfile ? 0 : length);
      long start = at;
      int checksum = fill(payload, bytes -> file.read(bytes, start + bytes.position()));
      header.clear().putLong(at).putInt(length).putInt(checksum).flip();
      while (zeroCopy != null && header.hasRemaining()) {
        socket.write(header);
      }
      if (zeroCopy != null) {
        zeroCopy.send(payload);
      }
      ByteBuffer[] both = {header, payload};
      while (header.hasRemaining() || payload.hasRemaining()) {
        socket.write(both);
      }
      for (long sent = 0; sendfile && sent < length; ) {
        sent += file.transferTo(at + sent, length - sent, socket);
      }
    }
    if (zeroCopy != null) {
      zeroCopy.end();
    }
    socket.shutdownOutput();
  }

  /** A file or a socket. */
  interface Source {
    int read(ByteBuffer bytes) throws IOException;
  }

  /** Fills a buffer up to its limit, flips it, and returns its checksum. */
  int fill(ByteBuffer bytes, Source source) throws IOException {
    boolean fused = has(Part.FUSED);
    int length = bytes.limit();
    CRC32C crc = new CRC32C();
    while (bytes.position() < length) {
      int from = bytes.position();
      bytes.limit(fused ? Math.min(length, from + PIECE) : length);
      WayReceiver.atLeastOne(source.read(bytes));
      if (fused) {
        crc.update(bytes.duplicate().flip().position(from));
      }
    }
    bytes.flip();
    return fused ? (int) crc.getValue() : checksum(bytes);
  }

  ByteBuffer buffer() {
    return ByteBuffer.allocateDirect(block + ALIGNMENT).alignedSlice(ALIGNMENT).slice(0, block);
  }

  private int checksum(ByteBuffer bytes) {
    if (!has(Part.CHECKSUMS)) {
      return 0;
    }
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }
}
