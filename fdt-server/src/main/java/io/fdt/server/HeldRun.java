package io.fdt.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * The bytes of a file of the spool, and of those that follow it without a gap. One file is open at
 * a time. Not thread-safe.
 */
final class HeldRun implements AutoCloseable {
  private final List<HeldSegment> segments;
  private final int first;
  private int openIndex = -1;
  private FileChannel open;

  /**
   * @param segments in order
   * @param first the one with which it begins
   */
  HeldRun(List<HeldSegment> segments, int first) {
    this.segments = segments;
    this.first = first;
  }

  /** Whether bytes up to a position, of the first file, are there. */
  boolean reaches(long end) {
    long begin = 0;
    for (int i = first; i < segments.size(); i++) {
      if (i > first && !follows(i)) {
        return false;
      }
      begin += segments.get(i).length();
      if (begin >= end) {
        return true;
      }
    }
    return false;
  }

  private boolean follows(int index) {
    return segments.get(index).name().follows(segments.get(index - 1).name());
  }

  /**
   * Fills a buffer with bytes from a position on.
   *
   * @return false: not all of them are there
   */
  boolean read(long position, ByteBuffer into) throws IOException {
    if (!reaches(position + into.remaining())) {
      return false;
    }
    long begin = 0;
    long at = position;
    for (int i = first; into.hasRemaining(); i++) {
      long length = segments.get(i).length();
      if (at < begin + length) {
        int count = Math.toIntExact(Math.min(into.remaining(), begin + length - at));
        if (!read(i, at - begin, into.slice(into.position(), count))) {
          return false;
        }
        into.position(into.position() + count);
        at += count;
      }
      begin += length;
    }
    return true;
  }

  private boolean read(int index, long offset, ByteBuffer into) throws IOException {
    FileChannel channel = open(index);
    for (long at = offset; into.hasRemaining(); ) {
      int count = channel.read(into, at);
      if (count < 0) {
        return false;
      }
      at += count;
    }
    return true;
  }

  private FileChannel open(int index) throws IOException {
    if (openIndex != index) {
      close();
      open = FileChannel.open(segments.get(index).path(), StandardOpenOption.READ);
      openIndex = index;
    }
    return open;
  }

  @Override
  public void close() throws IOException {
    openIndex = -1;
    if (open != null) {
      open.close();
    }
  }
}
