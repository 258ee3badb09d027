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
 * Digests of files on request, and a memory of recent ones.
 *
 * <p>Each caller reads and hashes on a thread of its own, 1 MiB at a time, when it is its turn. A
 * server lets two at a time read one disk, and half of the processors hash, so that transfers keep
 * most of either, however many ask. Memory: 1 MiB for each reader, 4 MiB for what is remembered.
 * Any thread.
 */
public final class FileDigests {
  /** Called while a long digest is made; an exception ends it. */
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

  /** Zeros that are hashed in one turn: BLAKE3 takes 0.1 s for them. */
  private static final int STEP_OF_HOLES = 16 * DigestMethod.MAX_CHUNK;

  /** Holes of smaller files are read. */
  private static final long LEAST_WITH_HOLES = 4 * DigestMethod.MAX_CHUNK;

  private static final int MOST_HOLES = 10_000;

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

  /** The digests of a server. */
  public FileDigests(ByteBufAllocator allocator) {
    this(allocator, Math.max(1, Runtime.getRuntime().availableProcessors() / 2), READERS_OF_DISK);
  }

  /**
   * The digests of a process that may do nothing else.
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

  /** The content of a digest, from the start of the file to its end. */
  private interface Use {
    void block(ByteBuf block, long offset);

    void zeros(int length, long offset);
  }

  /** Holes are not read: whole pieces of them only, so that blocks begin where chunks do. */
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

  private void remember(Key key, byte[] digest) {
    long age = Instant.now().getEpochSecond() - key.version().changed().seconds();
    if (age >= UNSETTLED_SECONDS) {
      synchronized (remembered) {
        remembered.put(key, digest.clone());
      }
    }
  }
}
