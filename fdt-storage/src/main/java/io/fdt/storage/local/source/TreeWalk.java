package io.fdt.storage.local.source;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Selection;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.core.storage.operand.MergedNames;
import io.fdt.core.storage.operand.OperandArrivals;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryListing;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.LinkFollower;
import io.fdt.storage.posix.Flags;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A depth-first walk through operands and their content.
 *
 * <p>For each directory, files and links come first, as the file system lists them, then its
 * subdirectories. Memory: the names of subdirectories still to visit at each level; one listing is
 * open at a time. Confined to one thread.
 */
final class TreeWalk {

  /** Opens a file found by the walk. */
  interface FileFactory {
    SourceTree.SourceFile of(Directory directory, FileName name, Attributes attributes);
  }

  /**
   * A directory whose subdirectories are still to visit.
   *
   * @param path its names from the named directory; also empty when names do not matter
   * @param depth 1 for the named directory
   */
  private record Step(
      Directory directory,
      long id,
      Iterator<FileName> subdirectories,
      List<int[]> path,
      int depth) {}

  private final SourcePaths paths;
  private final DirectoryScope scope;
  private final FileFactory files;
  private final SourceTree.Visitor visitor;
  private final Selection selection;
  private final WalkedLinks links;
  private final boolean recursive;
  private final MetadataReader metadata;
  private final ByteBuffer names = DirectoryListing.newBuffer();
  private final Map<List<FileName>, Long> implied = new HashMap<>();
  private final Deque<Long> impliedInOrder = new ArrayDeque<>();
  private long lastId = Entry.ROOT;

  /** The current place; null at the root above exports. */
  private volatile Place place;

  /** A directory being listed, or an entry in it being opened. */
  private record Place(Directory directory, FileName name) {}

  /** Names in directories, selected or not. */
  private long listed;

  /** The names that several operands share; null if no two files can share a path. */
  private MergedNames merged;

  /**
   * @param recursive whether a named link may lead to a directory
   */
  TreeWalk(
      SourcePaths paths,
      DirectoryScope scope,
      boolean recursive,
      Selection selection,
      Preservation kept,
      FileFactory files,
      SourceTree.Visitor visitor) {
    this.paths = paths;
    this.scope = scope;
    this.files = files;
    this.visitor = visitor;
    this.recursive = recursive;
    this.selection = selection;
    this.links = new WalkedLinks(kept.links(), paths, scope, visitor);
    this.metadata = new MetadataReader(kept, visitor, FileMetadata.MAX_FIRST_NAMES);
  }

  /** The current directory, for messages. Any thread. */
  String place() {
    Place now = place;
    return now == null ? "" : SourcePaths.pathOf(now.directory(), now.name());
  }

  /**
   * Visits all operands, then ends the directories that their new names imply.
   *
   * @return the empty ones among the directory operands
   */
  List<FoundOperand> run(List<FoundOperand> operands) throws InterruptedException {
    merged = MergedNames.of(operands);
    List<FoundOperand> empty = new ArrayList<>();
    for (FoundOperand operand : operands) {
      checkOpen();
      long before = listed;
      visit(operand);
      if (operand.isDirectory() && operand.directory() != null && listed == before) {
        empty.add(operand);
      }
    }
    while (!impliedInOrder.isEmpty()) {
      visitor.directoryEnd(impliedInOrder.pop());
    }
    return empty;
  }

  private void visit(FoundOperand operand) throws InterruptedException {
    if (operand.isContents()) {
      descend(operand.directory(), Entry.ROOT);
      return;
    }
    int last = operand.arrival().size() - 1;
    Attributes attributes = operand.attributes();
    if (!operand.isDirectory()) {
      try {
        attributes =
            taken(List.of(), operand.name(), operand.directory(), operand.name(), attributes);
      } catch (FdtException e) {
        visitor.failed(operand.directory().pathOf(operand.name()), vanishedOr(e));
        return;
      }
      if (attributes == null) {
        return;
      }
    }
    long parent = impliedDirectory(operand.arrival().subList(0, last));
    FileName name = operand.arrival().get(last);
    if (operand.isDirectory()) {
      descend(
          operand.directory(),
          directoryEntry(parent, name, operand.directory(), operand.attributes()));
    } else if (operand.attributes().is(EntryKind.SYMLINK)) {
      link(parent, name, operand);
    } else {
      leaf(parent, name, operand.directory(), operand.name(), attributes);
    }
  }

