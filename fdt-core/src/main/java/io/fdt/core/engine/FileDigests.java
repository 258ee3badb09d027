package io.fdt.core.engine;

import io.fdt.core.digest.BlockHasher;
import io.fdt.core.digest.ChunkedDigest;
import io.fdt.core.digest.DigestMethod;
import io.fdt.core.digest.PlainHash;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Checksum;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.FileVersion;
import io.fdt.core.storage.source.ListedFile;
import io.fdt.core.wire.Crc32c;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * Digests of files that somebody asks for, and those that it remembers.
 *
 * <p>Each caller reads and hashes on a thread of its own, 1 MiB at a time, when it is its turn. A
 * server lets two at a time read one disk, and half of the processors hash, so that transfers keep
 * most of either, however many ask. Memory: 1 MiB for each reader, 4 MiB for what is remembered.
 * Any thread.
 */
public final class FileDigests {
  /** Is told how a long digest goes on; what it throws ends it. */
  public interface Checkpoint {
    /**
     * Some more was read.
     *
     * @param bytes since the last time
     */
    void read(long bytes) throws FdtException, InterruptedException;
  }

  private record Key(FileVersion version, Checksum checksum, boolean plain) {}

  /** As many as a transfer has by default. */
  private static final int READERS_OF_DISK = 2;

  /** About 250 bytes each. */
  private static final int MAX_REMEMBERED = 16_384;

  /**
   * A file that was changed this recently may be changed again without a new time: clocks of file
   * systems tick every 10 ms at the slowest, but for FAT, which has 2 s.
   */
  private static final long UNSETTLED_SECONDS = 3;

  private final ByteBufAllocator allocator;
  private final Semaphore processors;
  private final int readersOfDisk;
  private final Map<DiskId, Semaphore> disks = new ConcurrentHashMap<>();
  private final Map<Key, byte[]> remembered =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, byte[]> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  /** Those of a server. */
  public FileDigests(ByteBufAllocator allocator) {
    this(allocator, Math.max(1, Runtime.getRuntime().availableProcessors() / 2), READERS_OF_DISK);
  }

  /**
   * Those of a process that may do nothing else.
   *
   * @param processors threads that hash at a time
   * @param readersOfDisk threads that read one disk at a time
   */
  public FileDigests(ByteBufAllocator allocator, int processors, int readersOfDisk) {
    this.allocator = allocator;
    this.processors = new Semaphore(processors, true);
    this.readersOfDisk = readersOfDisk;
  }

  /**
   * Makes digests of this kind, of one file after another.
   *
   * @param plain whether they are of the bytes in order, as {@link PlainHash}; else as a transfer
   *     makes them
   */
  public Reader reader(Checksum checksum, boolean plain) {
    return new Reader(
        DigestMethod.of(checksum, DigestMethod.MAX_CHUNK), plain && PlainHash.isOf(checksum));
  }

  /** Makes digests of one kind. Not thread-safe; memory: 64 KiB. */
  public final class Reader {
    private final DigestMethod method;
    private final boolean plain;
    private final BlockHasher hasher;

    private Reader(DigestMethod method, boolean plain) {
      this.method = method;
      this.plain = plain;
      this.hasher = new BlockHasher(method);
    }

    /**
     * The digest of a file as it is now, maybe remembered. Blocks.
     *
     * @throws FdtException SOURCE_CHANGED when somebody writes to it meanwhile, IO, and what the
     *     checkpoint throws
     */
    public byte[] digest(ListedFile file, Checkpoint checkpoint)
        throws FdtException, InterruptedException {
      FileVersion before = file.version();
      Key key = new Key(before, method.checksum(), plain);
      byte[] known = recall(key);
      if (known != null) {
        return known;
      }
      byte[] digest = read(file, before.size(), checkpoint);
      if (!file.version().equals(before)) {
        throw changed();
      }
      remember(key, digest);
      return digest;
    }

    private byte[] read(ListedFile file, long size, Checkpoint checkpoint)
        throws FdtException, InterruptedException {
      if (plain) {
        return inOrder(file, size, checkpoint);
      }
      return method.isOfChunks() ? ofChunks(file, size, checkpoint) : crc(file, size, checkpoint);
    }

    private byte[] inOrder(ListedFile file, long size, Checkpoint checkpoint)
        throws FdtException, InterruptedException {
      PlainHash hash = new PlainHash(method.checksum());
      inTurn(file, size, checkpoint, (block, offset) -> hash.update(block));
      return hash.finish();
    }

    private byte[] ofChunks(ListedFile file, long size, Checkpoint checkpoint)
        throws FdtException, InterruptedException {
      ChunkedDigest digest = new ChunkedDigest(method, size);
      inTurn(
          file,
          size,
          checkpoint,
          (block, offset) ->
              digest.add(offset, hasher.chunks(block, 0, block.readableBytes(), offset, size)));
      return digest.value();
    }

    private byte[] crc(ListedFile file, long size, Checkpoint checkpoint)
        throws FdtException, InterruptedException {
      Crc32c crc = new Crc32c();
      inTurn(
          file, size, checkpoint, (block, offset) -> crc.update(block, 0, block.readableBytes()));
      return BlockHasher.ofCrc(crc.value());
    }
  }

  private interface BlockUse {
    void use(ByteBuf block, long offset);
  }

  private void inTurn(ListedFile file, long size, Checkpoint checkpoint, BlockUse use)
      throws FdtException, InterruptedException {
    Semaphore readers =
        disks.computeIfAbsent(file.disk(), disk -> new Semaphore(readersOfDisk, true));
    for (long offset = 0; offset < size; ) {
      int length = Math.toIntExact(Math.min(DigestMethod.MAX_CHUNK, size - offset));
      readers.acquire();
      try {
        readAndUse(file, offset, length, use);
      } finally {
        readers.release();
      }
      checkpoint.read(length);
      offset += length;
    }
  }

  private void readAndUse(ListedFile file, long offset, int length, BlockUse use)
      throws FdtException, InterruptedException {
    ByteBuf block = allocator.directBuffer(length);
    try {
      if (file.read(block, length, offset) < length) {
        throw changed();
      }
      processors.acquire();
      try {
        use.use(block, offset);
      } finally {
        processors.release();
      }
    } finally {
      block.release();
    }
  }

  private static FdtException changed() {
    return new FdtException(
        ErrorCode.SOURCE_CHANGED, "it was written to while it was read; try again later");
  }

  private byte[] recall(Key key) {
    synchronized (remembered) {
      byte[] known = remembered.get(key);
      return known == null ? null : known.clone();
    }
  }

  private void remember(Key key, byte[] digest) {
    long age = Instant.now().getEpochSecond() - key.version().changed().seconds();
    if (age >= UNSETTLED_SECONDS) {
      synchronized (remembered) {
        remembered.put(key, digest.clone());
      }
    }
  }
}
