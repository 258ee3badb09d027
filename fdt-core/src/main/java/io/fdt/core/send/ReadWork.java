package io.fdt.core.send;

import io.fdt.core.buffer.BufferBudget;
import io.fdt.core.compress.Compressor;
import io.fdt.core.digest.BlockHasher;
import io.fdt.core.digest.DigestMethod;
import io.fdt.core.digest.PieceHasher;
import io.fdt.core.engine.DiskThread;
import io.fdt.core.error.FdtException;
import io.fdt.core.session.sender.DigestCheck;
import io.fdt.core.session.sender.HashedRanges;
import io.fdt.core.session.sender.OutgoingFile;
import io.fdt.core.session.sender.ReadJob;
import io.fdt.core.session.sender.SenderEvent.ReadFailure;
import io.fdt.core.storage.SourceTree.SourceFile;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Pack;
import io.fdt.core.wire.PayloadDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;

/**
 * The work of a reader thread: fills a buffer with one block, or with small files one after
 * another, after space for the header of the frame.
 *
 * <p>Thread-safe; each call works on a buffer of its own.
 */
final class ReadWork {
  /**
   * A filled buffer: a whole frame without its header.
   *
   * @param job the job, without the files that failed
   * @param frame space for the header, then the payload, which may be encoded; null when nothing
   *     could be read
   * @param encoding of the payload, as in the header of a frame
   * @param length bytes of the plain payload
   * @param budgeted bytes taken from the budget for the frame
   * @param crc checksum of the plain payload
   * @param hashes of the chunks of a block read for the first time; empty for repetitions and when
   *     the digest does not use chunks
   * @param failures files that could not be read
   */
  record Filled(
      ReadJob<SourceFile> job,
      ByteBuf frame,
      int encoding,
      int length,
      long budgeted,
      int crc,
      byte[] hashes,
      List<ReadFailure<SourceFile>> failures) {
    /** A result without a frame: nothing is sent. */
    static Filled nothing(
        ReadJob<SourceFile> job, int crc, byte[] hashes, List<ReadFailure<SourceFile>> failures) {
      return new Filled(job, null, PayloadDecoder.PLAIN, 0, 0, crc, hashes, failures);
    }
  }

  private static final byte[] NONE = {};

  private final ByteBufAllocator allocator;
  private final BufferBudget budget;
  private final DigestMethod method;
  private final Compressor compressor;
  private final DigestCheck<SourceFile> digests;
  private final ThreadLocal<BlockHasher> hashers;
  private final ThreadLocal<PieceHasher> pieces = ThreadLocal.withInitial(PieceHasher::new);

  /**
   * @param digests compares the digests of small files
   */
  ReadWork(
      ByteBufAllocator allocator,
      BufferBudget budget,
      DigestMethod method,
      Compressor compressor,
      DigestCheck<SourceFile> digests) {
    this.digests = digests;
    this.allocator = allocator;
    this.budget = budget;
    this.method = method;
    this.compressor = compressor;
    this.hashers = ThreadLocal.withInitial(() -> new BlockHasher(method));
  }

  /**
   * Reads a block; waits for memory.
   *
   * @return null when the session has ended
   */
  Filled block(ReadJob.Block<SourceFile> block, SharedReader reader) throws InterruptedException {
    ByteBuf frame = frame(block.length());
    if (frame == null) {
      return null;
    }
    long budgeted = frame.capacity();
    try {
      if (block.file().isStream()) {
        return streamed(block, reader, frame);
      }
      read(reader, frame, block.file(), block.offset(), block.length(), block.repeated());
      byte[] hashes =
          block.repeated() ? NONE : hashes(frame, block.file(), block.offset(), block.length());
      return filled(block, frame, hashes, List.of());
    } catch (FdtException e) {
      discard(frame, budgeted);
      return failed(block, block.file(), e);
    } catch (RuntimeException | Error e) {
      discard(frame, budgeted);
      throw e;
    }
  }

  /**
   * The bytes of a stream for one block: a short block ends the stream, and an empty one has no
   * frame.
   */
  private Filled streamed(ReadJob.Block<SourceFile> block, SharedReader reader, ByteBuf frame)
      throws FdtException {
    int read = reader.read(frame, block.length(), block.offset(), block.repeated());
    ReadJob.Block<SourceFile> found =
        new ReadJob.Block<>(block.file(), block.offset(), read, block.repeated());
    if (read == 0) {
      discard(frame, frame.capacity());
      return Filled.nothing(found, 0, NONE, List.of());
    }
    return filled(found, frame, NONE, List.of());
  }

  /**
   * Reads a block only for its hashes; waits for memory. Holes are not read.
   *
   * @return null when the session has ended
   */
  Filled check(ReadJob.Check<SourceFile> check, SharedReader reader) throws InterruptedException {
    if (check.isHole() && method.isOfChunks()) {
      byte[] hashes = hashers.get().zeros(check.length(), check.offset(), check.file().size());
      return Filled.nothing(check, 0, hashes, List.of());
    }
    ByteBuf frame = frame(check.length());
    if (frame == null) {
      return null;
    }
    long budgeted = frame.capacity();
    try {
      read(reader, frame, check.file(), check.offset(), check.length(), false);
      if (check.isCrcOnly() || !method.isOfChunks()) {
        return Filled.nothing(check, crcOf(frame), NONE, List.of());
      }
      byte[] hashes = hashes(frame, check.file(), check.offset(), check.length());
      return Filled.nothing(check, 0, hashes, List.of());
    } catch (FdtException e) {
      return failed(check, check.file(), e);
    } finally {
      discard(frame, budgeted);
    }
  }