  /** Visits an operand that is a link. */
  private void link(long parent, FileName name, FoundOperand operand) throws InterruptedException {
    LinkFollower.Target target =
        links.target(
            operand.directory(), operand.directory(), operand.name(), operand.attributes());
    if (target == null) {
      return;
    }
    if (target.isDirectory() && !recursive) {
      String path = operand.directory().pathOf(operand.name());
      visitor.failed(path, OperandArrivals.directoryWithoutRecursion(path));
    } else if (target.isDirectory()) {
      descend(
          target.directory(),
          directoryEntry(parent, name, target.directory(), target.attributes()));
    } else {
      Directory directory = target.directory();
      try {
        Attributes measured = UnsizedFiles.measure(directory, target.name(), target.attributes());
        leaf(parent, name, directory, target.name(), measured);
      } catch (FdtException e) {
        visitor.failed(directory.pathOf(target.name()), vanishedOr(e));
      }
    }
  }

  /** The id of the directory with these names beneath the destination; visits new ones. */
  private long impliedDirectory(List<FileName> arrival) throws InterruptedException {
    long parent = Entry.ROOT;
    for (int i = 1; i <= arrival.size(); i++) {
      List<FileName> path = List.copyOf(arrival.subList(0, i));
      Long known = implied.get(path);
      if (known == null) {
        visitor.entry(
            new Entry(
                ++lastId,
                parent,
                arrival.get(i - 1),
                EntryKind.DIRECTORY,
                0,
                OperandArrivals.IMPLIED_MODE,
                null,
                BytePath.EMPTY),
            null);
        known = lastId;
        begin(known, parent, arrival.get(i - 1));
        implied.put(path, known);
        impliedInOrder.push(known);
      }
      parent = known;
    }
    return parent;
  }

  /** Visits everything beneath an already visited directory, and ends it. */
  private void descend(Directory start, long startId) throws InterruptedException {
    Deque<Step> way = new ArrayDeque<>();
    way.push(list(start, start, startId, List.of(), 1));
    while (!way.isEmpty()) {
      checkOpen();
      Step step = way.peek();
      if (!step.subdirectories().hasNext()) {
        way.pop();
        end(step.id());
        continue;
      }
      FileName name = step.subdirectories().next();
      place = step.directory() == null ? null : new Place(step.directory(), name);
      List<int[]> path = pathOf(step.path(), name);
      boolean isTaken = selection.takesName(path, true);
      if (isTaken && passesBy(start, step, name)) {
        continue;
      }
      Directory child = isTaken ? open(start, step.directory(), name) : null;
      if (child == null || leadsBack(way, step.directory(), name, child)) {
        continue;
      }
      Attributes attributes = attributesOf(child);
      if (attributes == null) {
        continue;
      }
      long id = directoryEntry(step.id(), name, child, attributes);
      if (selection.oneFileSystem() && start != null && !onOneFileSystem(start, child)) {
        end(id);
      } else {
        way.push(list(start, child, id, path, step.depth() + 1));
      }
    }
  }

  /**
   * Whether a name is the root of an excluded file system, sent as an empty directory. That file
   * system is not accessed: it may be dead or hang.
   */
  private boolean passesBy(Directory start, Step step, FileName name) throws InterruptedException {
    if (!selection.oneFileSystem() || start == null || step.directory() == null) {
      return false;
    }
    try {
      Attributes known = step.directory().known(name);
      if (known == null
          || !known.is(EntryKind.DIRECTORY)
          || known.device() == start.firstSeen().device()) {
        return false;
      }
      end(directoryEntry(step.id(), name, null, known));
      return true;
    } catch (FdtException e) {
      return false; // opening it reports the error
    }
  }

