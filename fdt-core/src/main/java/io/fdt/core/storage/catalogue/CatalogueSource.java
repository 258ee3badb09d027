package io.fdt.core.storage.catalogue;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Root;
import io.fdt.core.model.Selection;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.name.PathHashes;
import io.fdt.core.storage.operand.Arrived;
import io.fdt.core.storage.operand.MergedNames;
import io.fdt.core.storage.operand.OperandArrivals;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A source over a {@link Catalogue}: finds the operands, walks directories, applies the selection.
 * {@link #roots} and {@link #walk} are confined to one thread at a time.
 */
public final class CatalogueSource implements SourceTree {
  /**
   * An operand that was found.
   *
   * @param name the last name of the path; null for a directory with a trailing slash
   * @param arrival its names beneath the destination; empty for the contents of a directory
   */
  private record Found(BytePath path, FileName name, Catalogue.Item item, List<FileName> arrival)
      implements Arrived {
    @Override
    public boolean isDirectory() {
      return item.isDirectory();
    }
  }

  private record Failure(String path, FdtException reason) {}

  private final Catalogue catalogue;
  private final DiskId disk;
  private final TransferSpec spec;
  private final Selection selection;
  private final int readers;
  private final List<Found> found = new ArrayList<>();
  private final List<Failure> failures = new ArrayList<>();
  private final List<Found> empty = new ArrayList<>();

  /** The names that several operands share; null if no two files can share a path. */
  private MergedNames merged;

  private boolean searched;
  private long lastId = Entry.ROOT;
  private volatile boolean closed;
  private volatile String place = "";

  /** A source with the readers of a local disk. */
  public CatalogueSource(Catalogue catalogue, DiskId disk, TransferSpec spec) {
    this(catalogue, disk, spec, 2);
  }

  /**
   * @param catalogue closed with this
   * @param disk that its reader threads belong to
   * @param readers see {@link SourceTree#readers}
   */
  public CatalogueSource(Catalogue catalogue, DiskId disk, TransferSpec spec, int readers) {
    this.catalogue = catalogue;
    this.readers = readers;
    this.disk = disk;
    this.spec = spec;
    this.selection = spec.selection();
  }

  /** {@inheritDoc} The first call looks up the operands. */
  @Override
  public synchronized List<Root> roots() {
    if (!searched) {
      searched = true;
      OperandArrivals arrivals = new OperandArrivals();
      for (Operand operand : spec.sources()) {
        place = operand.path().toString();
        try {
          find(operand, arrivals);
        } catch (FdtException e) {
          failures.add(new Failure(operand.path().toString(), e));
        }
      }
      place = "";
    }
    return found.stream().map(CatalogueSource::root).toList();
  }

  private void find(Operand operand, OperandArrivals arrivals) throws FdtException {
    BytePath path = operand.path();
    Catalogue.Item item =
        catalogue
            .find(path)
            .orElseThrow(
                () ->
                    new FdtException(
                        ErrorCode.NOT_FOUND, "'" + path + "' does not exist; check the path"));
    if (item.isDirectory() && !spec.recursive()) {
      throw OperandArrivals.directoryWithoutRecursion(path.toString());
    }
    FileName last = catalogue.nameOf(path);
    List<FileName> arrival = operand.arrivalOf(last);
    arrivals.add(path, arrival, item.kind());
    found.add(new Found(path, last, item, arrival));
  }

  private static Root root(Found operand) {
    Catalogue.Item item = operand.item();
    return OperandArrivals.root(operand.arrival(), item.kind(), item.mode(), item.modified());
  }

  @Override
  public String waitsFor() {
    return place;
  }

  @Override
  public void walk(Visitor visitor) throws InterruptedException {
    List<Root> unused = roots();
    failures.forEach(failure -> visitor.failed(failure.path(), failure.reason()));
    Map<List<FileName>, Long> implied = new HashMap<>();
    merged = MergedNames.of(found);
    for (Found operand : found) {
      long parent = Entry.ROOT;
      List<FileName> arrival = operand.arrival();
      for (int i = 1; i < arrival.size(); i++) {
        List<FileName> way = List.copyOf(arrival.subList(0, i));
        Long known = implied.get(way);
        if (known == null) {
          known = entry(visitor, parent, arrival.get(i - 1), null, null);
          implied.put(way, known);
        }
        parent = known;
      }
      visit(visitor, operand, parent);
    }
    for (long id : implied.values().stream().sorted((a, b) -> Long.compare(b, a)).toList()) {
      end(visitor, id);
    }
    place = "";
  }

  private void visit(Visitor visitor, Found operand, long parent) throws InterruptedException {
    List<FileName> arrival = operand.arrival();
    FileName name = arrival.isEmpty() ? null : arrival.get(arrival.size() - 1);
    if (operand.item().isDirectory()) {
      long id = name == null ? parent : entry(visitor, parent, name, operand.item(), null);
      if (!descend(visitor, operand.path(), id, List.of(), 1)) {
        empty.add(operand);
      }
      if (name != null) {
        end(visitor, id);
      }
    } else if (takes(List.of(), operand.name(), operand.item())) {
      leaf(visitor, operand.path(), parent, name, operand.item());
    }
  }

  /**
   * Visits everything beneath a directory.
   *
   * @param chosen its names from the operand on, for patterns
   * @return whether it holds anything, selected or not
   */
  private boolean descend(
      Visitor visitor, BytePath directory, long id, List<int[]> chosen, int depth)
      throws InterruptedException {
    if (closed || Thread.interrupted()) {
      throw new InterruptedException("the walk was cancelled");
    }
    place = directory.toString();
    try {
      Catalogue.Names names = catalogue.list(directory);
      boolean isEmpty = true;
      Catalogue.Listed one;
      while ((one = names.next()) != null) {
        isEmpty = false;
        visit(visitor, directory, one, id, chosen, depth);
      }
      return !isEmpty;
    } catch (FdtException e) {
      visitor.failed(directory.toString(), e);
      return true;
    }
  }

  private void visit(
      Visitor visitor,
      BytePath directory,
      Catalogue.Listed one,
      long id,
      List<int[]> chosen,
      int depth)
      throws InterruptedException {
    BytePath path = directory.resolve(BytePath.of(one.name().bytes()));
    if (!selection.canDecode(one.name())) {
      visitor.failed(path.toString(), Selection.notEncoded(one.name()));
      return;
    }
    if (!one.item().isDirectory()) {
      if (takes(chosen, one.name(), one.item())) {
        leaf(visitor, path, id, one.name(), one.item());
      }
    } else if (depth < selection.maxDepth()) {
      List<int[]> way = with(chosen, selection.characters(one.name()));
      if (selection.takesName(way, true)) {
        long child = entry(visitor, id, one.name(), one.item(), null);
        boolean unused = descend(visitor, path, child, way, depth + 1);
        end(visitor, child);
        place = directory.toString();
      }
    }
  }

  private boolean takes(List<int[]> way, FileName name, Catalogue.Item item) {
    return selection.takesName(with(way, selection.characters(name)), false)
        && selection.takesFile(item.size(), item.modified());
  }

  private void leaf(Visitor visitor, BytePath path, long parent, FileName name, Catalogue.Item item)
      throws InterruptedException {
    MergedNames.Before before =
        merged == null
            ? MergedNames.Before.NOTHING
            : merged.add(parent, name, PathHashes.of(0, path.bytes()));
    switch (before) {
      case NOTHING -> {
        long unused = entry(visitor, parent, name, item, new File(path, item));
      }
      case ANOTHER_FILE ->
          visitor.failed(path.toString(), OperandArrivals.ofAnotherSource(path.toString()));
      case SAME_FILE -> {} // sent as a part of another operand
    }
  }

  private void end(Visitor visitor, long id) throws InterruptedException {
    if (merged != null) {
      merged.end(id);
    }
    visitor.directoryEnd(id);
  }

  /**
   * @param item null for a directory that exists only in the new name of an operand
   * @return its id
   */
  private long entry(
      Visitor visitor, long parent, FileName name, Catalogue.Item item, SourceFile file)
      throws InterruptedException {
    visitor.entry(
        new Entry(
            ++lastId,
            parent,
            name,
            item == null ? EntryKind.DIRECTORY : item.kind(),
            item == null ? 0 : item.size(),
            item == null ? OperandArrivals.IMPLIED_MODE : item.mode(),
            item == null ? null : item.modified(),
            BytePath.EMPTY,
            item != null && item.size() >= DestinationDirectory.JOURNALED_BYTES
                ? item.stamp()
                : FileStamp.NONE,
            FileMetadata.NONE),
        file);
    if (merged != null && file == null) {
      merged.directory(lastId, parent, name);
    }
    return lastId;
  }

  private static <T> List<T> with(List<T> some, T one) {
    List<T> all = new ArrayList<>(some);
    all.add(one);
    return all;
  }

  @Override
  public synchronized List<BytePath> arrivals() {
    return OperandArrivals.ofDirectories(found);
  }

  @Override
  public synchronized List<BytePath> emptyArrivals() {
    return OperandArrivals.ofEmpty(found, empty);
  }

  /** {@inheritDoc} If in doubt, no name is missing. */
  @Override
  public synchronized BitSet lacking(List<List<FileName>> paths) {
    BitSet lacking = new BitSet(paths.size());
    for (int i = 0; i < paths.size(); i++) {
      lacking.set(i, OperandArrivals.lack(found, paths.get(i), this::lacksBeneath));
    }
    return lacking;
  }

  private boolean lacksBeneath(Found operand, List<FileName> path) {
    try {
      return catalogue.find(operand.path().resolve(OperandArrivals.pathOf(path))).isEmpty();
    } catch (FdtException e) {
      return false;
    }
  }

  @Override
  public int readers() {
    return readers;
  }

  @Override
  public boolean isInOrder() {
    return false;
  }

  @Override
  public void close() {
    closed = true;
    catalogue.close();
  }

  private final class File implements SourceFile {
    private final BytePath path;
    private final Catalogue.Item item;

    File(BytePath path, Catalogue.Item item) {
      this.path = path;
      this.item = item;
    }

    @Override
    public DiskId disk() {
      return disk;
    }

    @Override
    public String path() {
      return path.toString();
    }

    @Override
    public BlockReader open() throws FdtException {
      return catalogue.open(path, item);
    }

    @Override
    public void release() {}
  }
}
