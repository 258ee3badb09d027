package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Root;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.PartialFile;
import io.fdt.core.storage.forward.ForwardingDirectory;
import io.fdt.core.storage.forward.ForwardingFile;
import io.netty.buffer.ByteBuf;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * A destination on a machine whose power fails: from one operation on, whose number the test
 * chooses, nothing is done any more. It remembers which final names were forced until then, as
 * fsync defines that: the file before it got its name, and the directory after it.
 *
 * <p>Thread-safe.
 */
final class FailingPower implements DestinationTree {
  private final DestinationTree tree;
  private final AtomicInteger operationsLeft;
  private final Set<String> named = new HashSet<>();
  private final Set<String> durable = new HashSet<>();

  /**
   * @param operations that are done before the power fails
   */
  FailingPower(DestinationTree tree, int operations) {
    this.tree = tree;
    this.operationsLeft = new AtomicInteger(operations);
  }

  /** Whether it has failed. */
  boolean hasFailed() {
    return operationsLeft.get() < 0;
  }

  /** Paths of files that have their final name, whether forced or not. */
  synchronized Set<String> named() {
    return Set.copyOf(named);
  }

  /** Paths of files that are there, name and all, whatever the page cache forgets. */
  synchronized Set<String> durable() {
    return Set.copyOf(durable);
  }

  private void operation() throws FdtException {
    if (operationsLeft.decrementAndGet() < 0) {
      throw new FdtException(ErrorCode.IO, "the power has failed");
    }
  }

  @Override
  public Base open(List<Root> roots) throws FdtException {
    operation();
    Base base = tree.open(roots);
    return new Base(new Directory(base.directory()), base.newName());
  }

  @Override
  public void force() throws FdtException {
    operation();
    tree.force();
  }

  @Override
  public void delete(List<List<FileName>> roots, boolean pretend, DeletionRules rules)
      throws InterruptedException {
    tree.delete(roots, pretend, rules);
  }

  @Override
  public Capabilities capabilities() {
    return tree.capabilities();
  }

  @Override
  public void close() {
    tree.close();
  }

  private final class Directory extends ForwardingDirectory {
    /** Names that were given here since it was last forced, of files that were forced. */
    private final Set<String> unforced = new HashSet<>();

    Directory(DestinationDirectory directory) {
      super(directory);
    }

    @Override
    protected DestinationDirectory wrap(DestinationDirectory child) {
      return new Directory(child);
    }

    @Override
    protected PendingFile wrap(FileName name, FileShape shape, PendingFile file) {
      return new Pending(this, name, file);
    }

    @Override
    public Optional<Attributes> find(FileName name) throws FdtException {
      operation();
      return super.find(name);
    }

    @Override
    public DestinationDirectory makeDirectory(FileName name) throws FdtException {
      operation();
      return super.makeDirectory(name);
    }

    @Override
    public boolean makeLink(
        FileName name,
        BytePath target,
        Timestamp modified,
        Owner owner,
        Consumer<FdtException> warnings)
        throws FdtException {
      operation();
      return super.makeLink(name, target, modified, owner, warnings);
    }

    @Override
    public PendingFile create(FileName name, FileShape shape) throws FdtException {
      operation();
      return super.create(name, shape);
    }

    @Override
    public boolean put(
        FileName name, ByteBuf bytes, int mode, Timestamp modified, FileMetadata metadata)
        throws FdtException {
      operation();
      boolean done = super.put(name, bytes, mode, modified, metadata);
      if (done) {
        named(name, false);
      }
      return done;
    }

    @Override
    public PartialFile findPartial(FileName name, SourceVersion version) throws FdtException {
      operation();
      return super.findPartial(name, version);
    }

    @Override
    public List<FdtException> finish(int mode, Timestamp modified, Durability durability)
        throws FdtException {
      operation();
      return super.finish(mode, modified, durability);
    }

    @Override
    public void force() throws FdtException {
      Set<String> before;
      synchronized (FailingPower.this) {
        before = Set.copyOf(unforced);
      }
      operation();
      super.force();
      synchronized (FailingPower.this) {
        unforced.removeAll(before);
        durable.addAll(before);
      }
    }

    private void named(FileName name, boolean forced) {
      synchronized (FailingPower.this) {
        String path = path() + "/" + name;
        named.add(path);
        if (forced) {
          unforced.add(path);
        }
      }
    }
  }

  private final class Pending extends ForwardingFile {
    private final Directory directory;
    private final FileName name;

    Pending(Directory directory, FileName name, DestinationDirectory.PendingFile file) {
      super(file);
      this.directory = directory;
      this.name = name;
    }

    @Override
    public void write(ByteBuf source, long offset) throws FdtException {
      operation();
      super.write(source, offset);
    }

    @Override
    public int read(ByteBuf target, int length, long offset) throws FdtException {
      operation();
      return super.read(target, length, offset);
    }

    @Override
    public void forget(LongConsumer forced) throws FdtException {
      operation();
      super.forget(forced);
    }

    @Override
    public void keep(CheckedRange range) throws FdtException {
      operation();
      super.keep(range);
    }

    @Override
    public void publish(int mode, Timestamp modified, Durability durability) throws FdtException {
      operation();
      super.publish(mode, modified, durability);
      directory.named(name, durability.isForced());
    }
  }
}
