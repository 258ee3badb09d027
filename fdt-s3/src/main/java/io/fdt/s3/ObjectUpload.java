package io.fdt.s3;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.Range;
import io.fdt.core.model.RangeSet;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * An object that grows: blocks become parts in memory, and each complete part is uploaded while the
 * next ones grow. The object exists only when {@link #publish} has completed it.
 *
 * <pre>
 *   blocks ---> part in memory ---> full: UploadPart ---> publish: CompleteMultipartUpload
 *                    '--- all of a small file ---> publish: PutObject
 * </pre>
 *
 * <p>Thread-safe.
 */
final class ObjectUpload implements DestinationDirectory.PendingFile {
  /** A part that grows; its bytes are those of the file from {@code number * partSize} on. */
  private static final class Growing {
    final byte[] bytes;
    final RangeSet written = new RangeSet();

    Growing(byte[] bytes) {
      this.bytes = bytes;
    }
  }

  private final S3Destination destination;
  private final ObjectPath path;
  private final ObjectWriter writer;
  private final FileShape shape;
  private final long partSize;
  private final Conditions conditions;
  private final Runnable afterwards;
  private final Map<Integer, Growing> growing = new HashMap<>();
  private final Map<Integer, Future<UploadedPart>> uploading = new HashMap<>();
  private final Map<Integer, UploadedPart> uploaded = new ConcurrentHashMap<>();
  private FileMetadata metadata = FileMetadata.NONE;
  private long end;

  /** Null until the first part is full. */
  private MultipartUpload upload;

  private boolean published;
  private boolean closed;

  /**
   * @param kept an earlier upload of this object, which is continued; null to begin anew
   * @param afterwards runs when the object is complete
   */
  ObjectUpload(
      S3Destination destination,
      ObjectPath path,
      FileShape shape,
      Conditions conditions,
      MultipartUpload.Found kept,
      Runnable afterwards) {
    this.destination = destination;
    this.path = path;
    this.writer = new ObjectWriter(destination.store(), path);
    this.shape = shape;
    this.partSize = PartSizes.of(shape.size());
    this.conditions = conditions;
    this.afterwards = afterwards;
    if (kept != null) {
      upload = kept.upload();
      RangeSet ranges = new RangeSet();
      shape.kept().forEach(range -> ranges.add(range.start(), range.end()));
      for (UploadedPart part : kept.parts()) {
        long start = (part.number() - 1) * partSize;
        if (ranges.contains(start, start + part.length())) {
          uploaded.put(part.number(), part);
        }
      }
      end = ranges.isEmpty() ? 0 : ranges.end(ranges.count() - 1);
    }
  }

  @Override
  public synchronized void write(ByteBuf source, long offset) throws FdtException {
    int first = source.readerIndex();
    int length = source.readableBytes();
    for (int done = 0; done < length; ) {
      done += put(source, first + done, offset + done, length - done);
    }
  }

  /** {@inheritDoc} Zeros are uploaded like other bytes. */
  @Override
  public synchronized void makeHole(Range range) throws FdtException {
    for (long at = range.start(); at < range.end(); ) {
      at += put(null, 0, at, range.end() - at);
    }
  }

  /**
   * Copies bytes into one part.
   *
   * @param source null for zeros
   * @return how many
   */
  private int put(ByteBuf source, int index, long offset, long most) throws FdtException {
    checkOpen();
    int number = Math.toIntExact(offset / partSize) + 1;
    long start = (number - 1) * partSize;
    int within = (int) (offset - start);
    int length = (int) Math.min(most, partSize - within);
    Growing part = growing.get(number);
    if (part == null) {
      part = new Growing(destination.memory().take(lengthOf(number)));
      growing.put(number, part);
    }
    if (source == null) {
      Arrays.fill(part.bytes, within, within + length, (byte) 0);
    } else {
      source.getBytes(index, part.bytes, within, length);
    }
    part.written.add(within, within + length);
    end = Math.max(end, offset + length);
    boolean isFull = part.written.covered() == part.bytes.length;
    if (isFull && (shape.size() == FileShape.UNKNOWN_SIZE || shape.size() > PartSizes.SINGLE)) {
      upload(number, part, part.bytes.length);
    }
    return length;
  }

  /** The bytes of a part; a file of unknown size may end within it. */
  private int lengthOf(int number) {
    long left =
        shape.size() == FileShape.UNKNOWN_SIZE ? partSize : shape.size() - (number - 1) * partSize;
    return Math.toIntExact(Math.min(partSize, left));
  }

  private void upload(int number, Growing part, int length) throws FdtException {
    if (upload == null) {
      upload = writer.begin(metadataOf());
    }
    MultipartUpload to = upload;
    growing.remove(number);
    PartMemory memory = destination.memory();
    memory.uploadBegins();
    try {
      uploading.put(
          number,
          destination
              .uploads()
              .submit(
                  () -> {
                    try {
                      UploadedPart done = writer.part(to, number, part.bytes, length);
                      uploaded.put(number, done);
                      return done;
                    } finally {
                      memory.uploadEnds(part.bytes);
                    }
                  }));
    } catch (RejectedExecutionException e) {
      memory.uploadEnds(part.bytes);
      throw closedEarly();
    }
    // The first failure ends the file at its next block.
    for (Map.Entry<Integer, Future<UploadedPart>> one : Map.copyOf(uploading).entrySet()) {
      if (one.getValue().isDone()) {
        UploadedPart unused = await(one.getValue());
        uploading.remove(one.getKey());
      }
    }
  }

  private static UploadedPart await(Future<UploadedPart> part) throws FdtException {
    try {
      return part.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FdtException(ErrorCode.CANCELLED, "the upload was cancelled", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof FdtException failure
          ? failure
          : FdtException.unforeseen("an upload failed", e.getCause());
    }
  }

  private Map<String, String> metadataOf() {
    FileShape.Attributes planned = shape.attributes();
    return planned == null
        ? Map.of()
        : ObjectMetadata.of(planned.mode(), planned.modified(), planned.metadata());
  }

  /** {@inheritDoc} Bytes that are uploaded cannot be read before the object is complete. */
  @Override
  public synchronized int read(ByteBuf target, int length, long offset) throws FdtException {
    Growing part = growing.get(1);
    if (upload != null || part == null) {
      throw new FdtException(
          ErrorCode.USAGE,
          "'"
              + path
              + "': a bucket gives no bytes back before the object is complete; copy without"
              + " reading back");
    }
    int read = (int) Math.max(0, Math.min(length, end - offset));
    target.writeBytes(part.bytes, (int) offset, read);
    return read;
  }

  @Override
  public void forget(LongConsumer forced) {}

  @Override
  public synchronized void attach(FileMetadata attributes, Consumer<FdtException> warnings) {
    metadata = attributes;
  }

  /** {@inheritDoc} The store knows the parts that it has. */
  @Override
  public void keep(CheckedRange range) {}

  @Override
  public synchronized void publish(int mode, Timestamp modified, Durability durability)
      throws FdtException {
    checkOpen();
    String tag = upload == null ? putWhole(mode, modified) : complete();
    published = true;
    destination.wrote(path, tag);
    afterwards.run();
    close();
  }

  private String putWhole(int mode, Timestamp modified) throws FdtException {
    Growing part = growing.get(1);
    boolean isAll = part == null ? end == 0 : part.written.prefix() == end && growing.size() == 1;
    if (!isAll || (shape.size() != FileShape.UNKNOWN_SIZE && end != shape.size())) {
      throw incomplete();
    }
    ByteBuf bytes =
        part == null ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(part.bytes, 0, (int) end);
    return writer.put(bytes, ObjectMetadata.of(mode, modified, metadata), conditions);
  }

  private String complete() throws FdtException {
    if (shape.size() == FileShape.UNKNOWN_SIZE && !growing.isEmpty()) {
      Map.Entry<Integer, Growing> last = growing.entrySet().iterator().next();
      int length = (int) (end - (last.getKey() - 1) * partSize);
      if (growing.size() > 1 || last.getValue().written.prefix() != length) {
        throw incomplete();
      }
      upload(last.getKey(), last.getValue(), length);
    }
    for (Future<UploadedPart> part : uploading.values()) {
      UploadedPart unused = await(part);
    }
    uploading.clear();
    List<UploadedPart> parts = new ArrayList<>(uploaded.values());
    parts.sort((a, b) -> Integer.compare(a.number(), b.number()));
    long bytes = parts.stream().mapToLong(UploadedPart::length).sum();
    long size = shape.size() == FileShape.UNKNOWN_SIZE ? end : shape.size();
    if (!growing.isEmpty() || bytes != size) {
      throw incomplete();
    }
    return writer.complete(upload, parts, conditions);
  }

  private FdtException incomplete() {
    return new FdtException(
        ErrorCode.INTERNAL, "'" + path + "' lacks some of its blocks, a defect: not kept");
  }

  private void checkOpen() throws FdtException {
    if (closed || destination.isClosed()) {
      throw closedEarly();
    }
  }

  private FdtException closedEarly() {
    return new FdtException(
        ErrorCode.CANCELLED, "'" + path + "' was closed before it was complete");
  }

  @Override
  public synchronized void discard() {
    end(true);
  }

  /** {@inheritDoc} The uploaded parts of a large file stay for the next transfer. */
  @Override
  public synchronized void close() {
    end(shape.version() == null);
  }

  private void end(boolean discards) {
    if (closed) {
      return;
    }
    closed = true;
    growing.values().forEach(part -> destination.memory().giveBack(part.bytes));
    growing.clear();
    uploading.values().forEach(part -> part.cancel(false));
    if (upload != null && !published && discards) {
      writer.abort(upload);
    }
    destination.finished(this, path);
  }
}
