package io.fdt.core.session.receiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Delta;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Range;
import io.fdt.core.session.Entries;
import io.fdt.core.session.RangePairs;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.wire.BatchCoding;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.FileHoles;
import io.fdt.core.wire.control.ManifestBatch;
import io.fdt.core.wire.control.RangeHashes;
import io.fdt.core.wire.control.RangeRequest;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The receiver's questions about a file of which it has another version. */
class BaseMatcherTest {
  private static final int MIB = 1 << 20;
  private static final long SIZE = 400L * MIB;

  private ReceiverMachine<String> receiver;
  private final List<Control> messages = new ArrayList<>();
  private final List<ReceiverAction.MatchBase<String>> matches = new ArrayList<>();
  private final List<ReceiverAction.SearchBase<String>> searches = new ArrayList<>();
  private IncomingFile<String> file;
  private long nowNanos;
  private long frames;

  private void receive(ReceiverEvent<String> event) throws FdtException {
    for (ReceiverAction<String> action : receiver.handle(event, nowNanos)) {
      if (action instanceof ReceiverAction.Send<String> send) {
        messages.add(send.message().build());
      } else if (action instanceof ReceiverAction.MatchBase<String> match) {
        matches.add(match);
      } else if (action instanceof ReceiverAction.SearchBase<String> search) {
        searches.add(search);
      } else if (action instanceof ReceiverAction.WriteBlock<String> write) {
        FrameHeader header = write.frame().header();
        receive(to -> to.blockWritten(write.file(), write.stream(), header, new byte[0], null));
      }
    }
  }

  /** One file with a base. */
  private void placed(Delta delta) throws FdtException {
    receiver = new ReceiverMachine<>(TransferSpec.builder().delta(delta).build(), false);
    place(1, SIZE, SIZE);
    file = receiver.openFiles().iterator().next();
  }

  private void place(long id, long size, long baseSize) throws FdtException {
    Entry entry = Entries.sparse(id, 0, size);
    ManifestBatch.Builder batch = ManifestBatch.newBuilder().setFirstId(id);
    BatchCoding.encode(List.of(entry), batch);
    receive(to -> to.message(Control.newBuilder().setManifestBatch(batch).build()));
    receive(
        to ->
            to.entriesPlaced(
                List.of(
                    new PlacedEntry.Wanted<>(
                        entry, () -> "path", "writer", List.of(), "", baseSize))));
  }

  private void block(long id, long offset, int length) throws FdtException {
    FrameHeader header = FrameHeader.block(frames++, id, offset, length, 0);
    receive(to -> to.frameArrived(1, new ReceivedFrame(header, Unpooled.EMPTY_BUFFER, true)));
  }

  private List<RangeRequest> requests() {
    List<RangeRequest> requests =
        messages.stream().filter(Control::hasRangeRequest).map(Control::getRangeRequest).toList();
    messages.clear();
    return requests;
  }

  private static RangeHashes hashes(long start, long end, int piece, boolean strong, int bytes) {
    return RangeHashes.newBuilder()
        .setId(1)
        .setStart(start)
        .setEnd(end)
        .setPiece(piece)
        .setStrong(strong)
        .setHashes(ByteString.copyFrom(new byte[bytes]))
        .build();
  }

  private void arrive(RangeHashes hashes) throws FdtException {
    receive(to -> to.message(Control.newBuilder().setRangeHashes(hashes).build()));
  }

  /** The comparison of the last hashes has ended. */
  private void matched(boolean isEqual, long nanos) throws FdtException {
    HashedPieces pieces = matches.remove(0).hashes();
    Range all = pieces.range();
    List<FoundRange> equal =
        isEqual
            ? List.of(new FoundRange(new CheckedRange(all.start(), all.end(), 0), 0))
            : List.of();
    receive(to -> to.baseMatched(file, pieces, equal, nanos, null));
  }

  /** A search has ended; returns it. */
  private ReceiverAction.SearchBase<String> searched(OptionalLong shift) throws FdtException {
    ReceiverAction.SearchBase<String> search = searches.remove(0);
    receive(to -> to.baseSearched(file, shift, search.reach()));
    return search;
  }

  @Test
  void theHashesOfAllAreAskedForBeforeTheDecisionIsSent() throws FdtException {
    placed(Delta.ALWAYS);

    assertThat(messages.get(0).getRangeRequest().getHashList()).containsExactly(0L, SIZE);
    assertThat(messages.get(0).getRangeRequest().getPiece()).isEqualTo(MIB);
    assertThat(messages.get(1).hasDecisions()).isTrue();
  }

