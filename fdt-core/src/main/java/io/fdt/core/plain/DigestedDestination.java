package io.fdt.core.plain;

import io.fdt.core.digest.PlainHash;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.forward.ForwardingDirectory;
import io.fdt.core.storage.forward.ForwardingFile;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * A destination that hashes files in order behind the writes and checks the digest before a file
 * gets its name. A rejected file leaves the earlier one in place and is removed. A hard link to an
 * existing file has no bytes of its own and is not reported.
 *
 * <p>Each file is hashed by one of the threads that write it. Any thread.
 */
public final class DigestedDestination implements DestinationTree {
  private final DestinationTree tree;
  private final PlainDigests digests;
  private volatile LongConsumer meter = bytes -> {};

  /**
   * @param tree allows reading back what was written to it
   */
  public DigestedDestination(DestinationTree tree, PlainDigests digests) {
    this.tree = tree;
    this.digests = digests;
  }

  @Override
  public void meter(LongConsumer bytes) {
    meter = bytes;
    tree.meter(bytes);
  }

  @Override
  public Base open(List<Root> roots) throws FdtException {
    Base base = tree.open(roots);
    return new Base(new Directory(base.directory()), base.newName());
  }

  @Override
  public void force() throws FdtException {
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
    Directory(DestinationDirectory directory) {
      super(directory);
    }

    @Override
    protected DestinationDirectory wrap(DestinationDirectory child) {
      return new Directory(child);
    }

    @Override
    protected PendingFile wrap(FileName name, FileShape shape, PendingFile file) {
      return shape.size() == FileShape.UNKNOWN_SIZE
          ? file
          : new File(file, pathOf(name), shape.size());
    }

    @Override
    public boolean put(
        FileName name, ByteBuf bytes, int mode, Timestamp modified, FileMetadata metadata)
        throws FdtException {
      PlainHash hash = new PlainHash(digests.checksum(), bytes.readableBytes());
      hash.update(bytes);
      digests.made(pathOf(name), hash.finish());
      return super.put(name, bytes, mode, modified, metadata);
    }

    private String pathOf(FileName name) {
      String parent = path();
      return parent.isEmpty() || parent.endsWith("/") ? parent + name : parent + "/" + name;
    }
  }

  private final class File extends ForwardingFile {
    private final String path;
    private final ArrivalHash hash;

    File(DestinationDirectory.PendingFile file, String path, long size) {
      super(file);
      this.path = path;
      this.hash = new ArrivalHash(digests.checksum(), size, meter);
    }

    @Override
    public void write(ByteBuf source, long offset) throws FdtException {
      super.write(source, offset);
      hash.add(source, source.readerIndex(), source.readableBytes(), offset, this::readAgain);
    }

    @Override
    public void makeHole(Range range) throws FdtException {
      super.makeHole(range);
      hash.addHole(range);
    }

    private void readAgain(ByteBuf target, int length, long offset) throws FdtException {
      int read = read(target, length, offset);
      if (read < length) {
        throw new FdtException(
            ErrorCode.VERIFICATION,
            "'%s' has %d bytes on its device, fewer than were written: removed"
                .formatted(path, offset + read));
      }
    }

    @Override
    public void publish(int mode, Timestamp modified, Durability durability) throws FdtException {
      digests.made(path, hash.finish(this::readAgain));
      super.publish(mode, modified, durability);
    }

    @Override
    public void discard() {
      hash.cancel();
      super.discard();
    }

    @Override
    public void close() {
      hash.cancel();
      super.close();
    }
  }
}
