package io.fdt.core.session;

import java.util.List;

/**
 * What one buffer is to be filled with: a block of one file, or several small files whole.
 *
 * @param <S> what opens a file
 */
public sealed interface ReadJob<S> {
  /** Bytes of files that the buffer will hold. */
  long payload();

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
  }

  /** A range of one file that the receiver has already: only its digest is wanted. */
  record Check<S>(OutgoingFile<S> file, long offset, int length) implements ReadJob<S> {
    @Override
    public long payload() {
      return length;
    }
  }

  /** A sparse file whose holes are to be found, before anything of it is read. */
  record Survey<S>(OutgoingFile<S> file) implements ReadJob<S> {
    @Override
    public long payload() {
      return 0;
    }
  }

  /**
   * Small files, each whole. Read again they are simply read again: each record has its own digest.
   */
  record Pack<S>(List<OutgoingFile<S>> files) implements ReadJob<S> {
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
  }
}