  @Test
  void onlyAStrongHashKeepsAPiece() throws FdtException {
    placed(Delta.ALWAYS);
    requests();
    arrive(hashes(0, MIB, MIB, false, 4));
    matched(true, 1);

    RangeRequest confirmation = requests().get(0);
    assertThat(confirmation.getStrong()).isTrue();
    assertThat(confirmation.getHashList()).containsExactly(0L, (long) MIB);
    assertThat(receiver.bytesMatched()).isZero();

    arrive(hashes(0, MIB, MIB, true, 16));
    matched(true, 1);
    assertThat(requests().get(0).getKeptList()).containsExactly(0L, (long) MIB);
    assertThat(receiver.bytesMatched()).isEqualTo(MIB);
    assertThat(receiver.bytesWanted()).isEqualTo(SIZE - MIB);
  }

  @Test
  void aDifferentPieceIsComparedInSmallOnesAndThenWanted() throws FdtException {
    placed(Delta.ALWAYS);
    requests();
    arrive(hashes(MIB, 2 * MIB, MIB, false, 4));
    matched(false, 1);
    RangeRequest smaller = requests().get(0);
    assertThat(smaller.getPiece()).isEqualTo(4096);
    assertThat(smaller.getHashList()).containsExactly((long) MIB, 2L * MIB);

    arrive(hashes(MIB, 2 * MIB, 4096, false, 4 * 256));
    matched(false, 1);
    assertThat(requests()).isEmpty();
    assertThat(searched(OptionalLong.empty()).reach()).isEqualTo(8 * MIB);
    assertThat(searches).as("farther searches for one MiB").isEmpty();
    assertThat(requests().get(0).getWantedList()).containsExactly((long) MIB, 2L * MIB);
    block(1, MIB, MIB);
    assertThat(receiver.bytesWritten()).isEqualTo(MIB);
  }

  @Test
  void piecesThatHaveMovedAreLookedForWhereOthersAreFound() throws FdtException {
    placed(Delta.ALWAYS);
    requests();
    for (long i = 10; i < 13; i++) {
      arrive(hashes(i * MIB, (i + 1) * MIB, MIB, false, 4));
    }
    matched(false, 1);
    arrive(hashes(10 * MIB, 11 * MIB, 4096, false, 4 * 256));
    matched(false, 1); // the second large piece
    matched(false, 1);
    matched(false, 1); // small ones of the first
    ReceiverAction.SearchBase<String> search = searched(OptionalLong.of(-700));
    assertThat(search.pieces())
        .extracting(HashedPieces::range)
        .containsExactly(new Range(10 * MIB, 11 * MIB));
    assertThat(search.centre()).isEqualTo(10 * MIB);

    assertThat(matches.get(0).hashes().shifts()).containsExactly(-700L, 0L);
    requests();
    foundAt(-700);
    assertThat(requests().get(0).getHashList()).containsExactly(10L * MIB, 11L * MIB);
    arrive(hashes(10 * MIB, 11 * MIB, MIB, true, 16));
    assertThat(matches.get(0).hashes().shifts()).containsExactly(-700L);
    matched(true, 1);
    assertThat(receiver.bytesMatched()).isEqualTo(MIB);

    arrive(hashes(13 * MIB, 14 * MIB, MIB, false, 4));
    assertThat(matches.get(0).hashes().shifts()).containsExactly(-700L, 0L);
  }

  /** All of the last hashes was found at a shift. */
  private void foundAt(long shift) throws FdtException {
    HashedPieces pieces = matches.remove(0).hashes();
    Range all = pieces.range();
    List<FoundRange> found =
        List.of(new FoundRange(new CheckedRange(all.start(), all.end(), 0), shift));
    receive(to -> to.baseMatched(file, pieces, found, 1, null));
  }

  @Test
  void forMoreBytesTheSearchGoesFarther() throws FdtException {
    placed(Delta.ALWAYS);
    requests();
    for (long i = 1; i <= 16; i++) {
      arrive(hashes(i * MIB, (i + 1) * MIB, 4096, false, 4 * 256));
      matched(false, 1);
    }
    List<Long> reaches = new ArrayList<>();
    while (!searches.isEmpty()) {
      reaches.add(searched(OptionalLong.empty()).reach() / MIB);
    }
    assertThat(reaches).containsExactly(8L, 32L, 60L); // 100 MiB, a quarter of the base
    assertThat(requests().get(0).getWantedList()).hasSize(32);
  }

  @Test
  void behindTheEndOfTheBaseNothingIsLookedFor() throws FdtException {
    receiver = new ReceiverMachine<>(TransferSpec.builder().delta(Delta.ALWAYS).build(), false);
    place(1, SIZE, 10 * MIB);
    file = receiver.openFiles().iterator().next();
    requests();
    arrive(hashes(10 * MIB, 11 * MIB, MIB, false, 4));
    matched(false, 1);

    assertThat(requests().get(0).getWantedList()).containsExactly(10L * MIB, 11L * MIB);
  }

