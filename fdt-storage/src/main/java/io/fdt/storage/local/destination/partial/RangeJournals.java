package io.fdt.storage.local.destination.partial;

import io.fdt.core.error.FdtException;
import io.fdt.core.journal.JournalHeader;
import io.fdt.core.journal.KeptRanges;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.os.BootId;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The journals of a file cut into ranges, and of its ranges: docs/PROTOCOL.md. Pure functions on
 * directories; each is a disk operation. Any thread.
 */
public final class RangeJournals {
  private RangeJournals() {}

  /** Decides whether to trust a range that may not be on the device. */
  public interface Trust {
    boolean holds(CheckedRange range) throws FdtException;
  }

  /**
   * Begins the journal of a transfer of a whole file, which holds its lock exclusively. {@code
   * kept} takes over the content of the journals of ranges, which are removed. The new journal
   * records the cut, so that a later transfer removes leftovers of this one.
   */
  public static PartialJournal beginWhole(
      Directory directory, FileName name, SourceVersion version, KeptRanges kept)
      throws FdtException {
    Optional<FileCut> cut = kept.isEmpty() ? Optional.empty() : cutOf(directory, name);
    JournalHeader header = new JournalHeader(name, version, BootId.HIGH, BootId.LOW, cut);
    PartialJournal journal =
        PartialJournal.begin(directory, TemporaryName.number(name), header, kept);
    if (cut.isPresent()) {
      removeRanges(directory, name, cut.get());
    }
    return journal;
  }

  /**
   * The content of one range's journal.
   *
   * @param source version of the file that the range was read from
   * @param isVerified whether it is verified and on the device
   */
  public record Kept(SourceVersion source, boolean isVerified, KeptRanges ranges) {}

  /** The journal of a file; empty without a valid one. */
  public static Optional<PartialJournal.Content> journal(Directory directory, FileName name)
      throws FdtException {
    try {
      return Optional.ofNullable(PartialJournal.read(directory, name));
    } catch (UnknownJournalException e) {
      return Optional.empty();
    }
  }

  /** The present or earlier cut of the file of this name; empty for none. */
  public static Optional<FileCut> cutOf(Directory directory, FileName name) throws FdtException {
    return journal(directory, name).flatMap(journal -> journal.header().cut());
  }

  /**
   * Removes a journal beside a new file, whose lock the caller holds, and the journals of its
   * ranges.
   */
  public static void forgetOlder(Directory directory, FileName name) throws FdtException {
    Optional<FileCut> cut = cutOf(directory, name);
    if (cut.isPresent()) {
      removeRanges(directory, name, cut.get());
    }
    int pinned = directory.pin();
    try {
      int result = PartialJournal.remove(pinned, TemporaryName.number(name));
      if (result < 0) {
        throw Errno.ofName(-result, "replace the journal of", directory.pathOf(name));
      }
    } finally {
      directory.unpin();
    }
  }

  /** Whether a journal is that of a file with this cut. */
  public static boolean isOf(PartialJournal.Content journal, SourceVersion version, FileCut cut) {
    return isCut(journal)
        && journal.header().source().looksLike(version)
        && journal.header().cut().get().equals(cut);
  }

  /** Whether a journal is that of a file whose ranges have their own journals. */
  public static boolean isCut(PartialJournal.Content journal) {
    return journal.header().cut().isPresent() && journal.kept().isEmpty();
  }

  /** Whether a transfer of the whole file resumes the existing one. */
  public static boolean isContinuedAsWhole(PartialJournal.Content journal, SourceVersion version) {
    return !isCut(journal)
        && !journal.kept().isEmpty()
        && journal.header().source().looksLike(version);
  }

  /** Removes a temporary file and its journal, whose lock the caller holds. */
  public static void unlink(Directory directory, long number) throws FdtException {
    int pinned = directory.pin();
    try {
      Syscalls.unlink(pinned, TemporaryName.Kind.PART.name(number));
      PartialJournal.remove(pinned, number);
    } finally {
      directory.unpin();
    }
  }

  /** Removes the journals of ranges beside a file whose lock the caller holds exclusively. */
  public static void removeRanges(Directory directory, FileName name, FileCut cut)
      throws FdtException {
    for (int index = 0; index < cut.count(); index++) {
      unlink(directory, TemporaryName.number(name, cut.range(index).start()));
    }
  }

  /**
   * The ranges in journals of ranges.
   *
   * @param file header of the file's journal
   * @param trust decides about ranges that were not verified on the device
   */
  public static List<Kept> ranges(Directory directory, JournalHeader file, Trust trust)
      throws FdtException {
    List<Kept> all = new ArrayList<>();
    FileCut cut = file.cut().orElseThrow();
    for (int index = 0; index < cut.count(); index++) {
      all.add(range(directory, file, cut.range(index), trust));
    }
    return all;
  }

  /** The content of one range's journal. */
  public static Kept range(Directory directory, JournalHeader file, Range range, Trust trust)
      throws FdtException {
    Kept nothing = new Kept(file.source(), false, new KeptRanges());
    PartialJournal.Content journal;
    try {
      journal = PartialJournal.read(directory, TemporaryName.number(file.name(), range.start()));
    } catch (UnknownJournalException e) {
      return nothing;
    }
    if (journal == null || !journal.header().isOfRangeOf(file)) {
      return nothing;
    }
    boolean isVerified = journal.header().isOfBoot(file.bootHigh(), file.bootLow());
    if (!isVerified && !journal.header().isOfBoot(0, file.bootLow())) {
      return nothing; // of an earlier partial file of the same version
    }
    KeptRanges all = new KeptRanges();
    for (CheckedRange kept : journal.kept().ranges()) {
      if (kept.start() >= range.start()
          && kept.end() <= range.end()
          && (isVerified || trust.holds(kept))) {
        all.add(kept);
      }
    }
    return new Kept(journal.header().source(), isVerified, all);
  }

  /** Whether a whole range is verified and on the device. */
  public static boolean isVerified(Directory directory, JournalHeader file, Range range)
      throws FdtException {
    Kept kept = range(directory, file, range, one -> false);
    return kept.isVerified()
        && kept.ranges().covers(new CheckedRange(range.start(), range.end(), 0));
  }
}
