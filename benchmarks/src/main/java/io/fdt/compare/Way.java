package io.fdt.compare;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.nio.file.ExtendedOpenOption;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;

/**
 * One way to move a file over loopback: blocking sockets, a thread at each end of each stream, any
 * block on any stream. A block is its offset (8 bytes), length (4) and CRC32C (4), then its bytes.
 *
 * @param streams connections; with 0 one thread reads and writes, and no socket takes part
 * @param block bytes
 * @param checked whether both ends compute the CRC32C of each block
 * @param sendfile whether the kernel moves bytes from the file to the socket
 * @param socketBuffer bytes of SO_SNDBUF and SO_RCVBUF; 0 leaves them to the kernel
 * @param before what is done to the copy before its bytes come
 * @param direct whether the source is read around the page cache
 * @param readAhead whether the kernel is told that the source is read from its start to its end
 */
record Way(
    int streams,
    int block,
    boolean checked,
    boolean sendfile,
    int socketBuffer,
    Before before,
    boolean direct,
    boolean readAhead)
    implements Mover {
  private static final int HEADER_BYTES = 16;

  /** What a copy can be given before its bytes. */
  enum Before {
    NOTHING,
    SIZE,
    BLOCKS
  }

  private static final Function POSIX_FADVISE =
      NativeLibrary.getProcess().getFunction("posix_fadvise");

  private static final Function POSIX_FALLOCATE =
      NativeLibrary.getProcess().getFunction("posix_fallocate");

  /** POSIX_FADV_SEQUENTIAL of Linux. */
  private static final int SEQUENTIAL = 2;

  /** Of buffers for O_DIRECT: no device asks for more. */
  private static final int ALIGNMENT = 4096;

  /** A copy without a network, as cp makes it. */
  static Way local(int block) {
    return plain(0, block);
  }

  /** pread and send, recv and pwrite. */
  static Way plain(int streams, int block) {
    return new Way(streams, block, false, false, 0, Before.NOTHING, false, false);
  }

  Way withChecksums() {
    return new Way(streams, block, true, sendfile, socketBuffer, before, direct, readAhead);
  }

  Way withSendfile() {
    return new Way(streams, block, checked, true, socketBuffer, before, direct, readAhead);
  }

  Way withSocketBuffers(int bytes) {
    return new Way(streams, block, checked, sendfile, bytes, before, direct, readAhead);
  }

  Way with(Before what) {
    return new Way(streams, block, checked, sendfile, socketBuffer, what, direct, readAhead);
  }

  Way withReadAhead() {
    return new Way(streams, block, checked, sendfile, socketBuffer, before, direct, true);
  }

  Way withDirectReads() {
    return new Way(streams, block, checked, sendfile, socketBuffer, before, true, readAhead);
  }

  @Override
  public void move(Path source, Path copy) throws Exception {
    if (streams == 0) {
      copyHere(source, copy);
      return;
    }
    try (FileChannel in = FileChannel.open(source, readOptions());
        FileChannel out =
            FileChannel.open(copy, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      prepare(copy, in.size());
      if (readAhead) {
        POSIX_FADVISE.invokeInt(new Object[] {descriptor(source), 0L, 0L, SEQUENTIAL});
      }
      AtomicLong next = new AtomicLong();
      Loopback.run(
          streams, socketBuffer, socket -> send(in, socket, next), socket -> receive(socket, out));
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
    switch (before) {
      case SIZE -> {
        try (RandomAccessFile file = new RandomAccessFile(copy.toFile(), "rw")) {
          file.setLength(bytes);
        }
      }
      case BLOCKS -> {
        int result = POSIX_FALLOCATE.invokeInt(new Object[] {descriptor(copy), 0L, bytes});
        if (result != 0) {
          throw new IOException("posix_fallocate: error " + result);
        }
      }
      case NOTHING -> {}
    }
  }

  /** The number of an open file, which Java does not tell and the calls that it lacks want. */
  private static int descriptor(Path file) throws IOException {
    try (var descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path descriptor : descriptors) {
        if (Files.isRegularFile(descriptor) && Files.isSameFile(descriptor, file)) {
          return Integer.parseInt(descriptor.getFileName().toString());
        }
      }
    }
    throw new IOException(file + " is not open");
  }

  private Set<OpenOption> readOptions() {
    Set<OpenOption> options = new HashSet<>(Set.of(StandardOpenOption.READ));
    if (direct) {
      options.add(ExtendedOpenOption.DIRECT);
    }
    return options;
  }

  private void send(FileChannel file, SocketChannel socket, AtomicLong next) throws IOException {
    ByteBuffer header = ByteBuffer.allocateDirect(HEADER_BYTES);
    ByteBuffer payload = buffer();
    long size = file.size();
    for (long at = next.getAndAdd(block); at < size; at = next.getAndAdd(block)) {
      int length = (int) Math.min(block, size - at);
      payload.clear().limit(sendfile ? 0 : length);
      while (payload.hasRemaining()) {
        atLeastOne(file.read(payload, at + payload.position()));
      }
      payload.flip();
      header.clear().putLong(at).putInt(length).putInt(checksum(payload)).flip();
      ByteBuffer[] both = {header, payload};
      while (header.hasRemaining() || payload.hasRemaining()) {
        socket.write(both);
      }
      for (long sent = 0; sendfile && sent < length; ) {
        sent += file.transferTo(at + sent, length - sent, socket);
      }
    }
    socket.shutdownOutput();
  }

  private void receive(SocketChannel socket, FileChannel file) throws IOException {
    ByteBuffer header = ByteBuffer.allocateDirect(HEADER_BYTES);
    ByteBuffer payload = buffer();
    while (socket.read(header) >= 0) {
      while (header.hasRemaining()) {
        atLeastOne(socket.read(header));
      }
      header.flip();
      long at = header.getLong();
      payload.clear().limit(header.getInt());
      int checksum = header.getInt();
      header.clear();
      while (payload.hasRemaining()) {
        atLeastOne(socket.read(payload));
      }
      payload.flip();
      if (checksum(payload) != checksum) {
        throw new IOException("a block arrived damaged at " + at);
      }
      while (payload.hasRemaining()) {
        file.write(payload, at + payload.position());
      }
    }
  }

  private ByteBuffer buffer() {
    return ByteBuffer.allocateDirect(block + ALIGNMENT).alignedSlice(ALIGNMENT).slice(0, block);
  }

  private int checksum(ByteBuffer bytes) {
    if (!checked) {
      return 0;
    }
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }

  private static void atLeastOne(int count) throws EOFException {
    if (count < 0) {
      throw new EOFException("less than was promised");
    }
  }
}
