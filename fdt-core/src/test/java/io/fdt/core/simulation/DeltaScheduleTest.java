package io.fdt.core.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.PieceHasher;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Delta;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.memory.MemoryStorage;
import io.fdt.core.unit.ByteSize;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Files that were edited anyhow, over a bad network, by transfers that die at any point and are
 * begun again.
 *
 * <p>What is checked: the copy is the source; no transfer writes more bytes than the edits made,
 * and a bound for each edit.
 */
class DeltaScheduleTest {
  private static final long FIRST_SEED = Long.getLong("fdt.delta.seed", 20261128);

  /** {@code make soak} runs more. */
  private static final int SCHEDULES = Integer.getInteger("fdt.deltas", 40);

  private static final int MIB = PieceHasher.LARGEST;
  private static final int PAGE = PieceHasher.SMALLEST;
  private static final FileName NAME = FileName.of("entry1");

  /** Bytes between two edits are only searched for if there are more of them. */
  private static final int RUN = 64 << 10;

  private static final int MOST_DEATHS = 3;
  private static final int LATEST_DEATH = 200;

  private int deathsInTheMiddle;

  /** The edits of a file, and how much they cost at most. */
  private static final class Edits {
    private final Random random;
    private byte[] bytes;
    private long fresh;
    private int count;

    Edits(byte[] before, Random random) {
      this.random = random;
      bytes = before.clone();
      for (int left = random.nextInt(5); left > 0; left--) {
        edit();
      }
    }

    private void edit() {
      int at = random.nextInt(bytes.length);
      int length = Math.min(1 + random.nextInt(1 << random.nextInt(19)), bytes.length - at);
      byte[] piece = Arrays.copyOfRange(bytes, at, at + length);
      int to = random.nextInt(bytes.length - length + 1);
      switch (random.nextInt(5)) {
        case 0 -> {
          random.nextBytes(piece);
          System.arraycopy(piece, 0, bytes, at, length);
        }
        case 1 -> {
          random.nextBytes(piece);
          insert(at, piece);
        }
        case 2 -> remove(at, Math.min(length, bytes.length - 1));
        case 3 -> insert(to, piece);
        default -> {
          remove(at, length);
          insert(Math.min(to, bytes.length), piece);
        }
      }
      fresh += length;
      count += 2; // a move has two ends
    }

    private void insert(int at, byte[] piece) {
      byte[] all = Arrays.copyOf(bytes, bytes.length + piece.length);
      System.arraycopy(bytes, at, all, at + piece.length, bytes.length - at);
      System.arraycopy(piece, 0, all, at, piece.length);
      bytes = all;
    }

    private void remove(int at, int length) {
      System.arraycopy(bytes, at + length, bytes, at, bytes.length - at - length);
      bytes = Arrays.copyOf(bytes, bytes.length - length);
    }

    /** The most bytes that are sent, in pieces that are kept or sent as a whole. */
    long bound(int piece) {
      return fresh + count * (RUN + 2L * piece);
    }
  }

  @Test
  void afterAnyEditsLossesAndDeathsTheCopyIsTheSourceAndLittleElseIsSent() {
    System.out.printf("seeds %d to %d%n", FIRST_SEED, FIRST_SEED + SCHEDULES - 1);
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed++) {
      try {
        copy(new Random(seed));
      } catch (Exception | AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
    assertThat(deathsInTheMiddle).as("deaths in the middle").isGreaterThan(SCHEDULES / 4);
  }

  private void copy(Random random) throws Exception {
    byte[] before = new byte[MIB + random.nextInt(3 * MIB)];
    random.nextBytes(before);
    Edits edits = new Edits(before, random);
    boolean isOfChunks = random.nextInt(4) == 0;
    TransferSpec spec =
        TransferSpec.builder()
            .delta(Delta.ALWAYS)
            .checksum(isOfChunks ? Checksum.XXH3 : Checksum.CRC32C)
            .blockSize(ByteSize.ofBytes(PAGE << random.nextInt(9)))
            .readersPerDisk(1 + random.nextInt(3))
            .writersPerDisk(1 + random.nextInt(3))
            .source("/" + NAME)
            .destination(BytePath.of("/"))
            .build();
    MemoryStorage source = new MemoryStorage();
    MemoryStorage destination = new MemoryStorage();
    destination.keepPartials();
    source.put(NAME, edits.bytes, new Timestamp(1_700_000_000L, 0));
    destination.put(NAME, before, new Timestamp(1_600_000_000L, 0));
    long bound = edits.bound(isOfChunks ? MIB : PAGE);
    for (int deaths = random.nextInt(MOST_DEATHS + 1); deaths > 0; deaths--) {
      SimulatedTransfer transfer = transfer(random, spec, source, destination);
      transfer.start();
      transfer.run(random.nextInt(LATEST_DEATH));
      deathsInTheMiddle += transfer.isFinished() ? 0 : 1;
      transfer.sender.host.die().forEach(Runnable::run);
      transfer.receiver.host.die().forEach(Runnable::run);
      assertThat(bytesSent(transfer)).isLessThanOrEqualTo(bound);
    }
    SimulatedTransfer last = transfer(random, spec, source, destination);
    last.start();
    last.runOn();
    last.assertFinished();
    assertThat(destination.contentOf(NAME.toString())).isEqualTo(edits.bytes);
    assertThat(bytesSent(last)).isLessThanOrEqualTo(bound);
  }

  private static long bytesSent(SimulatedTransfer transfer) {
    return transfer.receiver.session.progress().figures().bytesDone();
  }

  private static SimulatedTransfer transfer(
      Random random, TransferSpec spec, MemoryStorage source, MemoryStorage destination) {
    return new SimulatedTransfer(
        random, spec, source.source(spec), destination.destination(spec, OpenFileLimit.NONE));
  }
}
