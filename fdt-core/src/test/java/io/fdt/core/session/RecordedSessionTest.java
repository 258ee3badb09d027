package io.fdt.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.session.Recording.Lane;
import io.fdt.core.session.Recording.Piece;
import io.fdt.core.session.receiver.FedReceiver;
import io.fdt.core.session.sender.FedSender;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A recorded session, cut short or with one bit changed, fed to either end: a clean error or the
 * right result, and never a file with wrong bytes.
 */
class RecordedSessionTest {
  private static final long SEED = 20261121;

  /**
   * Beyond so many bits or lengths of a recording they are sampled evenly; {@code make soak} has
   * 20,000.
   */
  private static final int MOST = Integer.getInteger("fdt.recorded", 2500);

  private static Recording recording;

  @BeforeAll
  static void record() throws FdtException {
    recording = Recording.of(SEED, 20);
  }

  private interface Trial {
    void run(List<Piece> pieces) throws FdtException;
  }

  private static long length(List<Piece> pieces) {
    return pieces.stream().mapToLong(piece -> piece.bytes().length).sum();
  }

  @Test
  void theRecordingIsThatOfAWholeTransfer() throws FdtException {
    try (FedReceiver receiver = new FedReceiver(Recording.MAX_PAYLOAD, message -> {})) {
      for (Piece piece : recording.to(true)) {
        feed(receiver, piece);
      }
      assertThat(receiver.session().isFinished()).isTrue();
      assertThat(receiver.stored).hasSizeGreaterThan(5);
      checkBytes(receiver);
    }
  }

  @Test
  void everyPrefixIsEnduredByTheReceiver() {
    prefixes(recording.to(true), RecordedSessionTest::toReceiver);
  }

  @Test
  void everyFlippedBitIsEnduredByTheReceiver() {
    flips(recording.to(true), RecordedSessionTest::toReceiver);
  }

  @Test
  void everyPrefixIsEnduredByTheSender() {
    prefixes(recording.to(false), RecordedSessionTest::toSender);
  }

  @Test
  void everyFlippedBitIsEnduredByTheSender() {
    flips(recording.to(false), RecordedSessionTest::toSender);
  }

  private static void prefixes(List<Piece> pieces, Trial trial) {
    long length = length(pieces);
    long step = Math.max(1, length / MOST);
    for (long end = 0; end <= length; end += step) {
      attempt("the first " + end + " bytes", trial, prefix(pieces, end));
    }
  }

  private static List<Piece> prefix(List<Piece> pieces, long end) {
    long[] left = {end};
    return pieces.stream()
        .map(
            piece -> {
              int length = Math.toIntExact(Math.min(piece.bytes().length, left[0]));
              left[0] -= length;
              return new Piece(piece.lane(), Arrays.copyOf(piece.bytes(), length));
            })
        .filter(piece -> piece.bytes().length > 0)
        .toList();
  }

  private static void flips(List<Piece> pieces, Trial trial) {
    long bits = 8 * length(pieces);
    long step = Math.max(1, bits / MOST) | 1; // odd, so that all bits of a byte have their turn
    int refused = 0;
    for (long bit = 0; bit < bits; bit += step) {
      refused += attempt("bit " + bit, trial, flipped(pieces, bit));
    }
    assertThat(refused).as("recordings that were refused").isPositive();
  }

  private static List<Piece> flipped(List<Piece> pieces, long bit) {
    long[] at = {bit};
    return pieces.stream()
        .map(
            piece -> {
              long bits = 8L * piece.bytes().length;
              byte[] bytes = piece.bytes();
              if (at[0] >= 0 && at[0] < bits) {
                bytes = bytes.clone();
                bytes[Math.toIntExact(at[0] / 8)] ^= (byte) (1 << (at[0] % 8));
              }
              at[0] -= bits;
              return new Piece(piece.lane(), bytes);
            })
        .toList();
  }

  /** Returns 1 when the peer was refused. */
  private static int attempt(String what, Trial trial, List<Piece> pieces) {
    try {
      trial.run(pieces);
      return 0;
    } catch (FdtException e) {
      assertThat(e.code()).as("%s: %s", what, e.getMessage()).isEqualTo(ErrorCode.PROTOCOL);
      return 1;
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + SEED + ", " + what + ": " + e, e);
    }
  }

  private static void toReceiver(List<Piece> pieces) throws FdtException {
    try (FedReceiver receiver = new FedReceiver(Recording.MAX_PAYLOAD, message -> {})) {
      try {
        for (Piece piece : pieces) {
          feed(receiver, piece);
        }
      } finally {
        checkBytes(receiver);
      }
    }
  }

  private static void feed(FedReceiver receiver, Piece piece) throws FdtException {
    if (piece.lane() == Lane.STREAM) {
      receiver.data(piece.bytes());
    } else {
      receiver.control(piece.bytes());
    }
  }

  private static void checkBytes(FedReceiver receiver) {
    receiver.stored.forEach(
        (id, bytes) ->
            assertThat(bytes)
                .as("file %d", id)
                .isEqualTo(recording.dataset.item(id).content(0, bytes.length, 0))
                .hasSize(Math.toIntExact(recording.dataset.item(id).entry().size())));
  }

  private static void toSender(List<Piece> pieces) throws FdtException {
    try (FedSender sender = new FedSender(recording.dataset, message -> {}, bytes -> {})) {
      sender.start();
      for (Piece piece : pieces) {
        sender.control(piece.bytes());
      }
    }
  }
}
