package io.fdt.core.wire;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * The payload of a PACK frame: several whole small files, one record after another.
 *
 * <pre>
 *   0               8        12       16              16 + size
 *   +---------------+--------+--------+---------------+---- - -
 *   | file id       | size   | CRC    | bytes         | next record
 *   +---------------+--------+--------+---------------+---- - -
 * </pre>
 *
 * <p>A thread that reads a disk fills a pack in place, one file after another:
 *
 * <pre>
 *   int start = Pack.begin(buffer);
 *   ... append the bytes of the file to buffer ...
 *   Pack.finish(buffer, start, fileId);     // or Pack.abandon(buffer, start)
 * </pre>
 *
 * <p>Stateless; a buffer belongs to one thread at a time.
 */
public final class Pack {
  /** Bytes before those of each file. */
  public static final int RECORD_HEADER = 16;

  private Pack() {}

  /**
   * Reserves the header of a record.
   *
   * @return its position for {@link #finish}
   */
  public static int begin(ByteBuf buffer) {
    int start = buffer.writerIndex();
    buffer.writeZero(RECORD_HEADER);
    return start;
  }

  /** Completes the record that began at {@code start}; the bytes appended since are the file. */
  public static PackRecord finish(ByteBuf buffer, int start, long fileId) {
    int index = start + RECORD_HEADER;
    int size = buffer.writerIndex() - index;
    if (size < 0 || fileId < 0) {
      throw new IllegalArgumentException("file=" + fileId + " size=" + size);
    }
    int crc = Crc32c.of(buffer, index, size);
    buffer.setLong(start, fileId);
    buffer.setInt(start + 8, size);
    buffer.setInt(start + 12, crc);
    return new PackRecord(fileId, size, crc, index);
  }

  /** Removes the record that began at {@code start}, with all bytes appended since. */
  public static void abandon(ByteBuf buffer, int start) {
    buffer.writerIndex(start);
  }

  /**
   * The records of a payload, in order, once all of it is checked. The buffer's reader and writer
   * index do not move; at most one record for every 16 bytes.
   *
   * @param payload readable bytes: the whole payload
   * @param records the count in the frame's header
   * @throws FdtException PROTOCOL when lengths do not add up
   */
  public static List<PackRecord> read(ByteBuf payload, long records) throws FdtException {
    long most = payload.readableBytes() / RECORD_HEADER;
    if (records < 0 || records > most) {
      throw violation("pack of " + records + " records in " + payload.readableBytes() + " bytes");
    }
    List<PackRecord> found = new ArrayList<>(Math.toIntExact(records));
    int index = payload.readerIndex();
    for (long i = 0; i < records; i++) {
      PackRecord record = readAt(payload, index);
      found.add(record);
      index = record.index() + record.size();
    }
    if (index != payload.writerIndex()) {
      throw violation("pack with " + (payload.writerIndex() - index) + " bytes after its records");
    }
    return found;
  }

  private static PackRecord readAt(ByteBuf payload, int start) throws FdtException {
    int left = payload.writerIndex() - start - RECORD_HEADER;
    if (left < 0) {
      throw violation("pack ends within the header of a record");
    }
    long fileId = payload.getLong(start);
    long size = payload.getUnsignedInt(start + 8);
    if (size > left) {
      throw violation("pack with a file of " + size + " bytes where " + left + " are left");
    }
    if (fileId < 0) {
      throw violation("pack with file=" + Long.toUnsignedString(fileId));
    }
    int crc = payload.getInt(start + 12);
    return new PackRecord(fileId, Math.toIntExact(size), crc, start + RECORD_HEADER);
  }

  private static FdtException violation(String message) {
    return new FdtException(ErrorCode.PROTOCOL, message);
  }
}
