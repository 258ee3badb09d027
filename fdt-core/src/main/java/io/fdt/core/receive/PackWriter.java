package io.fdt.core.receive;

import io.fdt.core.engine.DiskWork;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.session.IncomingFile;
import io.fdt.core.session.ReceiverSession;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DiskId;
import io.fdt.core.wire.Pack;
import io.fdt.core.wire.PackRecord;
import io.fdt.core.wire.ReceivedFrame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes the small files of a pack apart and writes them, each with its digest checked.
 *
 * <p>{@link #split} and {@link #stored} are confined to the session's event loop, {@link #write}
 * runs on threads of disks.
 */
final class PackWriter {
  /** One small file of a pack that is wanted, and how it is written. */
  final class Piece implements DiskWork {
    private final IncomingFile<ReceivedFileWriter> file;
    private final ByteBuf bytes;

    /** What the sender says, where the digest is no CRC32C; otherwise null. */
    private final ByteBuf stated;

    private final int statedCrc;
    private byte[] digest;
    private FdtException failure;

    private Piece(
        IncomingFile<ReceivedFileWriter> file, ByteBuf bytes, ByteBuf stated, int statedCrc) {
      this.file = file;
      this.bytes = bytes;
      this.stated = stated;
      this.statedCrc = statedCrc;
    }

    @Override
    public void run() throws FdtException {
      ReceivedFileWriter handle = file.handle();
      digest = digests.ofFile(bytes);
      if (!isAsStated()) {
        throw new FdtException(
            ErrorCode.VERIFICATION,
            "'%s' is not what the source says that it is: not kept".formatted(handle.path()));
      }
      finisher.put(handle, bytes, digest);
    }

    private boolean isAsStated() {
      if (stated != null) {
        return stated.equals(Unpooled.wrappedBuffer(digest));
      }
      return digest.length == 0 || ByteBuffer.wrap(digest).getInt() == statedCrc;
    }
  }

  private final ReceiverSession<ReceivedFileWriter> session;
  private final ReceivedDigests digests;
  private final FilePublisher finisher;
  private final TransferEvents events;

  PackWriter(
      ReceiverSession<ReceivedFileWriter> session,
      ReceivedDigests digests,
      FilePublisher finisher,
      TransferEvents events) {
    this.events = events;
    this.session = session;
    this.digests = digests;
    this.finisher = finisher;
  }

  /** The files of a pack that are wanted, by the disk that they go to. */
  Map<DiskId, List<Piece>> split(ReceivedFrame frame) throws FdtException {
    Map<DiskId, List<Piece>> byDisk = new LinkedHashMap<>();
    for (PackRecord record : Pack.read(frame.payload(), frame.header().fileId())) {
      int size = record.size() - digests.packedLength();
      IncomingFile<ReceivedFileWriter> file = session.onRecord(record.fileId(), size);
      if (file != null) {
        ByteBuf all = record.slice(frame.payload());
        boolean isAlone = size == record.size(); // each view is an object more for each file
        ByteBuf bytes = isAlone ? all : all.slice(0, size);
        ByteBuf stated = isAlone ? null : all.slice(size, digests.packedLength());
        byDisk
            .computeIfAbsent(file.handle().disk(), d -> new ArrayList<>())
            .add(new Piece(file, bytes, stated, record.crc()));
      }
    }
    return byDisk;
  }

  /** Writes files of one disk and gives them their final names. */
  void write(List<Piece> pieces) {
    for (Piece piece : pieces) {
      piece.failure = DiskWork.attempt(piece);
      if (piece.failure != null) {
        piece.file.handle().close();
      }
    }
    if (finisher.forcesNames()) {
      forceNames(pieces);
    }
  }

  /** One force for each directory, however many files of the pack lie in it. */
  private void forceNames(List<Piece> pieces) {
    Map<DestinationDirectory, FdtException> forced = new HashMap<>();
    for (Piece piece : pieces) {
      ReceivedFileWriter handle = piece.file.handle();
      if (piece.failure == null) {
        if (!forced.containsKey(handle.directory())) {
          forced.put(handle.directory(), DiskWork.attempt(() -> finisher.forceName(handle)));
        }
        piece.failure = forced.get(handle.directory());
      }
    }
  }

  /** Tells both ends what could not be set of a file that is in place. */
  void tellMetadataWarnings(IncomingFile<ReceivedFileWriter> file) {
    for (FdtException one : file.handle().warnings()) {
      session.onMetadataWarning(file.id(), one.code(), one.getMessage());
      events.problem(file.handle().path(), false, one.code(), one.getMessage());
    }
  }

  /** Tells the session what came of files that were written. */
  void stored(List<Piece> pieces) {
    for (Piece piece : pieces) {
      if (piece.failure == null) {
        piece.file.setPackedDigest(piece.digest);
        session.onRecordStored(piece.file);
        tellMetadataWarnings(piece.file);
        events.fileDone(piece.file.handle()::path, piece.file.size(), piece.digest);
      } else {
        session.fail(piece.file, piece.failure.code(), piece.failure.getMessage());
      }
    }
  }
}
