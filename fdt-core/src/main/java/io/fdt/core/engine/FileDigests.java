package io.fdt.core.engine;

import io.fdt.core.digest.BlockHasher;
import io.fdt.core.digest.ChunkedDigest;
import io.fdt.core.digest.DigestMethod;
import io.fdt.core.digest.PlainHash;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Range;
import io.fdt.core.model.RangeSet;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.FileVersion;
import io.fdt.core.storage.ListedFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * Computes digests of files on request, with a cache.
 *
 * <p>Each caller reads and hashes on its own thread, 1 MiB at a time, in turns. A server limits
 * this to two concurrent readers per disk and half of the processors, so that transfers keep most
 * of both. Memory: 1 MiB for each reader, 4 MiB for the cache. Any thread.
 */
public final class FileDigests {
  /** Called while a long digest is computed; an exception ends it. */
  public interface Checkpoint {
    /**
     * Reports progress.
     *
     * @param bytes read since the last call
     */
    void read(long bytes) throws FdtException, InterruptedException;
  }

  private record Key(FileVersion version, Checksum checksum, boolean plain) {}

  /** The default number of readers of a transfer. */
  private static final int READERS_OF_DISK = 2;

  /** Zeros hashed in one turn: 0.1 s with BLAKE3. */
  private static final int STEP_OF_HOLES = 16 * DigestMethod.MAX_CHUNK;

  /** The smallest file whose holes are skipped. */
  private static final long LEAST_WITH_HOLES = 4 * DigestMethod.MAX_CHUNK;

  private static final int MOST_HOLES = 10_000;

  /** Cached digests, about 250 bytes each. */
  private static final int MAX_REMEMBERED = 16_384;

  /**
   * A file changed this recently may change again with the same mtime: the resolution of file
   * systems is 10 ms or better, except for FAT with 2 s.
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

  /** The digests of a server. */
  public FileDigests(ByteBufAllocator allocator) {
    this(allocator, Math.max(1, Runtime.getRuntime().availableProcessors() / 2), READERS_OF_DISK);
  }

  /**
   * The digests of a process without other work.
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
   * Returns a reader for digests of this kind.
   *
   * @param plain whether they are those of {@link PlainHash}; otherwise those of a transfer
   */
  public Reader reader(Checksum checksum, boolean plain) {
    return new Reader(
        DigestMethod.of(checksum, DigestMethod.MAX_CHUNK), plain && PlainHash.isOf(checksum));
  }

  /** Computes digests of one kind, of one file after another. Not thread-safe; memory: 64 KiB. */
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
     * The current digest of a file, possibly cached. Blocks.
     *
     * @throws FdtException SOURCE_CHANGED when the file is written meanwhile, IO, and the
     *     exceptions of the checkpoint
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
      return plain || !method.isOfChunks()
          ? inOrder(file, size, checkpoint)
          : ofChunks(file, size, checkpoint);
    }

    private byte[] inOrder(ListedFile file, long size, Checkpoint checkpoint)
        throws FdtException, InterruptedException {
      PlainHash hash = new PlainHash(method.checksum(), size);
      inTurn(
          file,
          size,
          checkpoint,
          new Use() {
            @Override
            public void block(ByteBuf block, long offset) {
              hash.update(block);
            }

            @Override
            public void zeros(int length, long offset) {
              hash.zeros(length);
            }
          });
      return hash.finish();
    }

    private byte[] ofChunks(ListedFile file, long size, Checkpoint checkpoint)
        throws FdtException, InterruptedException {
      ChunkedDigest digest = new ChunkedDigest(method, size);
      inTurn(
          file,
          size,
          checkpoint,
          new Use() {
            @Override
            public void block(ByteBuf block, long offset) {
              digest.add(offset, hasher.chunks(block, 0, block.readableBytes(), offset, size));
            }

            @Override
            public void zeros(int length, long offset) {
              digest.add(offset, hasher.zeros(length, offset, size));
            }
          });
      return digest.value();
    }
  }

  /** Consumes the content of a file, from start to end. */
  private interface Use {
    void block(ByteBuf block, long offset);

    void zeros(int length, long offset);
  }

  /**
   * Reads the file in turns. Skips holes in whole chunks, so that blocks begin at chunk boundaries.
   */
  private void inTurn(ListedFile file, long size, Checkpoint checkpoint, Use use)
      throws FdtException, InterruptedException {
    Semaphore readers =
        disks.computeIfAbsent(file.disk(), disk -> new Semaphore(readersOfDisk, true));
    RangeSet holes = holes(file, size);
    for (long offset = 0; offset < size; ) {
      int length = Math.toIntExact(Math.min(STEP_OF_HOLES, size - offset));
      boolean isHole = holes.contains(offset, offset + length);
      if (!isHole) {
        length = Math.min(DigestMethod.MAX_CHUNK, length);
        isHole = holes.contains(offset, offset + length);
      }
      if (isHole) {
        hashZeros(offset, length, use);
      } else {
        readers.acquire();
        try {
          readAndUse(file, offset, length, use);
        } finally {
          readers.release();
        }
      }
      checkpoint.read(length);
      offset += length;
    }
  }

  private static RangeSet holes(ListedFile file, long size) throws FdtException {
    RangeSet holes = new RangeSet();
    for (Range hole : size < LEAST_WITH_HOLES ? List.<Range>of() : file.holes(MOST_HOLES)) {
      long end = Math.min(size, hole.end());
      if (hole.start() < end) {
        holes.add(hole.start(), end);
      }
    }
    return holes;
  }

  private void hashZeros(long offset, int length, Use use) throws InterruptedException {
    processors.acquire();
    try {
      use.zeros(length, offset);
    } finally {
      processors.release();
    }
  }

  private void readAndUse(ListedFile file, long offset, int length, Use use)
      throws FdtException, InterruptedException {
    ByteBuf block = allocator.directBuffer(length);
    try {
      if (file.read(block, length, offset) < length) {
        throw changed();
      }
      processors.acquire();
      try {
        use.block(block, offset);
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

  /** Files without an inode cannot be told apart later. */
  private void remember(Key key, byte[] digest) {
    long age = Instant.now().getEpochSecond() - key.version().changed().seconds();
    if (age >= UNSETTLED_SECONDS && key.version().inode() != 0) {
      synchronized (remembered) {
        remembered.put(key, digest.clone());
      }
    }
  }
}
