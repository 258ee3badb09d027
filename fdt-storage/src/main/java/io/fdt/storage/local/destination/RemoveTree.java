package io.fdt.storage.local.destination;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.TemporaryName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryListing;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.Errno;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Removes a name and, of a directory, everything beneath it: depth first, what a directory holds
 * before the directory itself.
 *
 * <p>Each step is made relative to a directory that is open, and goes into no link: a link is
 * removed itself. So nothing outside of the tree is touched, whoever swaps a name meanwhile. What
 * is no directory goes as it is listed, 64 KiB of names at a time; the names of subdirectories are
 * remembered, those of one directory for each step on the way down. The unfinished file of a
 * running transfer stays.
 *
 * <p>Confined to one thread; its interruption ends it.
 */
public final class RemoveTree {
  /** Decides what stays, and is told what happens. */
  public interface Visitor {
    /**
     * Whether something stays, and so all directories above it. Nothing is told of those.
     *
     * @param way the names that lead to the directory that holds it
     */
    default boolean keeps(List<FileName> way, FileName name, Attributes found) {
      return false;
    }

    /** It is gone (or would be, see {@link Disposal#PRETEND}). */
    void removed(String path, Attributes what) throws InterruptedException;

    /** It is still there. */
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
   * @param scope what directories are opened in; when it is closed the removal ends
   * @param oneFileSystem whether directories on another file system than the one that holds the
   *     tree stay as they are
   */
  public RemoveTree(
      DirectoryScope scope, Disposal disposal, boolean oneFileSystem, Visitor visitor) {
    this.scope = scope;
    this.disposal = disposal;
    this.oneFileSystem = oneFileSystem;
    this.visitor = visitor;
  }

  /**
   * Removes what stands at a name, with all beneath it.
   *
   * @param way the names that lead to {@code parent}, as the visitor shall see them
   * @return whether it is gone
   */
  public boolean remove(Directory parent, FileName name, List<FileName> way)
      throws InterruptedException {
    return remove(parent, name, name, way);
  }

  /**
   * The same of what has another name than the visitor shall see.
   *
   * @param original the name for the visitor
   */
  boolean remove(Directory parent, FileName name, FileName original, List<FileName> way)
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
    checkOpen(); // nothing can be opened once it is closed, which is no news
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

  /** Goes on in a subdirectory, or stays where it is when that cannot be opened. */
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

  /** Opens a directory and removes what in it is no directory. */
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
    return told(parent, name, found, result);
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
      return told(parent, step.name, step.found, result);
    } catch (FdtException e) {
      return fail(parent, step.name, e);
    }
  }

  /** What somebody else has removed is gone, too. */
  private boolean told(Directory parent, FileName name, Attributes found, int result)
      throws FdtException, InterruptedException {
    if (result < 0 && result != -Errno.ENOENT) {
      throw Errno.ofName(-result, "remove", parent.pathOf(name));
    }
    visitor.removed(parent.pathOf(name), found);
    return true;
  }

  private void checkOpen() throws InterruptedException {
    if (scope.isClosed() || Thread.interrupted()) {
      throw new InterruptedException("the removal was ended early");
    }
  }
}
