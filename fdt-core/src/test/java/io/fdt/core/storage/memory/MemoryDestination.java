package io.fdt.core.storage.memory;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.journal.KeptRanges;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.PartialFile;
import io.fdt.core.storage.TimeSteps;
import io.fdt.core.storage.memory.MemoryFiles.Node;
import io.fdt.core.storage.memory.MemoryFiles.Partial;
import io.fdt.core.storage.name.FoldedName;
import io.fdt.core.storage.stream.InOrderFile;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Writes to {@link MemoryFiles} beneath one directory. Any thread. */
final class MemoryDestination implements DestinationTree {
  private final MemoryFiles files;
  private final BytePath destination;
  private final Capabilities capabilities;
  private final boolean foldsNames;
  private final boolean keepsPartials;
  private final Set<Node> growing = ConcurrentHashMap.newKeySet();
  private Place base;

  MemoryDestination(
      MemoryFiles files,
      BytePath destination,
      Capabilities capabilities,
      boolean foldsNames,
      boolean keepsPartials) {
    this.files = files;
    this.destination = destination;
    this.capabilities = capabilities;
    this.foldsNames = foldsNames;
    this.keepsPartials = keepsPartials;
  }

  @Override
  public Base open(List<Root> roots) throws FdtException {
    base = new Place("", files.root(), false);
    for (FileName name : destination.names()) {
      base = base.makeDirectory(name);
    }
    return new Base(base, null);
  }

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public void force() {}

  @Override
  public void delete(List<List<FileName>> roots, boolean pretend, DeletionRules rules)
      throws InterruptedException {
    for (List<FileName> root : roots) {
      Node directory = base.node;
      for (FileName name : root) {
        directory = directory.names.get(name);
      }
      delete(directory, root, List.of(), pretend, rules);
    }
  }

  private void delete(
      Node directory, List<FileName> root, List<FileName> way, boolean pretend, DeletionRules rules)
      throws InterruptedException {
    for (FileName name : directory.names.keySet()) {
      Node node = directory.names.get(name);
      List<FileName> path = with(joined(root, way), name);
      if (rules.isLeftOut(way, name, node.isDirectory())) {
        continue;
      }
      if (!rules.isKnown(joined(root, way), name) && rules.lacking(List.of(path)).get(0)) {
        if (!pretend) {
          directory.names.remove(name);
        }
        rules.deleted(path.toString(), node.kind);
      } else if (node.isDirectory() && way.size() + 1 < rules.maxDepth()) {
        delete(node, root, with(way, name), pretend, rules);
      }
    }
  }

  private static List<FileName> joined(List<FileName> some, List<FileName> others) {
    List<FileName> all = new ArrayList<>(some);
    all.addAll(others);
    return all;
  }

  private static List<FileName> with(List<FileName> some, FileName one) {
    return joined(some, List.of(one));
  }

  @Override
  public void close() {
    growing.clear();
  }

  private final class Place implements DestinationDirectory {
    private final String path;
    private final Node node;
    private final boolean fresh;
    private final Set<FileName> unfinished = ConcurrentHashMap.newKeySet();

    Place(String path, Node node, boolean fresh) {
      this.path = path;
      this.node = node;
      this.fresh = fresh;
    }

    /** The key of a name: the one that is there, where names are folded. */
    private FileName key(FileName name) {
      if (foldsNames) {
        byte[] folded = FoldedName.of(name);
        for (FileName there : node.names.keySet()) {
          if (Arrays.equals(FoldedName.of(there), folded)) {
            return there;
          }
        }
      }
      return name;
    }

    private Node there(FileName name) {
      return node.names.get(key(name));
    }

    private String pathOf(FileName name) {
      return path.isEmpty() ? name.toString() : path + "/" + name;
    }

    @Override
    public long journaledBytes() {
      return keepsPartials ? 1 : Long.MAX_VALUE;
    }

    @Override
    public DiskId disk() {
      return MemoryStorage.DISK;
    }

    @Override
    public boolean isFresh() {
      return fresh;
    }

    @Override
    public String path() {
      return path;
    }

    @Override
    public boolean folds(FileName name) {
      return foldsNames;
    }

    @Override
    public Optional<Attributes> find(FileName name) {
      return Optional.ofNullable(there(name)).map(Node::attributes);
    }

    @Override
    public Place makeDirectory(FileName name) throws FdtException {
      Node there = there(name);
      if (there != null && !there.isDirectory()) {
        throw new FdtException(ErrorCode.WRONG_KIND, "'" + pathOf(name) + "' is not a directory");
      }
      Node made = there == null ? new Node(EntryKind.DIRECTORY) : there;
      node.names.put(key(name), made);
      return new Place(pathOf(name), made, there == null);
    }

    @Override
    public DestinationDirectory replaceByDirectory(FileName name) throws FdtException {
      node.names.remove(key(name));
      return makeDirectory(name);
    }

    @Override
    public boolean mayRemoveDirectory(FileName name, List<FileName> way, DeletionRules rules) {
      return true;
    }

    @Override
    public void letReplace(FileName name, List<FileName> way, DeletionRules rules) {
      node.names.remove(key(name));
    }

    @Override
    public ExistingFile openExisting(FileName name, Attributes seen) throws FdtException {
      Node there = there(name);
      if (there == null || there.identity != seen.inode()) {
        throw new FdtException(ErrorCode.SOURCE_CHANGED, "'" + pathOf(name) + "' was replaced");
      }
      return new Existing(files, there);
    }

