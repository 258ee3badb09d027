package io.fdt.core.storage.synthetic;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.forward.DisklessDestination;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * A destination without a disk: compares what arrives with {@link SyntheticContent}, counts and
 * drops it, and remembers which files were published. Any thread.
 */
public final class SyntheticDestination extends DisklessDestination {
  private static final DiskId MEMORY = new DiskId("memory");

  private final List<SyntheticFault> faults;
  private final LongAdder bytes = new LongAdder();
  private final LongAdder publishedCount = new LongAdder();
  private final AtomicInteger openFiles = new AtomicInteger();
  private final Set<String> published = ConcurrentHashMap.newKeySet();
  private final Set<String> growing = ConcurrentHashMap.newKeySet();
  private final Object gate = new Object();

  /** Bytes after which writes wait; guarded by {@link #gate}, as {@link #held}. */
  private long holdAfter = Long.MAX_VALUE;

  /** Writes that wait. */
  private int held;

  /** Size of the files that are there already; -1 when none are. */
  private final long heldSize;

  private SyntheticDestination(long heldSize, List<SyntheticFault> faults) {
    this.heldSize = heldSize;
    this.faults = List.copyOf(faults);
  }

  /** Accepts nothing but {@link SyntheticContent}, and a file only with all its bytes. */
  public static SyntheticDestination verifying(List<SyntheticFault> faults) {
    return new SyntheticDestination(-1, faults);
  }

  /** Every file of a {@link SyntheticSource#tree} of files of this size is there already. */
  public static SyntheticDestination holding(long fileSize) {
    return new SyntheticDestination(fileSize, List.of());
  }

  /** Bytes written so far. */
  public long bytesWritten() {
    return bytes.sum();
  }

  /** Once so many bytes are written, writes wait until this is called again. */
  public void holdAfter(long bytes) {
    synchronized (gate) {
      holdAfter = bytes;
      gate.notifyAll();
    }
  }

  /** Whether a write waits for {@link #holdAfter}. */
  public boolean holds() {
    synchronized (gate) {
      return held > 0 && bytes.sum() >= holdAfter;
    }
  }

