package io.fdt.storage.local.destination.partial;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.journal.JournalHeader;
import io.fdt.core.journal.KeptRanges;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.storage.PartialFile;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.core.wire.Crc32c;
import io.fdt.storage.local.os.BootId;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.FileDescriptor;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Finds the trustworthy parts of an interrupted transfer's file. Each call is a disk operation; any
 * thread.
 *
 * <p>As long as the system has been running since the journal was written, written bytes are in the
 * page cache or on the device. After a reboot, and on a file system whose close may fail, the bytes
 * are read and compared with their checksums.
 */
public final class PartialFinder {
  private static final int LOOK = Flags.O_RDONLY | Flags.O_NOFOLLOW | Flags.O_NONBLOCK;
  private static final int CHUNK = 1 << 20;

  private PartialFinder() {}

  /** Finds the parts of a file of this version; changes nothing. */
  public static PartialFile find(Directory directory, FileName name, SourceVersion version)
      throws FdtException {
    PartialJournal.Content content;
    try {
      content = PartialJournal.read(directory, name);
    } catch (UnknownJournalException e) {
      return PartialFile.useless(
          "'%s': another version of this program left a part of it, which cannot be used: it starts over"
              .formatted(directory.pathOf(name)));
    }
    if (content == null || (content.kept().isEmpty() && !RangeJournals.isCut(content))) {
      return PartialFile.NONE;
    }
    if (!version.looksLike(content.header().source())) {
      return PartialFile.useless(
          "'%s': the source has changed since the interrupted transfer: it starts over"
              .formatted(directory.pathOf(name)));
    }
    return found(directory, name, version, content);
  }

  /**
   * Finds the parts of a range of a file of this version, with offsets from the range's start;
   * changes nothing.
   */
  public static PartialFile findRange(
      Directory directory, FileName name, SourceVersion version, FileCut cut, Range range)
      throws FdtException {
    PartialJournal.Content content;
    try {
      content = PartialJournal.read(directory, name);
    } catch (UnknownJournalException e) {
      return PartialFile.NONE;
    }
    if (content == null) {
      return PartialFile.NONE;
    }
    if (RangeJournals.isContinuedAsWhole(content, version)) {
      return PartialFile.SETTLED;
    }
    if (!RangeJournals.isOf(content, version, cut)) {
      return PartialFile.NONE;
    }
    try (FileDescriptor file = openPartial(directory, name)) {
      if (file == null || !hasItsSize(file, content)) {
        return PartialFile.NONE;
      }
      RangeJournals.Kept found =
          RangeJournals.range(directory, content.header(), range, any -> matches(file, any));
      boolean isUnchanged = version.isUnchangedSince(found.source());
      if (isUnchanged && RangeJournals.isVerified(directory, content.header(), range)) {
        return PartialFile.SETTLED;
      }
      List<CheckedRange> kept = new ArrayList<>();
      for (CheckedRange one : found.ranges().ranges()) {
        kept.add(
            new CheckedRange(one.start() - range.start(), one.end() - range.start(), one.crc()));
      }
      return PartialFile.of(kept, isUnchanged);
    }
  }

  /**
   * Whether the journal still has the result of {@link #find}; checked again under the file's lock.
   */
  public static boolean isStillThere(
      Directory directory, FileName name, SourceVersion version, List<CheckedRange> kept)
      throws FdtException {
    try {
      PartialJournal.Content content = PartialJournal.read(directory, name);
      if (content == null || !version.looksLike(content.header().source())) {
        return false;
      }
      if (!RangeJournals.isCut(content)) {
        return content.kept().ranges().containsAll(kept);
      }
      KeptRanges there = new KeptRanges();
      for (RangeJournals.Kept one :
          RangeJournals.ranges(directory, content.header(), any -> true)) {
        one.ranges().ranges().forEach(there::add);
      }
      return kept.stream().allMatch(there::covers);
    } catch (UnknownJournalException e) {
      return false;
    }
  }

