package io.fdt.storage.local.destination.replace;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.LeftoverVisitor;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.destination.partial.AbandonedFile;
import io.fdt.storage.local.destination.partial.PartialJournal;
import io.fdt.storage.local.destination.partial.UnknownJournalException;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryListing;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.IdleDirectories;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The temporary files that transfers left beneath a directory; links are not followed.
 *
 * <p>Only names of {@link TemporaryName} are examined or removed: regular files, and replaced
 * entries of any kind. Memory: the names of subdirectories at each level. Confined to the calling
 * thread.
 */
public final class StalePartials {
  private record Step(Directory directory, Deque<FileName> subdirectories) {}

  private final boolean remove;
  private final LeftoverVisitor visitor;

  private StalePartials(boolean remove, LeftoverVisitor visitor) {
    this.remove = remove;
    this.visitor = visitor;
  }

  /**
   * Visits all temporary files beneath a directory.
   *
   * @param start links on the way to it are followed
   * @param remove whether to remove abandoned files
   * @throws FdtException when {@code start} cannot be opened as a directory
   */
  public static void visit(BytePath start, boolean remove, LeftoverVisitor visitor)
      throws FdtException {
    try (DirectoryScope scope = new DirectoryScope(IdleDirectories.OF_PROCESS)) {
      new StalePartials(remove, visitor).descend(Directory.at(scope, start, start));
    }
  }

  private void descend(Directory start) {
    Deque<Step> way = new ArrayDeque<>();
    way.push(new Step(start, examine(start)));
    while (!way.isEmpty()) {
      Step step = way.peek();
      FileName next = step.subdirectories().poll();
      if (next == null) {
        way.pop();
        continue;
      }
      try {
        Directory child = step.directory().child(start.scope(), next);
        way.push(new Step(child, examine(child)));
      } catch (FdtException e) {
        visitor.failed(step.directory().pathOf(next), e);
      }
    }
  }

  /**
   * Handles the temporary files of one directory.
   *
   * @return the names of its subdirectories
   */
  private Deque<FileName> examine(Directory directory) {
    Deque<FileName> subdirectories = new ArrayDeque<>();
    Map<Long, List<FileName>> byNumber = new TreeMap<>();
    Set<Long> replaced = new TreeSet<>();
    try {
      forEachName(
          directory,
          (name, mayBeDirectory) -> {
            if (TemporaryName.isOld(name.bytes())) {
              replaced.add(TemporaryName.numberIn(name.bytes()));
            } else if (mayBeDirectory && isDirectory(directory, name)) {
              subdirectories.add(name);
            } else if (TemporaryName.isTemporary(name.bytes())) {
              byNumber
                  .computeIfAbsent(
                      TemporaryName.numberIn(name.bytes()), number -> new ArrayList<>())
                  .add(name);
            }
          });
      Map<Long, FileName> finalNames = finalNames(directory, byNumber);
      for (Map.Entry<Long, List<FileName>> group : byNumber.entrySet()) {
        FileName finalName = finalNames.get(group.getKey());
        String finalPath = finalName == null ? "" : directory.pathOf(finalName);
        deal(directory, group.getKey(), group.getValue(), finalPath);
      }
      for (long number : replaced) {
        dealWithReplaced(directory, number);
      }
    } catch (FdtException e) {
      visitor.failed(directory.path(), e);
    }
    return subdirectories;
  }