  private void passGate() throws FdtException {
    synchronized (gate) {
      held++;
      try {
        while (bytes.sum() >= holdAfter) {
          gate.wait();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new FdtException(ErrorCode.CANCELLED, "interrupted", e);
      } finally {
        held--;
      }
    }
  }

  /** Files published so far. */
  public long filesPublished() {
    return publishedCount.sum();
  }

  /** Paths of the published files, relative to the destination. */
  public Set<String> publishedPaths() {
    return Set.copyOf(published);
  }

  /** Files that were neither published nor closed. */
  public int openFiles() {
    return openFiles.get();
  }

  @Override
  public Base open(List<Root> roots) {
    return new Base(new Place(""), null);
  }

  /** A directory of which only the path exists. */
  private final class Place extends DisklessDestination.Directory {
    private final String path;

    Place(String path) {
      this.path = path;
    }

    @Override
    public DiskId disk() {
      return MEMORY;
    }

    @Override
    public boolean isFresh() {
      return heldSize < 0;
    }

    @Override
    public String path() {
      return path;
    }

    @Override
    public Optional<Attributes> find(FileName name) {
      return heldSize < 0
          ? Optional.empty()
          : Optional.of(
              new Attributes(
                  Optional.of(EntryKind.FILE),
                  heldSize,
                  0644,
                  SyntheticSource.MODIFIED,
                  SyntheticSource.MODIFIED,
                  0,
                  0,
                  1,
                  0,
                  0,
                  0));
    }

    @Override
    public DestinationDirectory makeDirectory(FileName name) {
      return new Place(pathOf(name));
    }

    @Override
    public void refresh(
        ExistingFile file,
        int mode,
        Timestamp modified,
        FileMetadata metadata,
        Consumer<FdtException> warnings) {
      throw new AssertionError("every file agrees");
    }

    @Override
    public boolean makeHardLink(
        FileName name, DestinationDirectory first, FileName firstName, long size)
        throws FdtException {
      throw new FdtException(ErrorCode.IO, pathOf(name) + ": no file has several names here");
    }

    @Override
    public PendingFile create(FileName name, FileShape shape) throws FdtException {
      SyntheticFault.hit(faults, name, SyntheticFault.Point.CREATE, 0, 0);
      if (!growing.add(pathOf(name))) {
        throw new FdtException(
            ErrorCode.IN_USE, "another transfer is writing '" + pathOf(name) + "'; wait for it");
      }
      openFiles.incrementAndGet();
      return new Sink(name, pathOf(name), shape.size());
    }

    private String pathOf(FileName name) {
      return path.isEmpty() ? name.toString() : path + "/" + name;
    }
  }

  private enum State {
    GROWING,
    PUBLISHED,
    REMOVED
  }

  /** A file that only counts. */
  private final class Sink extends DisklessDestination.File {
    private final FileName name;
    private final String path;
    private final long size;
    private final SyntheticContent content;
    private final LongAdder written = new LongAdder();
    private final AtomicReference<State> state = new AtomicReference<>(State.GROWING);

    Sink(FileName name, String path, long size) {
      this.name = name;
      this.path = path;
      this.size = size;
      this.content = SyntheticContent.of(name);
    }

    @Override
    public void write(ByteBuf source, long offset) throws FdtException {
      int length = source.readableBytes();
      SyntheticFault.hit(faults, name, SyntheticFault.Point.WRITE, offset, length);
      passGate();
      if (state.get() != State.GROWING) {
        throw new FdtException(ErrorCode.CANCELLED, "'" + path + "' was closed before it was done");
      }
      verify(source, offset);
      written.add(length);
      bytes.add(length);
    }

    private void verify(ByteBuf source, long offset) throws FdtException {
      long difference = content.firstDifference(source, offset);
      if (difference >= 0 || offset + source.readableBytes() > size) {
        throw new FdtException(
            ErrorCode.VERIFICATION,
            "wrong data: path="
                + path
                + " offset="
                + Math.max(offset, difference)
                + " size="
                + size);
      }
    }

    /** {@inheritDoc} It holds nothing, but knows what it must have been given. */
    @Override
    public int read(ByteBuf target, int length, long offset) throws FdtException {
      int there = Math.toIntExact(Math.max(0, Math.min(length, size - offset)));
      int start = target.writerIndex();
      content.appendTo(target, there, offset);
      if (SyntheticFault.strikes(faults, name, SyntheticFault.Point.ROT, offset, there)) {
        target.setByte(start, ~target.getByte(start));
      }
      return there;
    }

    @Override
    public void forget(LongConsumer forced) throws FdtException {
      force(forced);
    }

    private void force(LongConsumer forced) throws FdtException {
      SyntheticFault.hit(faults, name, SyntheticFault.Point.FORCE, 0, 0);
      forced.accept(size);
    }

    /** {@inheritDoc} No file here is sparse. */
    @Override
    public void makeHole(Range range) {
      throw new AssertionError("a hole in '" + path + "'");
    }

    @Override
    public void publish(int mode, Timestamp modified, Durability durability) throws FdtException {
      if (durability.isForced()) {
        force(durability.synced());
      }
      SyntheticFault.hit(faults, name, SyntheticFault.Point.PUBLISH, 0, 0);
      if (written.sum() != size) {
        throw new FdtException(
            ErrorCode.VERIFICATION,
            "published with " + written.sum() + " of " + size + " bytes: path=" + path);
      }
      if (!end(State.PUBLISHED)) {
        throw new FdtException(ErrorCode.CANCELLED, "'" + path + "' was closed before it was done");
      }
      publishedCount.increment();
      published.add(path);
    }

    @Override
    public void close() {
      end(State.REMOVED);
    }

    private boolean end(State next) {
      if (!state.compareAndSet(State.GROWING, next)) {
        return false;
      }
      growing.remove(path);
      openFiles.decrementAndGet();
      return true;
    }
  }
}