  /**
   * Reads a range for the hashes of its pieces; waits for memory.
   *
   * @return null when the session has ended
   */
  Filled hash(ReadJob.Hash<SourceFile> hash, SharedReader reader) throws InterruptedException {
    HashedRanges.Part part = hash.part();
    int length = Math.toIntExact(part.range().length());
    ByteBuf frame = frame(length);
    if (frame == null) {
      return null;
    }
    long budgeted = frame.capacity();
    long start = System.nanoTime();
    try {
      read(reader, frame, hash.file(), part.range().start(), length, true);
      byte[] hashes =
          pieces.get().hashes(frame, FrameHeader.LENGTH, length, part.piece(), part.strong());
      ReadJob.Hash<SourceFile> done =
          new ReadJob.Hash<>(hash.file(), part, System.nanoTime() - start);
      return Filled.nothing(done, 0, hashes, List.of());
    } catch (FdtException e) {
      return failed(hash, hash.file(), e);
    } finally {
      discard(frame, budgeted);
    }
  }

  private static Filled failed(
      ReadJob<SourceFile> job, OutgoingFile<SourceFile> file, FdtException cause) {
    return Filled.nothing(job, 0, NONE, List.of(new ReadFailure<>(file, cause)));
  }

  private static void read(
      SharedReader reader,
      ByteBuf frame,
      OutgoingFile<SourceFile> file,
      long offset,
      int length,
      boolean repeated)
      throws FdtException {
    int read = reader.read(frame, length, offset, repeated);
    if (read < length) {
      file.source().checkWhole(offset + read, file.size());
    }
  }

  private byte[] hashes(ByteBuf frame, OutgoingFile<SourceFile> file, long offset, int length) {
    return method.isOfChunks()
        ? hashers.get().chunks(frame, FrameHeader.LENGTH, length, offset, file.size())
        : NONE;
  }

  /**
   * Reads small files; waits for memory.
   *
   * @return null when the session has ended
   */
  Filled pack(ReadJob.Pack<SourceFile> pack) throws InterruptedException {
    int recordBytes = Pack.RECORD_HEADER + method.packedLength();
    long length = pack.payload() + (long) pack.files().size() * recordBytes;
    ByteBuf frame = frame(Math.toIntExact(length));
    if (frame == null) {
      return null;
    }
    long budgeted = frame.capacity();
    List<OutgoingFile<SourceFile>> read = new ArrayList<>(pack.files().size());
    List<ReadFailure<SourceFile>> failures = new ArrayList<>();
    for (OutgoingFile<SourceFile> file : pack.files()) {
      int start = Pack.begin(frame);
      try {
        file.source().readWhole(frame, Math.toIntExact(file.size()));
        appendDigest(frame, start + Pack.RECORD_HEADER, file);
        Pack.finish(frame, start, file.id());
        read.add(file);
      } catch (FdtException e) {
        Pack.abandon(frame, start);
        failures.add(new ReadFailure<>(file, e));
      }
    }
    if (read.isEmpty()) {
      discard(frame, budgeted);
      return Filled.nothing(pack, 0, NONE, failures);
    }
    return filled(new ReadJob.Pack<>(read, pack.repeated()), frame, NONE, failures);
  }

  /** Appends the digest of a small file to its bytes, unless the record has a field for it. */
  private void appendDigest(ByteBuf frame, int start, OutgoingFile<SourceFile> file)
      throws FdtException {
    if (method.isOfChunks()) {
      byte[] digest = hashers.get().whole(frame, start, frame.writerIndex() - start);
      digests.check(file.source(), file.size(), digest);
      frame.writeBytes(digest);
    }
  }

  /** Takes over a frame with its plain payload, which may be compressed. */
  private Filled filled(
      ReadJob<SourceFile> job,
      ByteBuf plain,
      byte[] hashes,
      List<ReadFailure<SourceFile>> failures) {
    int crc = crcOf(plain);
    int length = plain.writerIndex() - FrameHeader.LENGTH;
    int before = plain.capacity();
    Compressor.Result result = compressor.compress(plain, FrameHeader.LENGTH);
    int after = result.frame().capacity();
    if (after < before) {
      budget.giveBack(before - after);
    }
    return new Filled(job, result.frame(), result.encoding(), length, after, crc, hashes, failures);
  }

  private ByteBuf frame(int payload) throws InterruptedException {
    int length = FrameHeader.LENGTH + payload;
    DiskThread.waits();
    boolean isOpen = budget.take(length);
    DiskThread.works();
    if (!isOpen) {
      return null;
    }
    try {
      return allocator.directBuffer(length, length).writerIndex(FrameHeader.LENGTH);
    } catch (RuntimeException | Error e) {
      budget.giveBack(length);
      throw e;
    }
  }

  private void discard(ByteBuf frame, long budgeted) {
    frame.release();
    budget.giveBack(budgeted);
  }

  private static int crcOf(ByteBuf frame) {
    return Crc32c.of(frame, FrameHeader.LENGTH, frame.writerIndex() - FrameHeader.LENGTH);
  }
}
