package io.fdt.storage.local.source;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Changing;
import io.fdt.core.model.DirectIo;
import io.fdt.core.model.Entry;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.model.Root;
import io.fdt.core.model.Selection;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.operand.OperandArrivals;
import io.fdt.storage.local.os.CachePolicy;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.ExportedRoots;
import io.fdt.storage.local.os.IdleDirectories;
import io.fdt.storage.local.os.Nesting;
import io.fdt.storage.local.os.Syscalls;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Local files, directories and links as the source of a transfer.
 *
 * <p>{@link #roots} and {@link #walk} are confined to one thread at a time; the files found may be
 * opened and read on any. The later of two operands with one destination path fails, unless both
 * are directories: then the entries of both are sent, each directory with an id of its own.
 */
public final class LocalSource implements SourceTree {
  private final DirectoryScope scope;
  private final SourcePaths paths;
  private final List<Operand> operands;
  private final boolean recursive;
  private final Selection selection;
  private final OpenReaders readers;
  private final Preservation kept;
  private Changing changing = Changing.FAIL;
  private FoundOperands found;

  /** The current place of the walk or of the lookup of operands; empty after both. */
  private volatile Supplier<String> place = () -> "";

  private List<FoundOperand> emptyOperands = List.of();
  private SourceWitness witness;

  private LocalSource(
      DirectoryScope scope,
      SourcePaths paths,
      List<Operand> operands,
      boolean recursive,
      Selection selection,
      Preservation kept) {
    this.kept = kept;
    this.scope = scope;
    this.readers = new OpenReaders(scope);
    this.paths = paths;
    this.operands = List.copyOf(operands);
    this.recursive = recursive;
    this.selection = selection;
  }

  /**
   * For the user of this machine: relative to the working directory, following links before the
   * last name (and there with a trailing slash).
   *
   * @param recursive whether directories are walked; else they fail
   * @param selection of files
   * @param kept attributes to read besides names and bytes
   */
  public static LocalSource trusted(
      List<Operand> operands, boolean recursive, Selection selection, Preservation kept) {
    return trusted(operands, recursive, selection, kept, IdleDirectories.OF_PROCESS);
  }

  /** A source with the default attributes. */
  public static LocalSource trusted(
      List<Operand> operands, boolean recursive, Selection selection) {
    return trusted(operands, recursive, selection, Preservation.DEFAULT);
  }

  /** A source with another limit on idle directories. */
  static LocalSource trusted(
      List<Operand> operands,
      boolean recursive,
      Selection selection,
      Preservation kept,
      IdleDirectories idle) {
    DirectoryScope scope = new DirectoryScope(idle);
    return new LocalSource(scope, SourcePaths.trusted(scope), operands, recursive, selection, kept);
  }

  /**
   * A source for a client: beneath the exports, no link followed, ".." refused.
   *
   * @param recursive whether directories are walked; else they fail
   * @param selection of files
   * @param kept attributes to read besides names and bytes
   */
  public static LocalSource confined(
      ExportedRoots exports,
      List<Operand> operands,
      boolean recursive,
      Selection selection,
      Preservation kept) {
    DirectoryScope scope = new DirectoryScope(IdleDirectories.OF_PROCESS);
    return new LocalSource(
        scope, SourcePaths.confined(scope, exports), operands, recursive, selection, kept);
  }

  /** Sets the treatment of files that change after the walk, before it. Default: they fail. */
  public LocalSource changing(Changing rule) {
    changing = rule;
    return this;
  }

  /** Sets how large files pass the page cache, before the walk. Default: they stay there. */
  public LocalSource directIo(DirectIo rule) {
    readers.pass(new CachePolicy(rule));
    return this;
  }

  /** {@inheritDoc} The first call is a disk operation. */
  @Override
  public synchronized List<Root> roots() {
    List<Root> roots = new ArrayList<>();
    for (FoundOperand operand : found().found()) {
      // A pattern may exclude a destination inside the source.
      boolean isWhole = !selection.looksAtNames() && selection.maxDepth() == Integer.MAX_VALUE;
      boolean isTree = operand.isDirectory() && operand.directory() != null;
      long place = isWhole && isTree ? Nesting.placeOf(operand.attributes()) : 0;
      roots.add(operand.root().at(place));
    }
    return List.copyOf(roots);
  }

  private FoundOperands found() {
    if (found == null) {
      found = new FoundOperands(paths, recursive);
      for (Operand operand : operands) {
        place = () -> operand.path().toString();
        found.add(operand);
      }
      place = () -> "";
      found.end();
    }
    return found;
  }

  @Override
  public String waitsFor() {
    String walked = place.get();
    return walked.isEmpty() ? readers.busy() : walked;
  }

  @Override
  public void walk(Visitor target) throws InterruptedException {
    Visitor visitor = changing == Changing.SKIP ? new SkippingVisitor(target) : target;
    FoundOperands all;
    synchronized (this) {
      all = found();
    }
    for (FoundOperands.Failure failure : all.failures()) {
      visitor.failed(failure.path(), failure.reason());
    }
    for (String path : all.specials()) {
      visitor.skipped(path, "a device, socket or FIFO");
    }
    TreeWalk walk = new TreeWalk(paths, scope, recursive, selection, kept, this::file, visitor);
    place = walk::place;
    List<FoundOperand> empty = walk.run(all.found());
    place = () -> "";
    synchronized (this) {
      emptyOperands = empty;
    }
  }

  /** {@inheritDoc} Those of the default need no words: holes, for example, arrive as zeros. */
  @Override
  public String losses() {
    Set<Aspect> fine = EnumSet.copyOf(Preservation.DEFAULT.aspects());
    fine.addAll(Syscalls.readAspects());
    List<String> lost = kept.lacking(fine);
    return lost.isEmpty() ? "" : "the source does not read " + String.join(", ", lost);
  }

  @Override
  public boolean isInOrder() {
    return false;
  }

  @Override
  public synchronized List<BytePath> arrivals() {
    return found == null ? List.of() : OperandArrivals.ofDirectories(found.found());
  }

  @Override
  public synchronized List<BytePath> emptyArrivals() {
    return OperandArrivals.ofEmpty(found().found(), emptyOperands);
  }

  @Override
  public synchronized BitSet lacking(List<List<FileName>> asked) {
    if (witness == null) {
      witness = new SourceWitness(paths, selection.oneFileSystem(), found().found());
    }
    BitSet lacking = new BitSet(asked.size());
    for (int i = 0; i < asked.size(); i++) {
      lacking.set(i, witness.lacks(asked.get(i)));
    }
    return lacking;
  }

  private SourceFile file(Directory directory, FileName name, Attributes seen) {
    readers.cache().found(seen.size());
    return new LocalSourceFile(directory, name, seen, changing, readers);
  }

  /** Drops failures of names that vanish during the walk. */
  private record SkippingVisitor(Visitor visitor) implements Visitor {
    @Override
    public void entry(Entry entry, SourceFile file) throws InterruptedException {
      visitor.entry(entry, file);
    }

    @Override
    public void directoryEnd(long id) throws InterruptedException {
      visitor.directoryEnd(id);
    }

    @Override
    public void skipped(String path, String reason) {
      visitor.skipped(path, reason);
    }

    @Override
    public void failed(String path, FdtException reason) {
      if (reason.code() == ErrorCode.SOURCE_CHANGED) {
        visitor.skipped(path, reason.getMessage());
      } else {
        visitor.failed(path, reason);
      }
    }
  }

  @Override
  public void close() {
    scope.close();
    readers.close();
  }
}
