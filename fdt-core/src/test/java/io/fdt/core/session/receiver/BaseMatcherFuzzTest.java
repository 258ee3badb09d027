package io.fdt.core.session.receiver;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;
import io.fdt.core.digest.PieceHasher;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Delta;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Range;
import io.fdt.core.session.Entries;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.wire.BatchCoding;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.ManifestBatch;
import io.fdt.core.wire.control.RangeHashes;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Arbitrary hashes, with comparisons and searches that end in any way: PROTOCOL, or nothing. */
class BaseMatcherFuzzTest {
  private static final int MIB = 1 << 20;
  private static final int SMALL = PieceHasher.SMALLEST;
  private static final int SIZE = 40 * MIB + 1234;
  private static final int[] PIECES = {SMALL, MIB, 64 << 10, 0};

  private final ArrayDeque<ReceiverAction.MatchBase<String>> matches = new ArrayDeque<>();
  private final ArrayDeque<ReceiverAction.SearchBase<String>> searches = new ArrayDeque<>();
  private ReceiverMachine<String> receiver;

  @FuzzTest
  void hashes(byte[] data) {
    play(ByteBuffer.wrap(data));
  }

  @Test
  void hashesOfAHostileSenderEndTheSessionOrDoNothing() {
    for (int seed = 1; seed <= 200; seed++) {
      byte[] data = new byte[2000];
      new Random(seed).nextBytes(data);
      play(ByteBuffer.wrap(data));
    }
  }

  private void play(ByteBuffer data) {
    matches.clear();
    searches.clear();
    try {
      begin(data.hasRemaining() && data.get() % 4 == 0 ? Checksum.XXH3 : Checksum.CRC32C);
      while (data.remaining() >= 8) {
        switch (data.get() & 3) {
          case 0 -> endMatch(data);
          case 1 -> endSearch(data);
          default -> arrive(data);
        }
      }
      assertThat(receiver.bytesMatched()).isBetween(0L, (long) SIZE);
    } catch (FdtException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
    }
  }

  private void begin(Checksum checksum) throws FdtException {
    TransferSpec spec = TransferSpec.builder().delta(Delta.ALWAYS).checksum(checksum).build();
    receiver = new ReceiverMachine<>(spec, false);
    Entry entry = Entries.file(1, 0, SIZE);
    ManifestBatch.Builder batch = ManifestBatch.newBuilder().setFirstId(1);
    BatchCoding.encode(List.of(entry), batch);
    receive(to -> to.message(Control.newBuilder().setManifestBatch(batch).build()));
    receive(
        to ->
            to.entriesPlaced(
                List.of(
                    new PlacedEntry.Wanted<>(entry, () -> "f", "writer", List.of(), "", SIZE))));
  }

  private void receive(ReceiverEvent<String> event) throws FdtException {
    for (ReceiverAction<String> action : receiver.handle(event, 0)) {
      if (action instanceof ReceiverAction.MatchBase<String> match) {
        matches.add(match);
      } else if (action instanceof ReceiverAction.SearchBase<String> search) {
        searches.add(search);
      }
    }
  }

  /** Mostly hashes that fit the file, so that more than the first check is reached. */
  private void arrive(ByteBuffer data) throws FdtException {
    boolean isStrong = (data.get() & 1) == 0;
    int piece = PIECES[data.get() & 3];
    long start = (data.get() & 0x3F) * (long) MIB + (data.get() & 1) * (long) SMALL;
    int wrong = data.get();
    long end = wrong == 1 ? Long.MAX_VALUE : Math.min(SIZE, start - start % MIB + MIB);
    long pieces = piece == 0 ? 1 : Math.max(0, Math.min(256, (end - start + piece - 1) / piece));
    RangeHashes hashes =
        RangeHashes.newBuilder()
            .setId(wrong == 2 ? 9 : 1)
            .setStart(wrong == 3 ? -1 : start)
            .setEnd(end)
            .setPiece(piece)
            .setStrong(isStrong)
            .setHashes(
                ByteString.copyFrom(
                    new byte[(int) pieces * PieceHasher.length(isStrong) + (wrong == 4 ? 1 : 0)]))
            .build();
    receive(to -> to.message(Control.newBuilder().setRangeHashes(hashes).build()));
  }

  /** A part of the pieces is equal, at one of the shifts. */
  private void endMatch(ByteBuffer data) throws FdtException {
    ReceiverAction.MatchBase<String> match = matches.poll();
    if (match == null) {
      return;
    }
    HashedPieces hashes = match.hashes();
    Range range = hashes.range();
    int equal = data.get() & 0xFF;
    long end = Math.min(range.end(), range.start() + (long) equal * hashes.piece());
    List<FoundRange> found = new ArrayList<>();
    if (equal > 0) {
      long shift = hashes.shifts().get(equal % hashes.shifts().size());
      found.add(new FoundRange(new CheckedRange(range.start(), end, 0), shift));
    }
    receive(to -> to.baseMatched(match.file(), hashes, found, 1, null));
  }

  private void endSearch(ByteBuffer data) throws FdtException {
    ReceiverAction.SearchBase<String> search = searches.poll();
    if (search == null) {
      return;
    }
    long shift = data.getShort() * (long) SMALL;
    OptionalLong found = shift < 0 ? OptionalLong.empty() : OptionalLong.of(shift);
    receive(to -> to.baseSearched(search.file(), found, search.reach()));
  }
}
