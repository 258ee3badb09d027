package io.fdt.storage.local.destination.replace;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.destination.partial.AbandonedFile;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryListing;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.posix.Errno;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Removes a name and the content of a directory, depth first.
 *
 * <p>Each step is relative to an open directory and follows no link: links themselves are removed.
 * So nothing outside the tree is touched, whatever names are swapped meanwhile. Files are removed
 * as they are listed, 64 KiB of names at a time; memory holds the names of subdirectories at each
 * level. The unfinished file of a running transfer stays.
 *
 * <p>Confined to one thread, which may be interrupted.
 */
public final class RemoveTree {
  /** Decides which names stay, and receives the results. */
  public interface Visitor {
    /**
     * Whether an entry is kept, with all directories above it, without a report.
     *
     * @param way the names that lead to its directory
     */
    default boolean keeps(List<FileName> way, FileName name, Attributes found) {
      return false;
    }

    /** An entry is removed (or would be, see {@link Disposal#PRETEND}). */
    void removed(String path, Attributes what) throws InterruptedException;

    /** An entry could not be removed. */
    void failed(String path, FdtException cause) throws InterruptedException;
  }

  /** A directory that is being emptied. */
  private static final class Step {
    final Step above;
    final Directory directory;
    final FileName name;
    final Attributes found;
    final List<FileName> way;
    final Deque<FileName> subdirectories = new ArrayDeque<>();
    boolean stays;

    Step(Step above, Directory directory, FileName name, Attributes found, List<FileName> way) {
      this.above = above;
      this.directory = directory;
      this.name = name;
      this.found = found;
      this.way = way;
    }
  }

  private final DirectoryScope scope;
  private final Disposal disposal;
  private final boolean oneFileSystem;
  private final Visitor visitor;
  private final ByteBuffer names = DirectoryListing.newBuffer();

  /**
   * @param scope of the opened directories; closing it ends the removal
   * @param oneFileSystem whether directories on other file systems than the parent of the tree stay
   */
  public RemoveTree(
      DirectoryScope scope, Disposal disposal, boolean oneFileSystem, Visitor visitor) {
    this.scope = scope;
    this.disposal = disposal;
    this.oneFileSystem = oneFileSystem;
    this.visitor = visitor;
  }

  /**
   * Removes an entry with its content.
   *
   * @param way the names that lead to {@code parent}, for the visitor
   * @return whether it is removed
   */
  public boolean remove(Directory parent, FileName name, List<FileName> way)
      throws InterruptedException {
    return remove(parent, name, name, way);
  }

  /**
   * As above, for an entry whose name differs from the one reported.
   *
   * @param original the name for the visitor
   */
  public boolean remove(Directory parent, FileName name, FileName original, List<FileName> way)
      throws InterruptedException {
    try {
      Attributes found = parent.get(name);
      if (visitor.keeps(way, original, found)) {
        return false;
      }
      if (found.is(EntryKind.DIRECTORY)) {
        List<FileName> wayIn = new ArrayList<>(way);
        wayIn.add(original);
        return removeDirectory(parent, name, found, wayIn);
      }
      return removeLeaf(parent, name, found);
    } catch (FdtException e) {
      return fail(parent, name, e);
    }
  }

  private boolean fail(Directory parent, FileName name, FdtException cause)
      throws InterruptedException {
    checkOpen(); // a closed scope opens nothing, which is not an error here
    visitor.failed(parent.pathOf(name), cause);
    return false;
  }

  private boolean removeDirectory(
      Directory parent, FileName name, Attributes found, List<FileName> wayIn)
      throws FdtException, InterruptedException {
    Step start = open(null, parent, name, found, wayIn);
    Step step = start;
    boolean gone = false;
    while (step != null) {
      checkOpen();
      FileName next = step.subdirectories.poll();
      if (next != null) {
        step = into(step, next);
        continue;
      }
      Directory holder = step.above == null ? parent : step.above.directory;
      gone = !step.stays && removeEmptied(holder, step);
      if (!gone && step.above != null) {
        step.above.stays = true;
      }
      step = step.above;
    }
    return gone;
  }

  /** Enters a subdirectory, or remains in the parent when it cannot be opened. */
  private Step into(Step step, FileName name) throws InterruptedException {
    try {
      Attributes found = step.directory.get(name);
      List<FileName> wayIn = new ArrayList<>(step.way);
      wayIn.add(name);
      return open(step, step.directory, name, found, wayIn);
    } catch (FdtException e) {
      step.stays = true;
      fail(step.directory, name, e);
      return step;
    }
  }

  /** Opens a directory and removes its entries other than directories. */
  private Step open(
      Step above, Directory parent, FileName name, Attributes found, List<FileName> wayIn)
      throws FdtException, InterruptedException {
    if (oneFileSystem && found.device() != parent.firstSeen().device()) {
      throw Errno.ofName(Errno.EXDEV, "remove", parent.pathOf(name));
    }
    Directory directory = parent.child(scope, name);
    Step step = new Step(above, directory, name, found, List.copyOf(wayIn));
    try (DirectoryListing listing = disposal.list(directory, names)) {
      while (listing.next()) {
        checkOpen();
        listed(step, listing.name());
      }
    }
    return step;
  }

  private void listed(Step step, byte[] listed) throws InterruptedException {
    String flaw = FileName.flawOf(listed);
    if (flaw != null) {
      step.stays = true;
      visitor.failed(step.directory.path(), new FdtException(ErrorCode.BAD_NAME, flaw));
      return;
    }
    FileName name = FileName.of(listed);
    try {
      Attributes found = step.directory.find(name);
      if (found == null) {
        return;
      }
      if (visitor.keeps(step.way, name, found)) {
        step.stays = true;
      } else if (found.is(EntryKind.DIRECTORY)) {
        step.subdirectories.add(name);
      } else {
        step.stays |= !removeLeaf(step.directory, name, found);
      }
    } catch (FdtException e) {
      step.stays = true;
      fail(step.directory, name, e);
    }
  }

  private boolean removeLeaf(Directory parent, FileName name, Attributes found)
      throws FdtException, InterruptedException {
    int pinned = parent.pin();
    int result;
    try {
      result =
          found.is(EntryKind.FILE)
                  && TemporaryName.isTemporary(name.bytes())
                  && !TemporaryName.isOld(name.bytes())
              ? disposal.temporary(pinned, name)
              : disposal.leaf(parent, pinned, name, found);
    } finally {
      parent.unpin();
    }
    if (result == AbandonedFile.IN_USE) {
      throw new FdtException(
          ErrorCode.IN_USE,
          "'"
              + parent.pathOf(name)
              + "' is being written by another transfer; it stays: try again later");
    }
    return report(parent, name, found, result);
  }

  private boolean removeEmptied(Directory parent, Step step) throws InterruptedException {
    try {
      int pinned = parent.pin();
      int result;
      try {
        result = disposal.directory(parent, pinned, step.name, step.found);
      } finally {
        parent.unpin();
      }
      return report(parent, step.name, step.found, result);
    } catch (FdtException e) {
      return fail(parent, step.name, e);
    }
  }

  /** A name that another process has removed counts as removed. */
  private boolean report(Directory parent, FileName name, Attributes found, int result)
      throws FdtException, InterruptedException {
    if (result < 0 && result != -Errno.ENOENT) {
      throw Errno.ofName(-result, "remove", parent.pathOf(name));
    }
    visitor.removed(parent.pathOf(name), found);
    return true;
  }

  private void checkOpen() throws InterruptedException {
    if (scope.isClosed() || Thread.interrupted()) {
      throw new InterruptedException("the removal was cancelled");
    }
  }
}