  /** Half a second for each of the first two measurements. */
  private void measured(long bytesPerSecond) throws FdtException {
    block(1, 0, 1);
    for (int i = 1; i <= 2; i++) {
      nowNanos += TimeUnit.MILLISECONDS.toNanos(500);
      block(1, (i - 1) * bytesPerSecond / 2 + 1, Math.toIntExact(bytesPerSecond / 2));
    }
  }

  /** Answers all samples; returns how many bytes they have. */
  private long sampled(boolean isEqual, long nanosForMib) throws FdtException {
    long bytes = 0;
    for (RangeRequest request : requests()) {
      for (Range range : RangePairs.read(request.getHashList(), 1, SIZE)) {
        for (long at = range.start(); at < range.end(); at += MIB) {
          bytes += request.getStrong() ? 0 : MIB;
          arrive(hashes(at, at + MIB, MIB, request.getStrong(), request.getStrong() ? 16 : 4));
          matched(isEqual, nanosForMib);
        }
      }
    }
    return bytes;
  }

  @Test
  void nothingIsAskedForBeforeTheRateOfTheNetworkIsKnown() throws FdtException {
    placed(Delta.AUTO);
    block(1, 0, MIB);
    nowNanos += TimeUnit.MILLISECONDS.toNanos(600);
    block(1, MIB, MIB);

    assertThat(requests()).isEmpty();
    nowNanos += TimeUnit.MILLISECONDS.toNanos(600);
    block(1, 2 * MIB, MIB);
    assertThat(requests()).hasSize(1);
  }

  /** MiB per second of the network, milliseconds of a thread for each MiB, and equal or not. */
  @ParameterizedTest
  @CsvSource({"10, 2, true, true", "10, 2, false, false", "200, 3, true, false"})
  void aSampleOf64MibDecides(int network, int millis, boolean isEqual, boolean goesOn)
      throws FdtException {
    placed(Delta.AUTO);
    measured(network * (long) MIB);
    long nanos = TimeUnit.MILLISECONDS.toNanos(millis);

    assertThat(sampled(isEqual, nanos)).isEqualTo(64L * MIB);
    if (isEqual) {
      sampled(true, nanos); // the strong hashes
    } else {
      List<RangeRequest> smaller = requests();
      assertThat(smaller).allMatch(request -> request.getPiece() == 4096);
      for (RangeRequest request : smaller) {
        for (Range range : RangePairs.read(request.getHashList(), 1, SIZE)) {
          arrive(hashes(range.start(), range.end(), 4096, false, 4 * 256));
          matched(false, nanos);
        }
      }
      while (!searches.isEmpty()) {
        searched(OptionalLong.empty());
      }
    }
    RangeRequest last = requests().stream().reduce((a, b) -> b).orElseThrow();
    long asked =
        RangePairs.read(last.getHashList(), 1, SIZE).stream().mapToLong(Range::length).sum();
    assertThat(asked).isEqualTo(goesOn ? SIZE - 64L * MIB - (network + 1) * (long) MIB : 0);
  }

