package io.fdt.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * One file with bytes of a relayed connection. It is open while it is written to or read from, and
 * no longer. One thread at a time writes; others may read meanwhile what was written before.
 */
class SpoolSegment {
  private final Path path;
  private volatile long length;

  /**
   * @param length bytes of it that are there already
   */
  SpoolSegment(Path path, long length) {
    this.path = path;
    this.length = length;
  }

  Path path() {
    return path;
  }

  /** Bytes that were written. */
  long length() {
    return length;
  }

  /** Adds bytes, all of them or none that count. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
  void append(ByteBuffer bytes) throws IOException {
    int count = bytes.remaining();
    boolean isNew = length == 0;
    try (FileChannel channel =
        FileChannel.open(
            path,
            isNew ? StandardOpenOption.CREATE_NEW : StandardOpenOption.WRITE,
            StandardOpenOption.WRITE)) {
      write(channel, bytes);
    } catch (FileAlreadyExistsException e) {
      throw e; // it is not ours
    } catch (IOException e) {
      if (isNew) {
        remove();
      }
      throw e;
    }
    length += count;
  }

  private void write(FileChannel channel, ByteBuffer bytes) throws IOException {
    long offset = length;
    while (bytes.hasRemaining()) {
      offset += channel.write(bytes, offset);
    }
  }

  void remove() throws IOException {
    Files.deleteIfExists(path);
  }
}