  private static PartialFile found(
      Directory directory, FileName name, SourceVersion version, PartialJournal.Content content)
      throws FdtException {
    try (FileDescriptor file = openPartial(directory, name)) {
      if (file == null) {
        return PartialFile.NONE;
      }
      if (RangeJournals.isCut(content)) {
        if (!hasItsSize(file, content)) {
          return PartialFile.NONE;
        }
        KeptRanges kept = new KeptRanges();
        KeptRanges doubtful = new KeptRanges();
        for (RangeJournals.Kept one :
            RangeJournals.ranges(directory, content.header(), range -> matches(file, range))) {
          KeptRanges all = version.isUnchangedSince(one.source()) ? kept : doubtful;
          one.ranges().ranges().forEach(all::add);
        }
        return new PartialFile(kept.ranges(), doubtful.ranges(), "", false);
      }
      long size = sizeOf(file);
      KeptRanges kept = new KeptRanges();
      boolean sameBoot = isOfThisBoot(content.header());
      for (CheckedRange range : content.kept().ranges()) {
        if (range.end() <= size && (sameBoot || matches(file, range))) {
          kept.add(range);
        }
      }
      return PartialFile.of(kept.ranges(), version.isUnchangedSince(content.header().source()));
    }
  }

  /** The open partial file; null if there is none. */
  private static FileDescriptor openPartial(Directory directory, FileName name)
      throws FdtException {
    int pinned = directory.pin();
    try {
      int descriptor = Syscalls.open(pinned, TemporaryName.of(name), LOOK, 0);
      if (descriptor == -Errno.ENOENT || descriptor == -Errno.ELOOP) {
        return null;
      }
      if (descriptor < 0) {
        throw Errno.ofName(-descriptor, "look for the unfinished part of", directory.pathOf(name));
      }
      return new FileDescriptor(descriptor, () -> directory.pathOf(name));
    } finally {
      directory.unpin();
    }
  }

  /** Whether the file belongs to this journal of a cut: it gets its size after the journal. */
  public static boolean hasItsSize(FileDescriptor file, PartialJournal.Content cut)
      throws FdtException {
    return sizeOf(file) == cut.header().source().size();
  }

  private static long sizeOf(FileDescriptor file) throws FdtException {
    long[] size = new long[1];
    int unused =
        file.call(
            descriptor -> {
              int result = Syscalls.statx(descriptor);
              size[0] = result == 0 ? Syscalls.attributes().size() : 0;
              return result;
            });
    return size[0];
  }

  private static boolean isOfThisBoot(JournalHeader header) {
    return header.bootHigh() == BootId.HIGH && header.bootLow() == BootId.LOW;
  }

  private static boolean matches(FileDescriptor file, CheckedRange range) throws FdtException {
    OptionalInt crc = crcOf(file, new Range(range.start(), range.end()));
    return crc.isPresent() && crc.getAsInt() == range.crc();
  }

  /**
   * A range of a file with the checksum of its bytes.
   *
   * @throws FdtException IO when the file is shorter
   */
  public static CheckedRange checked(FileDescriptor file, Range range) throws FdtException {
    OptionalInt crc = crcOf(file, range);
    if (crc.isEmpty()) {
      throw new FdtException(
          ErrorCode.IO, "'" + file.path() + "' became shorter while it was written; run it again");
    }
    return new CheckedRange(range.start(), range.end(), crc.getAsInt());
  }

  /** The CRC32C of a range; empty if the file is shorter. */
  private static OptionalInt crcOf(FileDescriptor file, Range range) throws FdtException {
    Crc32c crc = new Crc32c();
    ByteBuf chunk = Unpooled.directBuffer(CHUNK, CHUNK);
    try {
      for (long at = range.start(); at < range.end(); at += CHUNK) {
        int length = Math.toIntExact(Math.min(CHUNK, range.end() - at));
        chunk.clear();
        if (file.read(chunk, length, at) < length) {
          return OptionalInt.empty();
        }
        crc.update(chunk, 0, length);
      }
      return OptionalInt.of(crc.value());
    } finally {
      chunk.release();
    }
  }
}
