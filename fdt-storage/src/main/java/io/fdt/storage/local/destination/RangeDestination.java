package io.fdt.storage.local.destination;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FilePart;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.PartialFile;
import io.fdt.core.storage.forward.ForwardingDirectory;
import io.fdt.storage.local.destination.partial.CutFile;
import io.fdt.storage.local.destination.partial.CutPartial;
import io.fdt.storage.local.os.Syscalls;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * A destination for one range of a file, written at its offset in the partial file that all ranges
 * share ({@link CutPartial}). The transfer sees the range as a file. Threads as the underlying
 * destination.
 */
public final class RangeDestination implements DestinationTree {
  private final LocalDestination destination;
  private final FileCut cut;
  private final Range range;

  private RangeDestination(LocalDestination destination, FileCut cut, FilePart part) {
    this.destination = destination;
    this.cut = cut;
    this.range = new Range(part.offset(), part.offset() + part.length().orElseThrow());
  }

  /** The destination itself, unless the part is a range of a cut. */
  public static DestinationTree of(LocalDestination destination, FilePart part) {
    return part.cut().isEmpty()
        ? destination
        : new RangeDestination(destination, part.cut().get(), part);
  }

  @Override
  public Base open(List<Root> roots) throws FdtException {
    Base base = destination.open(roots);
    return base.directory() instanceof LocalDestinationDirectory local
        ? new Base(new Place(local), base.newName())
        : base; // the source found nothing
  }

  @Override
  public void force() throws FdtException {
    destination.force();
  }

  /** {@inheritDoc} Nothing: the copy of the whole deletes. */
  @Override
  public void delete(List<List<FileName>> roots, boolean pretend, DeletionRules rules) {}

  @Override
  public Capabilities capabilities() {
    return Syscalls.capabilities();
  }

  @Override
  public void meter(LongConsumer bytes) {
    destination.meter(bytes);
  }

  @Override
  public void close() {
    destination.close();
  }

  private final class Place extends ForwardingDirectory {
    private final LocalDestinationDirectory directory;

    /** The entry at the name when it was looked up. */
    private volatile Optional<Attributes> seen = Optional.empty();

    Place(LocalDestinationDirectory directory) {
      super(directory);
      this.directory = directory;
    }

    @Override
    protected DestinationDirectory wrap(DestinationDirectory child) {
      return new Place((LocalDestinationDirectory) child);
    }

    /** {@inheritDoc} Any range can be resumed. */
    @Override
    public long journaledBytes() {
      return 0;
    }

    /** {@inheritDoc} False: transfers of other ranges use it, too. */
    @Override
    public boolean isFresh() {
      return false;
    }

    /** {@inheritDoc} A file with the size of the whole is reported with the size of the range. */
    @Override
    public Optional<Attributes> find(FileName name) throws FdtException {
      seen = directory.find(name);
      return seen.map(
          found ->
              found.withSize(found.size() == cut.fileSize() ? range.length() : range.length() + 1));
    }

    /** {@inheritDoc} Always: the transfer of the whole file refreshes it. */
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
    public PartialFile findPartial(FileName name, SourceVersion version) throws FdtException {
      return directory.findRange(name, ofFile(version, name), cut, range);
    }

    @Override
    public PendingFile create(FileName name, FileShape shape) throws FdtException {
      if (shape.version() == null) {
        throw noRange(name);
      }
      List<CheckedRange> inFile =
          shape.kept().stream()
              .map(
                  one ->
                      new CheckedRange(
                          range.start() + one.start(), range.start() + one.end(), one.crc()))
              .toList();
      CutFile file = new CutFile(name, ofFile(shape.version(), name), cut, shape.isSparse(), seen);
      return directory.openRange(file, range, inFile);
    }

    /** The version of the whole file. */
    private SourceVersion ofFile(SourceVersion version, FileName name) throws FdtException {
      if (version.size() != range.length()) {
        throw noRange(name);
      }
      return new SourceVersion(cut.fileSize(), version.modified(), version.stamp());
    }

    @Override
    public boolean makeLink(
        FileName name,
        BytePath target,
        Timestamp modified,
        Owner owner,
        Consumer<FdtException> warnings)
        throws FdtException {
      throw noRange(name);
    }

    @Override
    public boolean makeHardLink(
        FileName name, DestinationDirectory first, FileName firstName, long size)
        throws FdtException {
      throw noRange(name);
    }

    @Override
    public DestinationDirectory replaceByDirectory(FileName name) throws FdtException {
      throw noRange(name);
    }

    @Override
    public void refresh(
        ExistingFile file,
        int mode,
        Timestamp modified,
        FileMetadata metadata,
        Consumer<FdtException> warnings)
        throws FdtException {}

    private FdtException noRange(FileName name) {
      return new FdtException(
          ErrorCode.PROTOCOL,
          "'%s' is not the requested range of %d bytes".formatted(name, range.length()));
    }
  }
}