  /**
   * The attributes of a directory; null if it is gone, which is reported. Those of an export are
   * read again, because it was opened long ago.
   */
  private Attributes attributesOf(Directory child) {
    try {
      return child.parent() == null ? child.current() : child.firstSeen();
    } catch (FdtException e) {
      visitor.failed(child.path(), vanishedOr(e));
      return null;
    }
  }

  private boolean leadsBack(Deque<Step> way, Directory parent, FileName name, Directory child) {
    return links.leadsBack(
        way.stream().map(Step::directory).filter(Objects::nonNull), parent, name, child);
  }

  private static boolean onOneFileSystem(Directory one, Directory other) {
    return one.firstSeen().device() == other.firstSeen().device();
  }

  private List<int[]> pathOf(List<int[]> parent, FileName name) {
    if (!selection.looksAtNames()) {
      return List.of();
    }
    List<int[]> path = new ArrayList<>(parent);
    path.add(selection.characters(name));
    return path;
  }

  /**
   * The attributes of a selected file or link; otherwise null.
   *
   * @param name as matched by patterns
   * @param directory that holds the file
   */
  private Attributes taken(
      List<int[]> parent, FileName name, Directory directory, FileName file, Attributes found)
      throws FdtException {
    if (!selection.takesName(pathOf(parent, name), false)) {
      return null;
    }
    Attributes measured = UnsizedFiles.measure(directory, file, found);
    return !measured.is(EntryKind.FILE) || selection.takesFile(measured.size(), measured.modified())
        ? measured
        : null;
  }

  private void begin(long id, long parent, FileName name) {
    if (merged != null) {
      merged.directory(id, parent, name);
    }
  }

  private void end(long id) throws InterruptedException {
    if (id != Entry.ROOT) {
      if (merged != null) {
        merged.end(id);
      }
      visitor.directoryEnd(id);
    }
  }

  private Directory open(Directory start, Directory parent, FileName name) {
    try {
      if (links.areFollowed() && parent != null) {
        Attributes found = parent.get(name);
        if (found.is(EntryKind.SYMLINK)) {
          LinkFollower.Target target = links.target(start, parent, name, found);
          return target != null && target.isDirectory() ? target.directory() : null;
        }
      }
      return paths.child(parent, name);
    } catch (FdtException e) {
      visitor.failed(SourcePaths.pathOf(parent, name), vanishedOr(e));
      return null;
    }
  }

  private long directoryEntry(
      long parent, FileName name, Directory directory, Attributes attributes)
      throws InterruptedException {
    visitor.entry(
        new Entry(
            ++lastId,
            parent,
            name,
            EntryKind.DIRECTORY,
            0,
            attributes.mode(),
            attributes.modified(),
            BytePath.EMPTY,
            FileStamp.NONE,
            metadata.ofDirectory(directory, attributes)),
        null);
    begin(lastId, parent, name);
    return lastId;
  }

  /** Visits the files of a directory, before its subdirectories. */
  private Step list(Directory start, Directory directory, long id, List<int[]> path, int depth)
      throws InterruptedException {
    if (directory == null) {
      return new Step(null, id, paths.exportNames().iterator(), path, depth);
    }
    place = new Place(directory, null);
    List<FileName> subdirectories = new ArrayList<>();
    try (DirectoryListing listing = DirectoryListing.open(directory, names)) {
      while (listing.next()) {
        checkOpen();
        listed++;
        visitListed(start, directory, id, path, listing, subdirectories);
      }
    } catch (FdtException e) {
      visitor.failed(directory.path(), e);
    }
    if (depth >= selection.maxDepth()) {
      subdirectories.clear();
    }
    return new Step(directory, id, subdirectories.iterator(), path, depth);
  }

  /** Ends the walk of a closed tree: the transfer has ended. */
  private void checkOpen() throws InterruptedException {
    if (scope.isClosed() || Thread.interrupted()) {
      throw new InterruptedException("the walk was cancelled");
    }
  }

