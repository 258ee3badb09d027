package io.fdt.storage.local.destination.partial;

import io.fdt.core.error.FdtException;
import io.fdt.core.journal.JournalHeader;
import io.fdt.core.journal.KeptRanges;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.FileCreationMask;
import io.fdt.storage.local.os.FileDescriptor;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/**
 * The journal beside a partial file: its written ranges.
 *
 * <p>Records are only appended. A long journal is rewritten, with adjacent ranges merged, under
 * another name, and replaces the old one.
 *
 * <p>Thread-safe. Changes require the lock of the partial file.
 */
public final class PartialJournal implements AutoCloseable {
  /** 65,536 records of 24 bytes: 1.5 MiB for at least 64 GiB in blocks of 1 MiB. */
  public static final int MAX_RECORDS = 1 << 16;

  /** No valid journal is longer. */
  public static final int MAX_LENGTH =
      JournalHeader.MAX_LENGTH + MAX_RECORDS * KeptRanges.RECORD_LENGTH;

  private static final int CREATE =
      Flags.O_WRONLY | Flags.O_CREAT | Flags.O_EXCL | Flags.O_NOFOLLOW;

  private static final int LOOK = Flags.O_RDONLY | Flags.O_NOFOLLOW | Flags.O_NONBLOCK;

  private final Directory directory;
  private final long number;
  private JournalHeader header;
  private final KeptRanges kept;
  private FileDescriptor file;
  private long length;
  private int records;

  private PartialJournal(Directory directory, long number, JournalHeader header, KeptRanges kept) {
    this.directory = directory;
    this.number = number;
    this.header = header;
    this.kept = kept;
  }

  /** The content of a journal. */
  public record Content(JournalHeader header, KeptRanges kept) {}

  /**
   * Reads the journal of a final name.
   *
   * @return null when there is none, or an invalid one
   * @throws FdtException it may exist, and cannot be read now (RESOURCES, PERMISSION, IO, ...)
   * @throws UnknownJournalException another version of this program wrote it
   */
  public static Content read(Directory directory, FileName finalName)
      throws FdtException, UnknownJournalException {
    Content content = read(directory, TemporaryName.number(finalName));
    return content == null || !content.header().name().equals(finalName) ? null : content;
  }

  /** Reads the journal of a number. */
  public static Content read(Directory directory, long number)
      throws FdtException, UnknownJournalException {
    FileName name = TemporaryName.Kind.JOURNAL.name(number);
    int pinned = directory.pin();
    int descriptor;
    try {
      descriptor = Syscalls.open(pinned, name, LOOK, 0);
    } finally {
      directory.unpin();
    }
    if (descriptor == -Errno.ENOENT || descriptor == -Errno.ELOOP) {
      return null; // journals are never links
    }
    if (descriptor < 0) {
      throw Errno.ofName(-descriptor, "read the journal", directory.pathOf(name));
    }
    try (FileDescriptor file = new FileDescriptor(descriptor, () -> directory.pathOf(name))) {
      return parse(bytesOf(file));
    }
  }

  private static ByteBuffer bytesOf(FileDescriptor file) throws FdtException {
    ByteBuf bytes = Unpooled.directBuffer(4096, MAX_LENGTH);
    try {
      int chunk = 4096;
      while (bytes.writerIndex() < MAX_LENGTH) {
        int wanted = Math.min(chunk, MAX_LENGTH - bytes.writerIndex());
        if (file.read(bytes, wanted, bytes.writerIndex()) < wanted) {
          break;
        }
        chunk = 1 << 16;
      }
      byte[] content = new byte[bytes.readableBytes()];
      bytes.readBytes(content);
      return ByteBuffer.wrap(content);
    } finally {
      bytes.release();
    }
  }

