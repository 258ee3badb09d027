package io.fdt.core.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.journal.KeptRanges;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Owner;
import io.fdt.core.model.RangeSet;
import io.fdt.core.model.Root;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.session.RandomDataset;
import io.fdt.core.session.RandomDataset.Fault;
import io.fdt.core.session.RandomDataset.Item;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.PartialFile;
import io.fdt.core.storage.forward.ForwardingDirectory;
import io.fdt.core.storage.forward.ForwardingFile;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A destination in memory, with planned faults, which outlives the process that writes it: files
 * under their names, and partial files with their journals.
 */
public final class SimulatedDestination {
  /** A file at the destination: what was written where, how often, and what the journal holds. */
  public static final class Target {
    final byte[] bytes;
    final int[] writes;
    KeptRanges journal = new KeptRanges();
    int published;

    Target(long size) {
      bytes = new byte[Math.toIntExact(size)];
      writes = new int[bytes.length];
    }
  }

  private static final Timestamp TIME = new Timestamp(1_700_000_000L, 0);
  private static final DiskId DISK = new DiskId("destination");

  private final RandomDataset dataset;
  private final Random random;
  private final int block;
  final Map<Long, Target> targets = new HashMap<>();
  final Set<Long> finishedDirectories = new HashSet<>();
  long bytesWritten;
  private boolean dying;
  private String wrong = "";
  private int openTrees;
  private int openFiles;

  SimulatedDestination(RandomDataset dataset, Random random) {
    this(dataset, random, RandomDataset.BLOCK);
  }

  /**
   * @param block files of as many bytes have a journal
   */
  public SimulatedDestination(RandomDataset dataset, Random random, int block) {
    this.dataset = dataset;
    this.random = random;
    this.block = block;
  }

  /** Makes sure that what has its final name is what the source has, and nothing came twice. */
  public void assertNothingWrong() {
    assertThat(wrong).isEmpty();
    targets.forEach(
        (id, target) -> {
          if (target.published > 0) {
            assertContent(dataset.item(id), target);
          }
        });
  }

  /** Makes sure that each file has its final name, which it got once. */
  public void assertEverythingIsThere() {
    assertThat(wrong).isEmpty();
    for (Item item : dataset.items()) {
      if (item.isFile()) {
        Target target = targets.get(item.entry().id());
        assertThat(target).as("%s", item).isNotNull();
        assertThat(target.published).as("final names of %s", item).isEqualTo(1);
        assertContent(item, target);
      }
    }
  }

  private static void assertContent(Item item, Target target) {
    assertThat(Arrays.equals(target.bytes, item.content(0, target.bytes.length, 0)))
        .as("content of %s", item)
        .isTrue();
  }

  /** Another process begins. */
  public DestinationTree tree() {
    openFiles = 0;
    return new DestinationTree() {
      private boolean isOpen;

      @Override
      public Base open(List<Root> roots) {
        isOpen = true;
        openTrees++;
        if (openTrees > 1) {
          wrong = "a second session writes while the first one does";
        }
        return new Base(new Directory(0), null);
      }

      @Override
      public void force() {}

      @Override
      public void delete(List<List<FileName>> roots, boolean pretend, DeletionRules rules) {
        throw new AssertionError("nobody asked for a deletion");
      }

      @Override
      public Capabilities capabilities() {
        return Capabilities.ALL;
      }

      @Override
      public void close() {
        openTrees -= isOpen ? 1 : 0;
        isOpen = false;
      }
    };
  }

  /** Files that were made or opened and are neither published nor closed. */
  public int openFiles() {
    return openFiles;
  }

  /**
   * The process dies in the middle of this work: what was on its way to the disk is there in part,
   * and no journal says so.
   */
  public void tear(List<Runnable> work) {
    dying = true;
    openTrees = 0;
    for (Runnable one : work) {
      try {
        one.run();
      } catch (RuntimeException | Error e) {
        // as the process is dead
      }
    }
    dying = false;
  }

  private Item item(FileName name) {
    return dataset.item(Long.parseLong(name.toString().substring("entry".length())));
  }

  private static FdtException planned() {
    return new FdtException(ErrorCode.PERMISSION, "planned");
  }

  private final class Directory extends ForwardingDirectory {
    private final long id;

    Directory(long id) {
      super(null); // all that a session may ask for is here
      this.id = id;
    }

    @Override
    public long journaledBytes() {
      return block;
    }

    @Override
    public DiskId disk() {
      return DISK;
    }

    @Override
    public boolean isFresh() {
      return false;
    }

    @Override
    public String path() {
      return "";
    }

    @Override
    public boolean stores(FileName name) {
      return true;
    }