  private void visitListed(
      Directory start,
      Directory directory,
      long id,
      List<int[]> path,
      DirectoryListing listing,
      List<FileName> subdirectories)
      throws InterruptedException {
    String flaw = FileName.flawOf(listing.name());
    if (flaw != null) {
      visitor.failed(directory.path(), new FdtException(ErrorCode.BAD_NAME, flaw));
      return;
    }
    FileName name = FileName.of(listing.name());
    if (!selection.canDecode(name)) {
      visitor.failed(directory.pathOf(name), Selection.notEncoded(name));
      return;
    }
    if (listing.type() == Flags.DT_DIR) {
      subdirectories.add(name);
      return;
    }
    try {
      Attributes attributes = directory.get(name);
      if (attributes.is(EntryKind.SYMLINK) && !links.areCopied()) {
        linkListed(start, directory, id, path, name, attributes, subdirectories);
      } else if (TemporaryName.isOld(listing.name())) {
        visitor.skipped(
            directory.pathOf(name), "a transfer has replaced it, and did not remove it");
      } else if (attributes.is(EntryKind.DIRECTORY)) {
        subdirectories.add(name);
      } else if (attributes.is(EntryKind.FILE) && TemporaryName.isTemporary(listing.name())) {
        visitor.skipped(directory.pathOf(name), "an unfinished file of a transfer");
      } else {
        Attributes taken = taken(path, name, directory, name, attributes);
        if (taken != null) {
          leaf(id, name, directory, name, taken);
        }
      }
    } catch (FdtException e) {
      visitor.failed(directory.pathOf(name), vanishedOr(e));
    }
  }

  /** Visits the target of a link; directories are queued. */
  private void linkListed(
      Directory start,
      Directory directory,
      long id,
      List<int[]> path,
      FileName name,
      Attributes link,
      List<FileName> subdirectories)
      throws InterruptedException, FdtException {
    LinkFollower.Target target = links.target(start, directory, name, link);
    if (target == null) {
      return;
    }
    if (target.isDirectory()) {
      subdirectories.add(name);
      return;
    }
    Attributes taken = taken(path, name, target.directory(), target.name(), target.attributes());
    if (taken != null) {
      leaf(id, name, target.directory(), target.name(), taken);
    }
  }

  /** Visits an entry other than a directory. */
  private void leaf(
      long parent, FileName arrival, Directory directory, FileName name, Attributes attributes)
      throws InterruptedException {
    if (attributes.kind().isEmpty()) {
      visitor.skipped(directory.pathOf(name), "a device, socket or FIFO");
      return;
    }
    MergedNames.Before before =
        merged == null
            ? MergedNames.Before.NOTHING
            : merged.add(parent, arrival, attributes.identity());
    if (before == MergedNames.Before.ANOTHER_FILE) {
      String path = directory.pathOf(name);
      visitor.failed(path, OperandArrivals.ofAnotherSource(path));
    }
    if (before != MergedNames.Before.NOTHING) {
      return; // sent as a part of another operand
    }
    boolean isFile = attributes.is(EntryKind.FILE);
    BytePath target = BytePath.EMPTY;
    try {
      target = isFile ? BytePath.EMPTY : directory.linkTarget(name);
    } catch (FdtException e) {
      visitor.failed(directory.pathOf(name), vanishedOr(e));
      return;
    }
    Entry entry =
        new Entry(
            ++lastId,
            parent,
            arrival,
            attributes.kind().get(),
            isFile ? attributes.size() : 0,
            attributes.mode(),
            attributes.modified(),
            target,
            attributes.size() >= DestinationDirectory.JOURNALED_BYTES
                ? FileStamp.of(
                    attributes.inode(), attributes.changed(), Instant.now().getEpochSecond())
                : FileStamp.NONE,
            metadata.of(directory, name, attributes, lastId));
    visitor.entry(entry, isFile ? files.of(directory, name, attributes) : null);
  }

  /** The failure of a listed name: NOT_FOUND becomes SOURCE_CHANGED, because the name existed. */
  private static FdtException vanishedOr(FdtException e) {
    return e.code() == ErrorCode.NOT_FOUND
        ? new FdtException(
            ErrorCode.SOURCE_CHANGED,
            "vanished during the transfer: " + e.getMessage() + "; run it again")
        : e;
  }
}