  @Test
  void afterFourSamplesWithoutAGainFewFilesAreSampled() throws FdtException {
    placed(Delta.AUTO);
    measured(10L * MIB);
    requests();
    for (int id = 2; id <= 5; id++) {
      place(id, MIB, MIB);
      assertThat(requests()).as("sample of file %d", id).hasSize(1);
      block(id, 0, MIB);
      nowNanos++;
    }
    int sampled = 0;
    for (int id = 6; id <= 37; id++) {
      place(id, MIB, MIB);
      sampled += requests().size();
      block(id, 0, MIB);
    }
    assertThat(sampled).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 1048576, 0, pieces of 1048576 bytes from 0 to 0",
    "-1, 5, 1048576, 4, from 18446744073709551615 to 5",
    "0, 2097152, 1048576, 8, from 0 to 2097152",
    "0, 1048576, 1048576, 16, 16 bytes of hashes",
    "0, 1048576, 1000, 4196, pieces of 1000 bytes",
    "419430400, 419430401, 1048576, 4, from 419430400 to 419430401",
  })
  void hashesOfNoPiecesBreakTheRules(long start, long end, int piece, int bytes, String message)
      throws FdtException {
    placed(Delta.ALWAYS);
    assertThatThrownBy(() -> arrive(hashes(start, end, piece, false, bytes)))
        .hasMessageContaining(message)
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  @Test
  void weakHashesAloneDoNotSayThatNothingIsEqual() throws FdtException {
    placed(Delta.AUTO);
    measured(10L * MIB);
    sampled(true, 1000);
    sampled(true, 1000);
    List<RangeRequest> all = requests();
    assertThat(all.get(all.size() - 1).getHashCount()).isPositive();
    long weak = 0;
    for (Range range : RangePairs.read(all.get(all.size() - 1).getHashList(), 1, SIZE)) {
      for (long at = range.start(); at + MIB <= range.end(); at += MIB) {
        arrive(hashes(at, at + MIB, MIB, false, 4));
        matched(true, 1000);
        weak += MIB;
      }
    }
    assertThat(weak).isGreaterThan(256L * MIB);
    assertThat(requests()).allMatch(request -> request.getWantedCount() == 0);
  }

  @Test
  void piecesThatWaitForAShiftAreSentWhenComparingIsOver() throws FdtException {
    receiver = new ReceiverMachine<>(TransferSpec.builder().delta(Delta.AUTO).build(), false);
    place(1, SIZE, 300L * MIB);
    file = receiver.openFiles().iterator().next();
    measured(10L * MIB);
    sampled(true, 1000);
    sampled(true, 1000);
    List<RangeRequest> all = requests();
    List<Range> asked = RangePairs.read(all.get(all.size() - 1).getHashList(), 1, SIZE);
    Range last = asked.get(asked.size() - 1);
    arrive(hashes(asked.get(0).start(), asked.get(0).start() + MIB, MIB, false, 4));
    matched(false, 1); // small pieces are asked for
    arrive(hashes(last.end() - MIB, last.end(), MIB, false, 4));
    matched(false, 1); // beyond the end of the base

    for (Range range : asked) {
      for (long at = range.start() + MIB; at + MIB < range.end(); at += MIB) {
        arrive(hashes(at, at + MIB, MIB, true, 16));
        if (!matches.isEmpty()) {
          matched(false, 1);
        }
      }
    }
    assertThat(requests())
        .anyMatch(
            request -> request.getWantedCount() == 2 && request.getWanted(0) == last.end() - MIB);
  }

  /** As after an interruption: what has arrived of a large piece may be any of its pages. */
  @Test
  void theEndsOfWhatHasArrivedAreComparedInSmallPieces() throws FdtException {
    receiver = new ReceiverMachine<>(TransferSpec.builder().delta(Delta.ALWAYS).build(), false);
    Entry entry = Entries.sparse(1, 0, SIZE);
    ManifestBatch.Builder batch = ManifestBatch.newBuilder().setFirstId(1);
    BatchCoding.encode(List.of(entry), batch);
    receive(to -> to.message(Control.newBuilder().setManifestBatch(batch).build()));
    List<CheckedRange> kept = List.of(new CheckedRange(5000, 3 * MIB + 8192, 0));
    receive(
        to ->
            to.entriesPlaced(
                List.of(new PlacedEntry.Wanted<>(entry, () -> "path", "writer", kept, "", SIZE))));

    List<RangeRequest> requests = requests();
    assertThat(requests.get(0).getPiece()).isEqualTo(4096);
    assertThat(requests.get(0).getHashList()).containsExactly(0L, 4096L, 3L * MIB + 8192, 4L * MIB);
    assertThat(requests.get(1).getHashList()).containsExactly(4L * MIB, SIZE);
  }

  @Test
  void holesOfTheSourceEndNoSample() throws FdtException {
    placed(Delta.AUTO);
    measured(10L * MIB);
    List<RangeRequest> samples = requests();
    List<Range> asked = RangePairs.read(samples.get(0).getHashList(), 1, SIZE);
    receive(
        to ->
            to.message(
                Control.newBuilder()
                    .setFileHoles(
                        FileHoles.newBuilder()
                            .setId(1)
                            .addAllHoles(RangePairs.of(asked.subList(1, asked.size()))))
                    .build()));
    for (long at = asked.get(0).start(); at < asked.get(0).end(); at += MIB) {
      arrive(hashes(at, at + MIB, MIB, true, 16));
      matched(true, 1000);
    }
    List<RangeRequest> rest = requests();
    assertThat(rest.get(rest.size() - 1).getHashCount()).isPositive();
  }

  @Test
  void withDigestsOfChunksSmallerPiecesBreakTheRules() throws FdtException {
    receiver =
        new ReceiverMachine<>(
            TransferSpec.builder().delta(Delta.ALWAYS).checksum(Checksum.XXH3).build(), false);
    place(1, SIZE, SIZE);
    assertThatThrownBy(() -> arrive(hashes(4096, 8192, 4096, true, 16)))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  @Test
  void hashesThatWereNotAskedForAreIgnoredAndForAFileWithoutABaseBreakTheRules()
      throws FdtException {
    placed(Delta.AUTO);
    arrive(hashes(0, MIB, MIB, true, 16));
    assertThat(matches).isEmpty();

    placed(Delta.AUTO);
    receiver = new ReceiverMachine<>(TransferSpec.builder().build(), false);
    place(1, SIZE, 0);
    assertThatThrownBy(() -> arrive(hashes(0, MIB, MIB, true, 16)))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }
}
