package io.fdt.storage.local.destination.replace;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryListing;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;

/**
 * Finds names that the source lacks, in directories that a transfer filled, and removes them.
 *
 * <pre>
 *   name at the destination -- in the manifest --> stays (directories are searched)
 *                           '- excluded, unfinished file, backups --> stays
 *                           '- unknown --> query to the source, 512 names at a time --> has it: stays (directories are searched)
 *                                                                                   '-> lacks it: removed
 * </pre>
 *
 * <p>Names are listed 64 KiB at a time. Memory: names that wait for an answer, and the
 * subdirectories still to visit at each level. Directories keep their modification times. Confined
 * to one thread, which may be interrupted.
 */
public final class DeletionWalk {
  private static final int MAX_ASKED = 512;

  /** A name that is not in the manifest. */
  private record Candidate(Step step, FileName name, boolean isDirectory) {
    Directory directory() {
      return step.directory();
    }

    List<FileName> way() {
      return step.way();
    }
  }

  private record Step(
      Directory directory, List<FileName> way, Deque<FileName> subdirectories, int depth) {}

  private final Directory base;
  private final DirectoryScope scope;
  private final DeletionRules rules;
  private final Disposal disposal;
  private final boolean changes;
  private final RemoveTree removal;
  private final ByteBuffer names = DirectoryListing.newBuffer();
  private final List<Candidate> candidates = new ArrayList<>();
  private final BackupPlace backups;

  /** Directories that the source has, but not the remembered part of the manifest. */
  private final Deque<Candidate> unvisited = new ArrayDeque<>();

  private int rootLength;

  /**
   * @param backups kept, with the directories above them unless these are in the manifest; null for
   *     none
   */
  public DeletionWalk(
      Directory base,
      DirectoryScope scope,
      DeletionRules rules,
      Disposal disposal,
      BackupPlace backups) {
    this.base = base;
    this.backups = backups;
    this.scope = scope;
    this.rules = rules;
    this.disposal = disposal;
    this.changes = disposal.changes();
    this.removal = new RemoveTree(scope, disposal, rules.oneFileSystem(), new Report());
  }

  /** Searches one directory that the transfer filled, with its subdirectories in the manifest. */
  public void run(List<FileName> root) throws InterruptedException {
    rootLength = root.size();
    try {
      Directory start = base;
      for (FileName name : root) {
        start = start.child(scope, name);
      }
      descend(start, root);
    } catch (FdtException e) {
      if (e.code() != ErrorCode.NOT_FOUND) { // a dry run created none
        failed(String.join("/", root.stream().map(FileName::toString).toList()), e);
      }
    }
    ask();
  }

  /**
   * Removes a name in the walk's directory, with its content.
   *
   * @param way the names from the transferred directory to the walk's directory
   * @return whether the name is removed, or would be
   */
  public boolean remove(FileName name, List<FileName> way) throws InterruptedException {
    rootLength = 0;
    return removal.remove(base, name, way);
  }

  private void descend(Directory start, List<FileName> root)
      throws FdtException, InterruptedException {
    Deque<Step> way = new ArrayDeque<>();
    way.push(list(start, root, 1));
    while (!way.isEmpty()) {
      Candidate stays = unvisited.poll();
      if (stays != null) {
        enter(start, stays.step(), stays.name(), way);
        continue;
      }
      Step step = way.peek();
      FileName name = step.subdirectories().poll();
      if (name != null) {
        enter(start, step, name, way);
      } else if (way.size() > 1 || candidates.isEmpty()) {
        way.pop();
      } else {
        ask();
      }
    }
  }

  private void enter(Directory start, Step step, FileName name, Deque<Step> way)
      throws InterruptedException {
    try {
      Directory child = step.directory().child(scope, name);
      boolean crosses = child.firstSeen().device() != start.firstSeen().device();
      if (!(crosses && rules.oneFileSystem())) {
        way.push(list(child, extended(step.way(), name), step.depth() + 1));
      }
    } catch (FdtException e) {
      failed(step.directory().pathOf(name), e);
    }
  }

  private static List<FileName> extended(List<FileName> way, FileName name) {
    List<FileName> longer = new ArrayList<>(way);
    longer.add(name);
    return List.copyOf(longer);
  }

  private Step list(Directory directory, List<FileName> way, int depth)
      throws FdtException, InterruptedException {
    Step step = new Step(directory, way, new ArrayDeque<>(), depth);
    try (DirectoryListing listing = disposal.list(directory, names)) {
      while (listing.next()) {
        checkOpen();
        boolean stays =
            FileName.flawOf(listing.name()) != null
                || (TemporaryName.isTemporary(listing.name())
                    && !TemporaryName.isOld(listing.name()));
        if (!stays && !isPutBack(directory, listing.name())) {
          look(step, FileName.of(listing.name()));
        }
      }
    }
    return step;
  }