    @Override
    public long mostBytes() {
      return Long.MAX_VALUE;
    }

    @Override
    public Optional<Attributes> find(FileName name) throws FdtException {
      Item item = item(name);
      if (item.fault() == Fault.PREPARE) {
        throw planned();
      }
      Target there = targets.get(item.entry().id());
      boolean isThere = there != null && there.published > 0;
      if (!item.isFile() || !(isThere || item.fault() == Fault.UNCHANGED)) {
        return Optional.empty();
      }
      return Optional.of(
          new Attributes(
              Optional.of(EntryKind.FILE),
              item.entry().size(),
              0644,
              TIME,
              TIME,
              0,
              0,
              1,
              0,
              0,
              0));
    }

    @Override
    public DestinationDirectory makeDirectory(FileName name) throws FdtException {
      Item item = item(name);
      if (item.fault() == Fault.PREPARE) {
        throw planned();
      }
      return new Directory(item.entry().id());
    }

    @Override
    public void attach(FileMetadata metadata, Consumer<FdtException> warnings) {}

    @Override
    public Timestamp timeOf(Attributes seen, Timestamp wanted) {
      return wanted;
    }

    @Override
    public boolean agrees(Attributes seen, int mode, Timestamp modified, FileMetadata metadata) {
      return true;
    }

    @Override
    public boolean put(
        FileName name, ByteBuf bytes, int mode, Timestamp modified, FileMetadata metadata) {
      return false;
    }

    @Override
    public boolean makeLink(
        FileName name,
        BytePath target,
        Timestamp modified,
        Owner owner,
        Consumer<FdtException> warnings)
        throws FdtException {
      return find(name).isEmpty();
    }

    @Override
    public PendingFile create(FileName name, FileShape shape) {
      Target there = targets.get(item(name).entry().id());
      if (there == null || shape.kept().isEmpty()) {
        there = new Target(shape.size());
        targets.put(item(name).entry().id(), there);
      }
      return new Growing(item(name), there, shape.kept());
    }

    @Override
    public PartialFile findPartial(FileName name, SourceVersion version) {
      Target there = targets.get(item(name).entry().id());
      boolean isUnchanged = item(name).entry().id() % 2 == 0; // both ways are tried
      return there == null ? PartialFile.NONE : PartialFile.of(there.journal.ranges(), isUnchanged);
    }

    @Override
    public List<FdtException> finish(int mode, Timestamp modified, Durability durability)
        throws FdtException {
      if (id == Entry.ROOT) {
        return List.of();
      }
      finishedDirectories.add(id);
      if (dataset.item(id).fault() == Fault.STORE) {
        throw planned();
      }
      return List.of();
    }

    @Override
    public void close() {}
  }

  private final class Growing extends ForwardingFile {
    private final Item item;
    private final Target target;
    private final RangeSet kept = new RangeSet();
    private boolean closed;

    Growing(Item item, Target target, List<CheckedRange> kept) {
      super(null); // all that a session may ask for is here
      this.item = item;
      this.target = target;
      kept.forEach(range -> this.kept.add(range.start(), range.end()));
      openFiles++;
    }

    @Override
    public void write(ByteBuf source, long offset) throws FdtException {
      int length = source.readableBytes();
      if (kept.intersects(offset, offset + length)) {
        wrong = item + " at " + offset + ": what the journal holds came again";
        throw new AssertionError(wrong);
      }
      if (item.fault() == Fault.WRITE && item.strikes(offset, length)) {
        throw planned();
      }
      int written = dying ? random.nextInt(length + 1) : length;
      int at = Math.toIntExact(offset);
      source.getBytes(source.readerIndex(), target.bytes, at, written);
      if (dying) {
        throw new IllegalStateException("the process is dead");
      }
      for (int i = at; i < at + length; i++) {
        target.writes[i]++;
      }
      bytesWritten += length;
    }

    @Override
    public int read(ByteBuf into, int length, long offset) {
      into.writeBytes(target.bytes, Math.toIntExact(offset), length);
      return length;
    }

    @Override
    public void attach(FileMetadata metadata, Consumer<FdtException> warnings) {}

    @Override
    public void discard() {
      target.journal = new KeptRanges();
      close();
    }

    @Override
    public void keep(CheckedRange range) {
      target.journal.add(range);
    }

    @Override
    public void publish(int mode, Timestamp modified, Durability durability) throws FdtException {
      if (dying) {
        throw new IllegalStateException("the process is dead");
      }
      if (item.fault() == Fault.STORE) {
        throw planned();
      }
      target.published++;
      closed = true;
      openFiles--;
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        openFiles--;
      }
    }
  }
}