  /** Handles an entry that a dead transfer had replaced. */
  private void dealWithReplaced(Directory directory, long number) throws FdtException {
    FileName name = TemporaryName.Kind.OLD.name(number);
    String path = directory.pathOf(name);
    FileName noted = ReplacedName.nameIn(directory, number);
    String finalPath = noted == null ? "" : directory.pathOf(noted);
    ReplacedName.State state;
    try {
      state = ReplacedName.settle(directory, number, remove);
    } catch (FdtException e) {
      visitor.failed(path, e);
      return;
    }
    if (state != ReplacedName.State.REPLACED) {
      boolean isBack = state == ReplacedName.State.PUT_BACK;
      visitor.leftover(new LeftoverVisitor.Leftover(path, 0, finalPath, !isBack, isBack));
      return;
    }
    if (directory.find(name) == null) {
      return; // there was only the note
    }
    Replaced replaced = new Replaced();
    Disposal disposal = remove ? Disposal.REMOVE : Disposal.PRETEND;
    try {
      new RemoveTree(directory.scope(), disposal, true, replaced)
          .remove(directory, name, List.of());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    visitor.leftover(new LeftoverVisitor.Leftover(path, replaced.bytes, finalPath, false, false));
  }

  private final class Replaced implements RemoveTree.Visitor {
    private long bytes;

    @Override
    public void removed(String path, Attributes what) {
      bytes += what.is(EntryKind.FILE) ? what.size() : 0;
    }

    @Override
    public void failed(String path, FdtException cause) {
      visitor.failed(path, cause);
    }
  }

  private interface NameVisitor {
    void name(FileName name, boolean mayBeDirectory) throws FdtException;
  }

  private static void forEachName(Directory directory, NameVisitor names) throws FdtException {
    try (DirectoryListing listing =
        DirectoryListing.open(directory, DirectoryListing.newBuffer())) {
      while (listing.next()) {
        if (FileName.flawOf(listing.name()) == null) {
          names.name(
              FileName.of(listing.name()),
              listing.type() == Flags.DT_DIR || listing.type() == Flags.DT_UNKNOWN);
        }
      }
    }
  }

  private static boolean isDirectory(Directory directory, FileName name) throws FdtException {
    Attributes attributes = directory.find(name);
    return attributes != null && attributes.is(EntryKind.DIRECTORY);
  }

  /** The final names of the files: from the journal, or from an older file of that name. */
  private static Map<Long, FileName> finalNames(
      Directory directory, Map<Long, List<FileName>> byNumber) throws FdtException {
    Map<Long, FileName> found = new HashMap<>();
    for (long number : byNumber.keySet()) {
      FileName name = nameInJournal(directory, number);
      if (name != null) {
        found.put(number, name);
      }
    }
    if (found.size() < byNumber.size()) {
      forEachName(
          directory,
          (name, mayBeDirectory) -> {
            long number = TemporaryName.number(name);
            if (byNumber.containsKey(number)) {
              found.putIfAbsent(number, name);
            }
          });
    }
    return found;
  }

  /** The final name in a journal, for display; null if it has none. */
  private static FileName nameInJournal(Directory directory, long number) {
    try {
      PartialJournal.Content content = PartialJournal.read(directory, number);
      boolean isIts = content != null && TemporaryName.number(content.header().name()) == number;
      return isIts ? content.header().name() : null;
    } catch (FdtException | UnknownJournalException e) {
      return null;
    }
  }

  private void deal(Directory directory, long number, List<FileName> names, String finalPath)
      throws FdtException {
    List<LeftoverVisitor.Leftover> files = new ArrayList<>();
    for (FileName name : names) {
      Attributes attributes = directory.find(name);
      if (attributes != null && attributes.is(EntryKind.FILE)) {
        files.add(
            new LeftoverVisitor.Leftover(
                directory.pathOf(name), attributes.size(), finalPath, false, false));
      }
    }
    if (files.isEmpty()) {
      return;
    }
    int pinned = directory.pin();
    int result;
    try {
      result =
          remove ? AbandonedFile.remove(pinned, number) : AbandonedFile.examine(pinned, number);
      if (result == -Errno.ENOENT) {
        // A journal without a file: a transfer creates the file first and removes the journal last.
        result = remove ? AbandonedFile.removeJournalAlone(pinned, number) : 0;
      }
    } finally {
      directory.unpin();
    }
    if (result < 0 && result != AbandonedFile.IN_USE) {
      visitor.failed(files.get(0).path(), Errno.ofName(-result, "remove", files.get(0).path()));
      return;
    }
    boolean inUse = result == AbandonedFile.IN_USE;
    for (LeftoverVisitor.Leftover file : files) {
      visitor.leftover(
          new LeftoverVisitor.Leftover(file.path(), file.bytes(), finalPath, inUse, false));
    }
  }
}
