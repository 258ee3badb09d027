package io.fdt.server;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Recall;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file with frames of a data connection, and where in it blocks lie, as far as it has been looked
 * at. A look goes from header to header. Thread-safe, but for what a {@link SpoolSegment} says of
 * writing.
 */
final class HeldSegment extends SpoolSegment {
  private static final Logger LOG = LoggerFactory.getLogger(HeldSegment.class);

  private final SegmentName name;

  // Guarded by this.
  private final Map<Long, HeldFrame> frames = new LinkedHashMap<>();
  private long scanned;

  /** A header is damaged: what follows cannot be found. */
  private boolean isGivenUp;

  /** Not all of it was delivered. */
  private volatile boolean isWanted = true;

  /** When it was written to last, in milliseconds of Unix time. */
  private volatile long writtenMillis;

  HeldSegment(Path path, SegmentName name, long length, long writtenMillis) {
    super(path, length);
    this.name = name;
    this.scanned = name.firstFrame();
    this.writtenMillis = writtenMillis;
  }

  SegmentName name() {
    return name;
  }

  /** The name of the owner. */
  String owner() {
    return name.ends().owner();
  }

  long writtenMillis() {
    return writtenMillis;
  }

  void written(long nowMillis) {
    writtenMillis = nowMillis;
  }

  /**
   * Looks for frames where nobody has looked yet.
   *
   * @param run begins with this file
   * @param most headers to look at
   * @param known is told how many more blocks are known
   * @return headers that were looked at
   */
  synchronized int look(HeldRun run, int most, BytesByOwner known) {
    int before = frames.size();
    int seen = 0;
    try {
      while (seen < most && !isGivenUp && scanned < length() && read(run)) {
        seen++;
      }
    } catch (FdtException e) {
      isGivenUp = true;
    } catch (IOException e) {
      LOG.debug("not looked at now: {}", path(), e);
    }
    known.add(owner(), frames.size() - before);
    return seen;
  }

  /** Knows nothing any more: it is removed, or newer blocks need the memory. */
  synchronized void forget(BytesByOwner known) {
    known.add(owner(), -frames.size());
    frames.clear();
    scanned = name.firstFrame();
  }

  /** Whether there are bytes at which nobody has looked. */
  synchronized boolean hasMore() {
    return !isGivenUp && scanned < length();
  }

  /** All of it was delivered. */
  void delivered() {
    isWanted = false;
  }

  /** Whether it has something that was not delivered. */
  boolean isWanted() {
    return isWanted;
  }

  private boolean read(HeldRun run) throws IOException, FdtException {
    ByteBuffer bytes = ByteBuffer.allocate(FrameHeader.LENGTH);
    if (!run.read(scanned, bytes)) {
      return false; // not all of the header is there
    }
    ByteBuf header = Unpooled.wrappedBuffer(bytes.flip());
    FrameHeader found = FrameHeader.read(header, Integer.MAX_VALUE);
    if (Recall.names(found)) {
      HeldFrame frame = new HeldFrame(scanned, found);
      frames.put(frame.key(), frame);
    }
    scanned += FrameHeader.LENGTH + (long) found.wireLength();
    return true;
  }

  /** The blocks that are known. */
  synchronized List<HeldFrame> latestFirst() {
    List<HeldFrame> all = new ArrayList<>(frames.values());
    Collections.reverse(all);
    return all;
  }

  /** One with the payload of a frame. */
  synchronized Optional<HeldFrame> find(FrameHeader wanted) {
    return Optional.ofNullable(frames.get(Recall.key(wanted)))
        .filter(one -> one.hasPayloadOf(wanted));
  }
}
