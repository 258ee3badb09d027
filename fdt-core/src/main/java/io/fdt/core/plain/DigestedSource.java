package io.fdt.core.plain;

import io.fdt.core.digest.PlainHash;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Range;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.forward.ForwardingSource;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * A source that hashes files in order behind the reads. A rejected file cannot be read to its end,
 * so that the receiver never gives it a name. Needs a digest for which every byte is read here: not
 * CRC32C, since a receiver that resumes a file already has the checksum of its part.
 *
 * <p>Each file is hashed by one of the threads that read it. Any thread.
 */
public final class DigestedSource extends ForwardingSource {
  private final PlainDigests digests;
  private volatile LongConsumer meter = bytes -> {};

  public DigestedSource(SourceTree tree, PlainDigests digests) {
    super(tree);
    this.digests = digests;
  }

  @Override
  public void meter(LongConsumer bytes) {
    meter = bytes;
    super.meter(bytes);
  }

  @Override
  public void walk(Visitor visitor) throws InterruptedException {
    super.walk(
        new Visitor() {
          @Override
          public void entry(Entry entry, SourceFile file) throws InterruptedException {
            visitor.entry(entry, file == null ? null : new File(file, entry.size()));
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
            visitor.failed(path, reason);
          }
        });
  }

  private FdtException refusal(String path, BlockReader reader, ArrivalHash all) {
    try {
      reader.checkUnchanged();
      digests.made(path, all.finish(reader::read));
      return null;
    } catch (FdtException e) {
      return e;
    }
  }

  /** Allocates little until blocks are read. */
  private final class File implements SourceFile {
    private final SourceFile file;
    private final long size;
    private ArrivalHash hash;
    private boolean checked;

    /** Why the file is rejected; null otherwise. */
    private FdtException refusal;

    File(SourceFile file, long size) {
      this.file = file;
      this.size = size;
    }

    @Override
    public DiskId disk() {
      return file.disk();
    }

    @Override
    public String path() {
      return file.path();
    }

    @Override
    public String change() {
      return file.change();
    }

    @Override
    public BlockReader open() throws FdtException {
      return new Reader(this, file.open());
    }

    @Override
    public void readWhole(ByteBuf target, int length) throws FdtException {
      int start = target.writerIndex();
      file.readWhole(target, length);
      PlainHash whole = new PlainHash(digests.checksum(), length);
      whole.update(target, start, length);
      digests.made(path(), whole.finish());
    }

    @Override
    public void checkWhole(long read, long expected) throws FdtException {
      file.checkWhole(read, expected);
    }

    private synchronized ArrivalHash hash() {
      if (hash == null) {
        hash = new ArrivalHash(digests.checksum(), size, meter);
      }
      return hash;
    }

    /** Checks the digest, once, when every byte is hashed. */
    private void checkIfComplete(BlockReader reader) throws FdtException {
      ArrivalHash all = hash();
      if (!all.isComplete()) {
        return;
      }
      synchronized (this) { // readers of the last block wait for the result
        if (!checked) {
          checked = true;
          refusal = DigestedSource.this.refusal(path(), reader, all);
        }
        if (refusal != null) {
          throw refusal;
        }
      }
    }

    @Override
    public void release() {
      synchronized (this) {
        if (hash != null) {
          hash.cancel();
        }
      }
      file.release();
    }
  }

  private record Reader(File file, BlockReader reader) implements BlockReader {
    @Override
    public int read(ByteBuf target, int length, long offset) throws FdtException {
      int start = target.writerIndex();
      int read = reader.read(target, length, offset);
      file.hash().add(target, start, read, offset, this::readAgain);
      file.checkIfComplete(reader);
      return read;
    }

    private void readAgain(ByteBuf target, int length, long offset) throws FdtException {
      int read = reader.read(target, length, offset);
      reader.checkUnchanged();
      if (read < length) {
        throw new FdtException(
            ErrorCode.SOURCE_CHANGED,
            file.path() + " became shorter while it was read; run the command again");
      }
    }

    @Override
    public void checkUnchanged() throws FdtException {
      reader.checkUnchanged();
    }

    @Override
    public List<Range> holes(int most) throws FdtException {
      List<Range> holes = reader.holes(most);
      holes.forEach(file.hash()::addHole);
      if (holes.stream().mapToLong(Range::length).sum() == file.size) {
        reader.checkUnchanged();
        file.hash().finish(this::readAgain);
        file.checkIfComplete(reader);
      }
      return holes;
    }

    @Override
    public void close() {
      reader.close();
    }
  }
}