  /** Whether an entry that a dead transfer had moved aside got its name back, and is kept. */
  private boolean isPutBack(Directory directory, byte[] name) throws InterruptedException {
    try {
      return TemporaryName.isOld(name)
          && ReplacedName.settle(directory, TemporaryName.numberIn(name), changes)
              != ReplacedName.State.REPLACED;
    } catch (FdtException e) {
      failed(directory.path(), e);
      return true;
    }
  }

  private void look(Step step, FileName name) throws FdtException, InterruptedException {
    Attributes found = step.directory().find(name);
    if (found == null || stays(step.way(), name, found)) {
      return;
    }
    if (!rules.isKnown(step.way(), name)) {
      if (backups != null && backups.isBeneath(found)) {
        return;
      }
      candidates.add(new Candidate(step, name, found.is(EntryKind.DIRECTORY)));
      if (candidates.size() == MAX_ASKED) {
        ask();
      }
    } else if (found.is(EntryKind.DIRECTORY) && step.depth() < rules.maxDepth()) {
      step.subdirectories().add(name);
    }
  }

  private boolean stays(List<FileName> way, FileName name, Attributes found) {
    boolean isDirectory = found.is(EntryKind.DIRECTORY);
    if (isDirectory && backups != null && backups.isAt(found)) {
      return true;
    }
    return rules.isLeftOut(way.subList(rootLength, way.size()), name, isDirectory);
  }

  private void ask() throws InterruptedException {
    if (candidates.isEmpty()) {
      return;
    }
    List<List<FileName>> paths = new ArrayList<>(candidates.size());
    candidates.forEach(asked -> paths.add(extended(asked.way(), asked.name())));
    BitSet lacking = rules.lacking(paths);
    for (int i = 0; i < candidates.size(); i++) {
      Candidate candidate = candidates.get(i);
      if (lacking.get(i)) {
        if (!isAnotherSpelling(candidate)) {
          remove(candidate);
        }
      } else if (candidate.isDirectory() && candidate.step().depth() < rules.maxDepth()) {
        unvisited.add(candidate);
      }
    }
    candidates.clear();
  }

  /**
   * Whether a candidate is a name of the manifest in another spelling, which the source does not
   * know.
   */
  private boolean isAnotherSpelling(Candidate candidate) throws InterruptedException {
    Directory directory = candidate.directory();
    try {
      return rules.maySpellAKnownName(candidate.way(), candidate.name())
          && FoldingProbe.folds(directory, candidate.name());
    } catch (FdtException e) {
      failed(directory.pathOf(candidate.name()), e);
      return true;
    }
  }

  private void remove(Candidate candidate) throws InterruptedException {
    checkOpen();
    Directory directory = candidate.directory();
    Timestamp before = changes ? timeOf(directory) : null;
    removal.remove(directory, candidate.name(), candidate.way());
    if (before != null) {
      setTime(directory, before);
    }
  }

  /** The time of a directory; null if unknown: then it is not restored. */
  private static Timestamp timeOf(Directory directory) {
    try {
      int pinned = directory.pin();
      try {
        return Syscalls.statx(pinned) < 0 ? null : Syscalls.attributes().modified();
      } finally {
        directory.unpin();
      }
    } catch (FdtException e) {
      return null;
    }
  }

  private void setTime(Directory directory, Timestamp time) throws InterruptedException {
    try {
      int pinned = directory.pin();
      try {
        int result = Syscalls.setModifiedOfDirectory(pinned, time);
        if (result < 0) {
          throw Errno.ofName(-result, "set the time of the directory", directory.path());
        }
      } finally {
        directory.unpin();
      }
    } catch (FdtException e) {
      failed(directory.path(), e);
    }
  }

  private void failed(String path, FdtException cause) throws InterruptedException {
    checkOpen();
    rules.failed(path, cause);
  }

  private void checkOpen() throws InterruptedException {
    if (scope.isClosed() || Thread.interrupted()) {
      throw new InterruptedException("the deletion was cancelled");
    }
  }

  private final class Report implements RemoveTree.Visitor {
    @Override
    public boolean keeps(List<FileName> way, FileName name, Attributes found) {
      return stays(way, name, found);
    }

    @Override
    public void removed(String path, Attributes what) throws InterruptedException {
      rules.deleted(path, what.kind().orElse(null));
    }

    @Override
    public void failed(String path, FdtException cause) throws InterruptedException {
      rules.failed(path, cause);
    }
  }
}