  private static Content parse(ByteBuffer bytes) throws UnknownJournalException {
    if (JournalHeader.isOfOtherVersion(bytes)) {
      throw new UnknownJournalException();
    }
    return JournalHeader.decode(bytes)
        .map(
            header -> {
              ByteBuffer records = bytes.duplicate().position(header.length());
              return new Content(header, KeptRanges.replay(records, header.source().size()));
            })
        .orElse(null);
  }

  /** Begins a journal with this header under a number, with earlier ranges. */
  public static PartialJournal begin(
      Directory directory, long number, JournalHeader header, KeptRanges kept) throws FdtException {
    PartialJournal journal = new PartialJournal(directory, number, header, kept);
    journal.rewrite();
    return journal;
  }

  /**
   * Records a written range. A full journal of disjoint ranges skips it for now: rewriting that
   * many for each added range would cost more than sending them again.
   */
  public synchronized void add(CheckedRange range) throws FdtException {
    if (file == null || !kept.add(range)) {
      return;
    }
    if (records >= MAX_RECORDS) {
      if (kept.count() <= MAX_RECORDS / 2) {
        rewrite();
      }
      return;
    }
    append(file, KeptRanges.record(range));
    records++;
  }

  /**
   * Makes later transfers read and compare the recorded ranges: other machines write as well, or
   * the file system reports errors only at close.
   */
  public synchronized void distrust() throws FdtException {
    if (file != null && (header.bootHigh() != 0 || header.bootLow() != 0)) {
      JournalHeader before = header;
      header = new JournalHeader(header.name(), header.source(), 0, 0, header.cut());
      try {
        rewrite();
      } catch (FdtException e) {
        header = before;
        throw e;
      }
    }
  }

  public synchronized boolean isEmpty() {
    return kept.isEmpty();
  }

  /** Writes header and ranges under another name, which then replaces this one. */
  private void rewrite() throws FdtException {
    FileName next = TemporaryName.Kind.NEXT_JOURNAL.name(number);
    int pinned = directory.pin();
    try {
      Syscalls.unlink(pinned, next); // a transfer may have died here
      int descriptor = Syscalls.open(pinned, next, CREATE, FileCreationMask.TEMPORARY);
      if (descriptor < 0) {
        throw failure(-descriptor);
      }
      FileDescriptor written = new FileDescriptor(descriptor, this::path);
      long oldLength = length;
      try {
        length = 0;
        append(written, header.encode());
        ByteBuffer all = ByteBuffer.allocate(kept.count() * KeptRanges.RECORD_LENGTH);
        kept.ranges().forEach(range -> all.put(KeptRanges.record(range)));
        append(written, all.flip());
        close(); // Windows lets no open file be replaced
        int result = Syscalls.rename(pinned, next, TemporaryName.Kind.JOURNAL.name(number));
        if (result < 0) {
          throw failure(-result);
        }
      } catch (FdtException e) {
        length = oldLength;
        written.close();
        Syscalls.unlink(pinned, next);
        throw e;
      }
      file = written;
      records = kept.count();
    } finally {
      directory.unpin();
    }
  }

  private FdtException failure(int errno) {
    return Errno.ofName(errno, "write the journal", path());
  }

  private String path() {
    return directory.pathOf(TemporaryName.Kind.JOURNAL.name(number));
  }

  private void append(FileDescriptor target, ByteBuffer bytes) throws FdtException {
    int count = bytes.remaining();
    target.write(Unpooled.wrappedBuffer(bytes), length);
    length += count;
  }

  /**
   * Removes the journal, if any; 0 or a negative error number. The lock of the file must be held.
   */
  public static int remove(int pinned, long number) {
    Syscalls.unlink(pinned, TemporaryName.Kind.NEXT_JOURNAL.name(number));
    int result = Syscalls.unlink(pinned, TemporaryName.Kind.JOURNAL.name(number));
    return result == -Errno.ENOENT ? 0 : result;
  }

  @Override
  public synchronized void close() {
    if (file != null) {
      file.close();
      file = null;
    }
  }
}
