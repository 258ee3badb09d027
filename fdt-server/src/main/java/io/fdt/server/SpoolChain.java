package io.fdt.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * Makes the files of one direction of a connection. Those in which frames begin at a known place
 * can be found by others, and remain if they have to. Not thread-safe.
 */
final class SpoolChain {
  private final HeldSegments held;
  private final SpoolEnds ends;
  private final Supplier<Path> otherFiles;

  /** 0 while it has no file in which frames are found. */
  private long number;

  private int files;

  /**
   * @param otherFiles names of files that do not exist, for bytes of which nothing is known
   */
  SpoolChain(HeldSegments held, SpoolEnds ends, Supplier<Path> otherFiles) {
    this.held = held;
    this.ends = ends;
    this.otherFiles = otherFiles;
  }

  /**
   * A new file.
   *
   * @param firstFrame how many bytes from its start the first frame begins; negative for unknown
   * @param follows whether it follows the last one without a gap
   */
  SpoolSegment next(long firstFrame, boolean follows) {
    files += follows ? 1 : 2;
    if (firstFrame < 0) {
      return new SpoolSegment(otherFiles.get(), 0);
    }
    if (number == 0) {
      number = held.nextChain();
    }
    int first = (int) Math.min(firstFrame, Integer.MAX_VALUE);
    return held.begin(new SegmentName(ends, number, files, first));
  }

  /** The last new file could not be written to, and is not there. */
  void failed(SpoolSegment segment) {
    files--;
    if (segment instanceof HeldSegment one) {
      held.forget(one);
    }
  }

  /** A file was written to. */
  void written(SpoolSegment segment) {
    if (segment instanceof HeldSegment one) {
      held.written(one);
    }
  }

  /** All of a file was taken. It stays where others find it. */
  void taken(SpoolSegment segment) throws IOException {
    if (segment instanceof HeldSegment one) {
      one.delivered();
    }
    leave(segment);
  }

  /** The connection of a file has ended. It stays where others find it. */
  void leave(SpoolSegment segment) throws IOException {
    if (segment instanceof HeldSegment one) {
      held.remain(one);
    } else {
      segment.remove();
    }
  }

  /** Nobody needs a file. */
  void remove(SpoolSegment segment) throws IOException {
    if (segment instanceof HeldSegment one) {
      held.remove(one);
    } else {
      segment.remove();
    }
  }

  /** Removes what it has left but so many bytes, the oldest first. */
  void trim(long most) throws IOException {
    if (number > 0) {
      held.trim(ends, number, most);
    }
  }
}
