package io.fdt.core.send;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.session.ReadJob;
import io.fdt.core.storage.SourceTree.SourceFile;
import io.fdt.core.wire.Recall;
import io.fdt.core.wire.control.HeldBlocks;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;

/**
 * Which blocks and packs a sender only names, because a relay on the way may hold them: those that
 * relays say they hold, and those that are to be sent again. Each is named once. When no relay has
 * it, the receiver asks for it, and it is sent.
 *
 * <p>Confined to the loop of the session.
 */
final class Recalls {
  /** What a frame brings: a place in a file, or files from this one on. */
  private record Place(long file, long offset, boolean isPack) {}

  private final Set<Long> held = new HashSet<>();
  private final Set<Place> named = new HashSet<>();
  private boolean isAnswered;

  /**
   * Relays on the way answer RECALL frames, and hold these blocks now.
   *
   * @throws FdtException PROTOCOL when they are more than may be told, or not whole
   */
  void held(HeldBlocks message) throws FdtException {
    ByteBuffer blocks = message.getBlocks().asReadOnlyByteBuffer();
    if (blocks.remaining() % Recall.HELD_LENGTH != 0
        || blocks.remaining() > Recall.MOST_HELD_BYTES) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "held blocks in %d bytes".formatted(blocks.remaining()));
    }
    isAnswered = true;
    held.clear();
    named.clear();
    while (blocks.hasRemaining()) {
      held.add(key(blocks.getInt(), blocks.getInt()));
    }
  }

  /**
   * Whether this is to be named instead of sent.
   *
   * @param crc of its plain bytes
   * @param length of its plain bytes
   */
  boolean names(ReadJob<SourceFile> job, int crc, int length) {
    return isAnswered
        && Recall.isWorthIt(length)
        && (job.repeated() || held.contains(key(crc, length)))
        && named.add(place(job));
  }

  private static Place place(ReadJob<SourceFile> job) {
    return job instanceof ReadJob.Block<SourceFile> block
        ? new Place(block.file().id(), block.offset(), false)
        : new Place(((ReadJob.Pack<SourceFile>) job).files().get(0).id(), 0, true);
  }

  private static long key(int crc, int length) {
    return (long) crc << Integer.SIZE | length;
  }
}
