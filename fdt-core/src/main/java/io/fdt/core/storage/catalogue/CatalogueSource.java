package io.fdt.core.storage.catalogue;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.NamePattern;
import io.fdt.core.model.Operand;
import io.fdt.core.model.PathNames;
import io.fdt.core.model.Root;
import io.fdt.core.model.Selection;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.SourceTree;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A source over a {@link Catalogue}: finds the operands, walks directories, applies the selection.
 * {@link #roots} and {@link #walk} are confined to one thread at a time.
 */
public final class CatalogueSource implements SourceTree {
  /** The mode of a directory that exists only in the new name of an operand. */
  private static final int IMPLIED_MODE = 0755;

  /**
   * An operand that was found.
   *
   * @param name the last name of the path; null for a directory with a trailing slash
   * @param arrival its names beneath the destination; empty for the contents of a directory
   */
  private record Found(BytePath path, FileName name, Catalogue.Item item, List<FileName> arrival) {}

  private record Failure(String path, FdtException reason) {}

  private final Catalogue catalogue;
  private final DiskId disk;
  private final TransferSpec spec;
  private final Selection selection;
  private final List<Found> found = new ArrayList<>();
  private final List<Failure> failures = new ArrayList<>();
  private final List<BytePath> empty = new ArrayList<>();
  private boolean searched;
  private long lastId = Entry.ROOT;
  private volatile boolean closed;
  private volatile String place = "";

  /**
   * @param catalogue closed with this
   * @param disk that its reader threads belong to
   */
  public CatalogueSource(Catalogue catalogue, DiskId disk, TransferSpec spec) {
    this.catalogue = catalogue;
    this.disk = disk;
    this.spec = spec;
    this.selection = spec.selection();
  }

  /** {@inheritDoc} The first call looks up the operands. */
  @Override
  public synchronized List<Root> roots() {
    if (!searched) {
      searched = true;
      Map<List<FileName>, EntryKind> arrivals = new HashMap<>();
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

  private void find(Operand operand, Map<List<FileName>, EntryKind> arrivals) throws FdtException {
    BytePath path = operand.path();
    Catalogue.Item item =
        catalogue
            .find(path)
            .orElseThrow(
                () ->
                    new FdtException(
                        ErrorCode.NOT_FOUND, "'" + path + "' is not there; check the path"));
    if (item.isDirectory() && !spec.recursive()) {
      throw new FdtException(ErrorCode.WRONG_KIND, "'" + path + "' is a directory (add -r)");
    }
    FileName last = PathNames.split(path).last();
    List<FileName> arrival = operand.arrivalOf(last);
    for (int i = 1; i <= arrival.size(); i++) {
      EntryKind kind = i < arrival.size() ? EntryKind.DIRECTORY : item.kind();
      EntryKind other = arrivals.putIfAbsent(List.copyOf(arrival.subList(0, i)), kind);
      if (other != null && (other != EntryKind.DIRECTORY || kind != EntryKind.DIRECTORY)) {
        throw ofAnotherSource(path);
      }
    }
    found.add(new Found(path, last, item, arrival));
  }

  private static FdtException ofAnotherSource(BytePath path) {
    return new FdtException(
        ErrorCode.USAGE,
        "'" + path + "' would arrive under the name of another source; give it another name");
  }

  private static Root root(Found operand) {
    if (operand.arrival().size() > 1) {
      return new Root(operand.arrival().get(0), EntryKind.DIRECTORY, IMPLIED_MODE, null);
    }
    Catalogue.Item item = operand.item();
    FileName name = operand.arrival().isEmpty() ? null : operand.arrival().get(0);
    return new Root(name, item.kind(), item.mode(), item.modified());
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
    Set<List<FileName>> leaves = found.size() > 1 ? new HashSet<>() : null;
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
      visit(visitor, operand, parent, leaves);
    }
    for (long id : implied.values().stream().sorted((a, b) -> Long.compare(b, a)).toList()) {
      visitor.directoryEnd(id);
    }
    place = "";
  }

  private void visit(Visitor visitor, Found operand, long parent, Set<List<FileName>> leaves)
      throws InterruptedException {
    List<FileName> arrival = operand.arrival();
    FileName name = arrival.isEmpty() ? null : arrival.get(arrival.size() - 1);
    if (operand.item().isDirectory()) {
      long id = name == null ? parent : entry(visitor, parent, name, operand.item(), null);
      if (!descend(visitor, operand.path(), id, arrival, List.of(), 1, leaves)) {
        empty.add(pathOf(arrival));
      }
      if (name != null) {
        visitor.directoryEnd(id);
      }
    } else if (takes(List.of(), operand.name(), operand.item())) {
      leaf(visitor, operand.path(), parent, arrival, operand.item(), leaves);
    }
  }

  /**
   * Visits everything beneath a directory.
   *
   * @param chosen its names from the operand on, for patterns
   * @return whether it holds anything, selected or not
   */
  private boolean descend(
      Visitor visitor,
      BytePath directory,
      long id,
      List<FileName> arrival,
      List<int[]> chosen,
      int depth,
      Set<List<FileName>> leaves)
      throws InterruptedException {
    if (closed || Thread.interrupted()) {
      throw new InterruptedException("the walk was cancelled");
    }
    place = directory.toString();
    List<Catalogue.Listed> names;
    try {
      names = catalogue.list(directory);
    } catch (FdtException e) {
      visitor.failed(directory.toString(), e);
      return true;
    }
    for (Catalogue.Listed one : names) {
      BytePath path = directory.resolve(BytePath.of(one.name().bytes()));
      List<FileName> there = with(arrival, one.name());
      if (!one.item().isDirectory()) {
        if (takes(chosen, one.name(), one.item())) {
          leaf(visitor, path, id, there, one.item(), leaves);
        }
      } else if (depth < selection.maxDepth()) {
        List<int[]> way = with(chosen, NamePattern.characters(one.name().bytes()));
        if (selection.takesName(way, true)) {
          long child = entry(visitor, id, one.name(), one.item(), null);
          boolean unused = descend(visitor, path, child, there, way, depth + 1, leaves);
          visitor.directoryEnd(child);
        }
      }
    }
    return !names.isEmpty();
  }

  private boolean takes(List<int[]> way, FileName name, Catalogue.Item item) {
    return selection.takesName(with(way, NamePattern.characters(name.bytes())), false)
        && selection.takesFile(item.size(), item.modified());
  }

  private void leaf(
      Visitor visitor,
      BytePath path,
      long parent,
      List<FileName> arrival,
      Catalogue.Item item,
      Set<List<FileName>> leaves)
      throws InterruptedException {
    if (leaves != null && !leaves.add(arrival)) {
      visitor.failed(path.toString(), ofAnotherSource(path));
      return;
    }
    long unused =
        entry(visitor, parent, arrival.get(arrival.size() - 1), item, new File(path, item));
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
            item == null ? IMPLIED_MODE : item.mode(),
            item == null ? null : item.modified(),
            BytePath.EMPTY),
        file);
    return lastId;
  }

  private static <T> List<T> with(List<T> some, T one) {
    List<T> all = new ArrayList<>(some);
    all.add(one);
    return all;
  }

  private static BytePath pathOf(List<FileName> names) {
    BytePath path = BytePath.EMPTY;
    for (FileName name : names) {
      path = path.resolve(BytePath.of(name.bytes()));
    }
    return path;
  }

  @Override
  public synchronized List<BytePath> arrivals() {
    return found.stream()
        .filter(operand -> operand.item().isDirectory())
        .map(operand -> pathOf(operand.arrival()))
        .toList();
  }

  @Override
  public synchronized List<BytePath> emptyArrivals() {
    return List.copyOf(empty);
  }

  /** {@inheritDoc} In doubt, none are missing. */
  @Override
  public synchronized BitSet lacking(List<List<FileName>> paths) {
    BitSet lacking = new BitSet(paths.size());
    for (int i = 0; i < paths.size(); i++) {
      lacking.set(i, lacks(paths.get(i)));
    }
    return lacking;
  }

  private boolean lacks(List<FileName> path) {
    boolean isBeneathOne = false;
    for (Found operand : found) {
      int common = Math.min(operand.arrival().size(), path.size());
      if (!operand.arrival().subList(0, common).equals(path.subList(0, common))) {
        continue;
      }
      if (!operand.item().isDirectory() || path.size() <= common) {
        return false;
      }
      try {
        BytePath there = operand.path().resolve(pathOf(path.subList(common, path.size())));
        if (catalogue.find(there).isPresent()) {
          return false;
        }
      } catch (FdtException e) {
        return false;
      }
      isBeneathOne = true;
    }
    return isBeneathOne;
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