    @Override
    public boolean agrees(Attributes seen, int mode, Timestamp modified, FileMetadata metadata) {
      boolean hasMode = !keeps(Aspect.MODE) || seen.mode() == mode;
      return hasMode && (modified == null || seen.modified().equals(kept(modified)));
    }

    @Override
    public boolean wouldChange(int mode, Timestamp modified, Owner owner) {
      return !agrees(node.attributes(), mode, modified, FileMetadata.NONE);
    }

    @Override
    public void refresh(
        ExistingFile file,
        int mode,
        Timestamp modified,
        FileMetadata metadata,
        Consumer<FdtException> warnings) {
      set(((Existing) file).node, mode, modified);
    }

    @Override
    public boolean makeLink(
        FileName name,
        BytePath target,
        Timestamp modified,
        Owner owner,
        Consumer<FdtException> warnings) {
      if (!capabilities.links()) {
        throw new AssertionError("a link: '" + pathOf(name) + "'");
      }
      Node link = new Node(EntryKind.SYMLINK);
      link.target = target;
      set(link, 0777, modified);
      Node before = node.names.put(key(name), link);
      return before == null || !before.target.equals(target);
    }

    @Override
    public void attach(FileMetadata metadata, Consumer<FdtException> warnings) {}

    @Override
    public boolean makeHardLink(
        FileName name, DestinationDirectory first, FileName firstName, long size) {
      if (keeps(Aspect.HARD_LINKS)) {
        node.names.put(key(name), ((Place) first).there(firstName));
      }
      return keeps(Aspect.HARD_LINKS); // otherwise it gets a copy
    }

    @Override
    public PendingFile create(FileName name, FileShape shape) throws FdtException {
      if (!unfinished.add(key(name))) {
        throw new FdtException(
            ErrorCode.IN_USE, "another transfer is writing '" + pathOf(name) + "'; wait for it");
      }
      Growing file = new Growing(this, name, shape);
      growing.add(file.node);
      return capabilities.writesRandomly() ? file : new InOrderFile(file, capabilities.window());
    }

    @Override
    public PartialFile findPartial(FileName name, SourceVersion version) {
      Partial left = node.partials.get(key(name));
      return left == null ? PartialFile.NONE : PartialFile.of(left.journal().ranges(), true);
    }

    @Override
    public List<FdtException> finish(int mode, Timestamp modified, Durability durability) {
      set(node, mode, modified);
      return List.of();
    }

    @Override
    public void force() {}

    @Override
    public void close() {}
  }

  private boolean keeps(Aspect aspect) {
    return capabilities.aspects().contains(aspect);
  }

  private Timestamp kept(Timestamp modified) {
    return TimeSteps.roundedDown(modified, capabilities.timeStep());
  }

  private void set(Node node, int mode, Timestamp modified) {
    node.mode = keeps(Aspect.MODE) ? mode : 0644;
    if (modified != null && keeps(Aspect.TIMES)) {
      node.modified = kept(modified);
    }
  }

  private record Existing(MemoryFiles files, Node node)
      implements DestinationDirectory.ExistingFile {
    @Override
    public int read(ByteBuf target, int length, long offset) throws FdtException {
      files.beforeRead.run();
      return MemoryFiles.append(node.bytes, target, length, offset);
    }

    @Override
    public void close() {}
  }

  /** A file without a name. */
  private final class Growing implements DestinationDirectory.PendingFile {
    private final Place place;
    private final FileName name;
    private final Node node;
    private final KeptRanges journal = new KeptRanges();

    /** Bytes that an append-only storage holds so far. */
    private long end;

    Growing(Place place, FileName name, FileShape shape) {
      this.place = place;
      this.name = name;
      if (shape.kept().isEmpty()) {
        node = new Node(EntryKind.FILE);
        node.bytes = new byte[Math.toIntExact(Math.max(0, shape.size()))];
      } else {
        node = place.node.partials.get(place.key(name)).file();
        shape.kept().forEach(journal::add);
      }
      if (keepsPartials) {
        place.node.partials.put(place.key(name), new Partial(node, journal));
      }
    }

    private void checkOpen(long offset, long length) throws FdtException {
      if (!growing.contains(node)) {
        throw new FdtException(
            ErrorCode.CANCELLED, "'" + place.pathOf(name) + "' was closed before it was done");
      }
      if (!capabilities.writesRandomly() && offset != end) {
        throw new AssertionError("a write at %d instead of %d".formatted(offset, end));
      }
      end = offset + length;
    }

    @Override
    public synchronized void write(ByteBuf source, long offset) throws FdtException {
      int length = source.readableBytes();
      checkOpen(offset, length);
      source.getBytes(source.readerIndex(), node.bytes, Math.toIntExact(offset), length);
    }

    @Override
    public synchronized void makeHole(Range range) throws FdtException {
      checkOpen(range.start(), range.length());
    }

    @Override
    public int read(ByteBuf target, int length, long offset) {
      return MemoryFiles.append(node.bytes, target, length, offset);
    }

    @Override
    public void forget(LongConsumer forced) {}

    @Override
    public void attach(FileMetadata metadata, Consumer<FdtException> warnings) {}

    @Override
    public void keep(CheckedRange range) {
      journal.add(range);
    }

    @Override
    public void publish(int mode, Timestamp modified, Durability durability) {
      set(node, mode, modified);
      place.node.names.put(place.key(name), node);
      discard();
    }

    @Override
    public void discard() {
      place.node.partials.remove(place.key(name));
      close();
    }

    @Override
    public void close() {
      if (growing.remove(node)) {
        place.unfinished.remove(place.key(name));
      }
    }
  }
}
