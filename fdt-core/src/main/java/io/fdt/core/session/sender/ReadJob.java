package io.fdt.core.session.sender;

import java.util.ArrayList;
import java.util.List;

/**
 * The content of one buffer: a block of one file, or several small files whole.
 *
 * @param <S> what opens a file
 */
public sealed interface ReadJob<S> {
  /** Bytes of files that the buffer will hold. */
  long payload();

  /** Its file, or the first one. */
  OutgoingFile<S> first();

  /** The queue that its files belong to. */
  default int queue() {
    return first().queue();
  }

  /** Whether it has left before. */
  default boolean repeated() {
    return false;
  }

  /** Whether anything of it still has to go to the receiver. */
  default boolean isStillNeeded() {
    return false;
  }

  /** The part to read again: all files without an outcome; null when there is none. */
  default ReadJob<S> unsettled() {
    return null;
  }

  /**
   * A block.
   *
   * @param repeated whether it has been read before, so that it does not count for the digest again
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
   * A range of one file that is not sent: only its digest is wanted.
   *
   * @param isHole whether it holds only zeros, so that nothing has to be read
   * @param isCrcOnly whether its CRC32C is wanted, whatever digest files have
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

  /** A sparse file whose holes are to be found, before anything of it is read. */
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
   * Small files, each whole. Read again they are simply read again: each record has its own digest.
   *
   * @param repeated whether they have left before
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
