package io.fdt.core.send;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.session.ReadJob;
import io.fdt.core.storage.SourceTree.SourceFile;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Recall;
import io.fdt.core.wire.control.HeldBlocks;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;

/**
 * Which blocks and packs a sender only names, because a relay on the way may hold them: those that
 * relays say they hold, and those that are to be sent again. Each is named once after each list.
 * When no relay has it, the receiver asks for it, and it is sent.
 *
 * <p>Confined to the loop of the session.
 */
final class Recalls {
  /** What a frame brings: a place in a file, or files from this one on. */
  private record Place(long file, long offset, boolean isPack) {}

  /** Of one session: a client has one for each time that it comes again. */
  private static final int MOST_LISTS = 1000;

  private final Set<Long> held = new HashSet<>();
  private final Set<Place> named = new HashSet<>();

  /** Those of the named ones of which not a byte has left. */
  private final Set<Place> unsent = new HashSet<>();

  private boolean isAnswered;
  private int lists;

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
    while (blocks.hasRemaining()) {
      held.add(blocks.getLong());
    }
    lists++;
    if (lists <= MOST_LISTS) {
      named.clear();
    }
  }

  /**
   * Whether this is to be named instead of sent.
   *
   * @param header of its frame
   */
  boolean names(ReadJob<SourceFile> job, FrameHeader header) {
    if (!isAnswered
        || !Recall.names(header)
        || !(job.repeated() || held.contains(Recall.key(header)))
        || !named.add(place(job))) {
      return false;
    }
    if (!job.repeated()) {
      unsent.add(place(job));
    }
    return true;
  }

  /** Whether bytes of this leave once more, where it is not named now. */
  boolean isAgain(ReadJob<SourceFile> job) {
    return job.repeated() && !unsent.remove(place(job));
  }

  private static Place place(ReadJob<SourceFile> job) {
    return job instanceof ReadJob.Block<SourceFile> block
        ? new Place(block.file().id(), block.offset(), false)
        : new Place(((ReadJob.Pack<SourceFile>) job).files().get(0).id(), 0, true);
  }
}
