package io.fdt.core.receive;

import io.fdt.core.engine.DiskWork;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.session.receiver.PackedFile;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.wire.PackRecord;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the small files of a pack, each with its digest checked before it gets its name.
 *
 * <p>Thread-safe: called on disk threads.
 */
final class PackWriter {
  private final ReceivedDigests digests;
  private final FilePublisher publisher;

  PackWriter(ReceivedDigests digests, FilePublisher publisher) {
    this.digests = digests;
    this.publisher = publisher;
  }

  /** Writes files of one disk and gives them their final names; each file has an outcome. */
  void write(List<PackedFile<ReceivedFileWriter>> files, ByteBuf payload) {
    for (PackedFile<ReceivedFileWriter> file : files) {
      FdtException failure = DiskWork.attempt(() -> write(file, payload));
      if (failure != null) {
        file.failed(failure);
        file.file().writer().close();
      }
    }
    if (publisher.forcesNames()) {
      forceNames(files);
    }
  }

  private void write(PackedFile<ReceivedFileWriter> file, ByteBuf payload) throws FdtException {
    ReceivedFileWriter writer = file.file().writer();
    PackRecord record = file.record();
    int digestLength = digests.packedLength();
    ByteBuf all = record.slice(payload);
    ByteBuf bytes = digestLength == 0 ? all : all.slice(0, record.size() - digestLength);
    byte[] digest = digests.ofFile(bytes);
    boolean isAsStated =
        digestLength == 0
            ? digest.length == 0 || ByteBuffer.wrap(digest).getInt() == record.crc()
            : all.slice(bytes.readableBytes(), digestLength).equals(Unpooled.wrappedBuffer(digest));
    if (!isAsStated) {
      throw new FdtException(
          ErrorCode.VERIFICATION,
          "'%s' differs from the source: not kept".formatted(writer.path()));
    }
    publisher.put(writer, bytes, digest);
    file.stored(digest, writer.warnings());
  }

  /** Forces each directory once, however many files of the pack it contains. */
  private void forceNames(List<PackedFile<ReceivedFileWriter>> files) {
    Map<DestinationDirectory, FdtException> forced = new HashMap<>();
    for (PackedFile<ReceivedFileWriter> file : files) {
      ReceivedFileWriter writer = file.file().writer();
      if (file.failure() == null) {
        if (!forced.containsKey(writer.directory())) {
          forced.put(writer.directory(), DiskWork.attempt(() -> publisher.forceName(writer)));
        }
        FdtException failure = forced.get(writer.directory());
        if (failure != null) {
          file.failed(failure);
        }
      }
    }
  }
}
