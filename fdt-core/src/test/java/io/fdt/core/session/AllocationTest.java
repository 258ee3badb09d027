package io.fdt.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.journal.JournalHeader;
import io.fdt.core.journal.KeptRanges;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.FileName;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.session.Recording.Lane;
import io.fdt.core.session.Recording.Piece;
import io.fdt.core.session.receiver.FedReceiver;
import io.fdt.core.session.sender.FedSender;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.FrameHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What decoders and state machines allocate while they are fed recorded sessions in which numbers
 * were replaced by huge ones: no more than the untouched session needs, and a little for saying no.
 *
 * <p>Four bytes at each place of each kind of connection take values that stand for lengths, counts
 * and sizes of gigabytes, in the encoding of frames and journals (big-endian) and in that of
 * protobuf (seven bits a byte).
 */
class AllocationTest {
  private static final long SEED = 20261121;
  private static final int MAX_PAYLOAD = 64 << 20;

  /** An exception with its stack trace and text, and what the JVM adds on its own. */
  private static final long FOR_A_REFUSAL = 256 << 10;

  private static final byte[][] HUGE = {
    {0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff},
    {0x03, (byte) 0xff, (byte) 0xff, (byte) 0xff},
    {(byte) 0xff, (byte) 0xff, (byte) 0xff, 0x7f},
    {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff},
  };

  /** Beyond so many places of a recording they are sampled evenly. */
  private static final int MOST_PLACES = 1000;

  private interface Feeding {
    void run() throws FdtException;
  }

  /** Bytes of the heap that this thread allocates in it; a refusal is as good as none. */
  private static long allocatedBy(Feeding feeding) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(thread);
    try {
      feeding.run();
    } catch (FdtException e) {
      if (e.code() != ErrorCode.PROTOCOL) {
        throw new AssertionError(e);
      }
    }
    return threads.getThreadAllocatedBytes(thread) - before;
  }

  private static void toReceiver(List<Piece> pieces, long mostDirect) throws FdtException {
    try (FedReceiver receiver = new FedReceiver(MAX_PAYLOAD, message -> {})) {
      for (Piece piece : pieces) {
        if (piece.lane() == Lane.STREAM) {
          receiver.data(piece.bytes());
        } else {
          receiver.control(piece.bytes());
        }
        if (receiver.directMemory() > mostDirect) {
          throw new AssertionError(receiver.directMemory() + " bytes outside of the heap");
        }
      }
    }
  }

  private static List<Piece> replaced(List<Piece> pieces, long at, byte[] value) {
    long[] left = {at};
    return pieces.stream()
        .map(
            piece -> {
              byte[] bytes = piece.bytes();
              if (left[0] >= 0 && left[0] + value.length <= bytes.length) {
                bytes = bytes.clone();
                System.arraycopy(value, 0, bytes, Math.toIntExact(left[0]), value.length);
              }
              left[0] -= piece.bytes().length;
              return new Piece(piece.lane(), bytes);
            })
        .toList();
  }

  private interface Session {
    void feed(List<Piece> pieces) throws FdtException;
  }

  private static void tryEverywhere(List<Piece> pieces, Session session) {
    long length = pieces.stream().mapToLong(piece -> piece.bytes().length).sum();
    long untouched = Math.max(allocatedBy(() -> session.feed(pieces)), 0);
    long step = Math.max(1, length / MOST_PLACES);
    for (long at = 0; at < length; at += step) {
      for (byte[] value : HUGE) {
        List<Piece> changed = replaced(pieces, at, value);
        long allocated = allocatedBy(() -> session.feed(changed));
        if (allocated >= 2 * untouched + FOR_A_REFUSAL) { // what is made once is not asked for
          allocated = allocatedBy(() -> session.feed(changed));
        }
        assertThat(allocated)
            .as("heap, with %s at %d; seed %d", List.of(ByteBuffer.wrap(value).getInt()), at, SEED)
            .isLessThan(2 * untouched + FOR_A_REFUSAL);
      }
    }
  }

  @Test
  void noNumberInWhatASenderSaysIsAllocated() throws FdtException {
    Recording recording = Recording.of(SEED, 20);
    tryEverywhere(recording.to(true), pieces -> toReceiver(pieces, 2 << 20));
  }

  @Test
  void noNumberInWhatAReceiverSaysIsAllocated() throws FdtException {
    Recording recording = Recording.of(SEED, 20);
    tryEverywhere(
        recording.to(false),
        pieces -> {
          try (FedSender sender = new FedSender(recording.dataset, message -> {}, bytes -> {})) {
            sender.start();
            for (Piece piece : pieces) {
              sender.control(piece.bytes());
            }
          }
        });
  }

  /** With its checksum right, so that the length is believed as far as anything is. */
  @Test
  void aFrameHeaderCostsNoMoreThanThePayloadThatFollows() throws FdtException {
    ByteBuf header = Unpooled.buffer();
    FrameHeader.block(0, 17, 0, MAX_PAYLOAD, 0).write(header);
    byte[] bytes = new byte[FrameHeader.LENGTH];
    header.readBytes(bytes);
    toReceiver(List.of(new Piece(Lane.STREAM, bytes)), 2 << 20);
  }

  @Test
  void noNumberInAJournalIsAllocated() {
    SourceVersion version = new SourceVersion(1 << 30, new Timestamp(1_700_000_000L, 5), 77);
    ByteBuffer header = new JournalHeader(FileName.of("large"), version, 1, 2).encode();
    byte[] journal =
        ByteBuffer.allocate(header.remaining() + KeptRanges.RECORD_LENGTH)
            .put(header)
            .put(KeptRanges.record(new CheckedRange(0, 1 << 20, 3)))
            .array();
    int headerLength = journal.length - KeptRanges.RECORD_LENGTH;
    for (int at = 0; at + Integer.BYTES <= journal.length; at++) {
      for (byte[] value : HUGE) {
        byte[] changed = journal.clone();
        System.arraycopy(value, 0, changed, at, value.length);
        ByteBuf view = Unpooled.wrappedBuffer(changed);
        view.setInt(headerLength - Integer.BYTES, Crc32c.of(view, 0, headerLength - Integer.BYTES));
        assertThat(allocatedBy(() -> read(changed)))
            .as("%d at %d", ByteBuffer.wrap(value).getInt(), at)
            .isLessThan(FOR_A_REFUSAL);
      }
    }
  }

  private static void read(byte[] journal) {
    ByteBuffer bytes = ByteBuffer.wrap(journal);
    JournalHeader.decode(bytes)
        .ifPresent(
            header ->
                KeptRanges.replay(
                    bytes.duplicate().position(header.length()), header.source().size()));
  }
}
