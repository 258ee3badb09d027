package io.fdt.core.session.sender;

import java.util.ArrayList;
import java.util.List;

/**
 * The content of one buffer: a block of one file, or several small files whole.
 *
 * @param <S> the opener of a file
 */
public sealed interface ReadJob<S> {
  /** Bytes of files that the buffer will hold. */
  long payload();

  /** The file of the job, or its first one. */
  OutgoingFile<S> first();

  /** The queue of the files of the job. */
  default int queue() {
    return first().queue();
  }

  /** Whether the job was sent before. */
  default boolean repeated() {
    return false;
  }

  /** Whether the receiver still needs a part of the job. */
  default boolean isStillNeeded() {
    return false;
  }

  /** The part to read again: all files without an outcome; null for none. */
  default ReadJob<S> unsettled() {
    return null;
  }

  /**
   * A block.
   *
   * @param repeated whether it was read before, so that the digest already includes it
   */
  record Block<S>(OutgoingFile<S> file, long offset, int length, boolean repeated)
      implements ReadJob<S> {
    @Override
    public long payload() {
      return length;
    }

    @Override
    public OutgoingFile<S> first() {
      return file;
    }

    @Override
    public boolean isStillNeeded() {
      return !file.isSettled();
    }

    @Override
    public ReadJob<S> unsettled() {
      return file.isSettled() ? null : new Block<>(file, offset, length, true);
    }
  }

  /**
   * A range of one file that is read only for its digest, and not sent.
   *
   * @param isHole whether it is a hole, which need not be read
   * @param isCrcOnly whether to compute its CRC32C, whatever the digest of the session
   */
  record Check<S>(OutgoingFile<S> file, long offset, int length, boolean isHole, boolean isCrcOnly)
      implements ReadJob<S> {
    @Override
    public long payload() {
      return length;
    }

    @Override
    public OutgoingFile<S> first() {
      return file;
    }
  }

  /**
   * A range of one file that is read for the hashes of its pieces.
   *
   * @param nanos how long a thread took for it; 0 before
   */
  record Hash<S>(OutgoingFile<S> file, HashedRanges.Part part, long nanos) implements ReadJob<S> {
    @Override
    public long payload() {
      return part.range().length();
    }

    @Override
    public OutgoingFile<S> first() {
      return file;
    }
  }

  /** A sparse file whose holes are searched before it is read. */
  record Survey<S>(OutgoingFile<S> file) implements ReadJob<S> {
    @Override
    public long payload() {
      return 0;
    }

    @Override
    public OutgoingFile<S> first() {
      return file;
    }
  }

  /**
   * Small files, each whole. Repetitions need no bookkeeping, because each record has its own
   * digest.
   *
   * @param repeated whether they were sent before
   */
  record Pack<S>(List<OutgoingFile<S>> files, boolean repeated) implements ReadJob<S> {
    public Pack {
      files = List.copyOf(files);
    }

    @Override
    public long payload() {
      long sum = 0;
      for (OutgoingFile<S> file : files) {
        sum += file.size();
      }
      return sum;
    }

    @Override
    public OutgoingFile<S> first() {
      return files.get(0);
    }

    @Override
    public boolean isStillNeeded() {
      for (OutgoingFile<S> file : files) {
        if (!file.isSettled()) {
          return true;
        }
      }
      return false;
    }

    @Override
    public ReadJob<S> unsettled() {
      List<OutgoingFile<S>> left = new ArrayList<>(files);
      left.removeIf(OutgoingFile::isSettled);
      return left.isEmpty() ? null : new Pack<>(left, true);
    }
  }
}
