package io.fdt.core.session.sender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Range;
import io.fdt.core.session.Entries;
import io.fdt.core.session.RangePairs;
import io.fdt.core.wire.control.Compared;
import io.fdt.core.wire.control.ComparedFile;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.Decisions;
import io.fdt.core.wire.control.PartialFile;
import io.fdt.core.wire.control.RangeRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A sender that is asked for hashes of ranges. */
class HashedRangesTest {
  private static final int MIB = 1 << 20;
  private static final long SIZE = 600L * MIB + 5;

  private final List<Control> sent = new ArrayList<>();
  private final SenderDriver<String> sender =
      new SenderDriver<>(
          MIB, message -> sent.add(message.build()), (file, outcome, code, message) -> {});

  @BeforeEach
  void offer() {
    sender.offer(Entries.file(1, 0, SIZE), "source", sender.addLane());
  }

  private void wanted() throws FdtException {
    sender.onDecisions(decisions(Decision.WANTED));
  }

  private static Decisions decisions(Decision decision) {
    return Decisions.newBuilder()
        .addRuns(DecisionRun.newBuilder().setFirstId(1).setCount(1).setDecision(decision))
        .build();
  }

  private static RangeRequest.Builder request() {
    return RangeRequest.newBuilder().setId(1);
  }

  private static RangeRequest.Builder hash(long start, long end) {
    return request().setPiece(MIB).addHash(start).addHash(end);
  }

  private void ask(RangeRequest.Builder request) throws FdtException {
    sender.handle(to -> to.message(Control.newBuilder().setRangeRequest(request.build()).build()));
  }

  /** Reads everything that is to be hashed now; returns the ranges. */
  private List<Range> hashed() throws FdtException {
    List<Range> ranges = new ArrayList<>();
    for (ReadJob<String> job = sender.nextJob(0); job != null; job = sender.nextJob(0)) {
      ReadJob.Hash<String> hash = (ReadJob.Hash<String>) job;
      ranges.add(hash.part().range());
      sender.handle(to -> to.jobRead(hash, 0, 0, new byte[16], List.of()));
    }
    return ranges;
  }

  @Test
  void askedForBeforeTheDecisionItSendsNothingOfARangeBeforeTheAnswer() throws FdtException {
    ask(hash(0, SIZE));
    wanted();

    List<Range> ranges = hashed();
    assertThat(ranges).hasSize(256).allMatch(range -> range.length() == MIB);
    assertThat(sent).allMatch(Control::hasRangeHashes).hasSize(256);

    ask(request().addAllKept(RangePairs.of(List.of(new Range(0, MIB)))));
    assertThat(hashed()).containsExactly(new Range(256L * MIB, 257L * MIB));
    ask(request().addWanted(2 * MIB).addWanted(2 * MIB + 4096));
    ReadJob.Hash<String> next = (ReadJob.Hash<String>) sender.nextJob(0);
    assertThat(next.part().range()).isEqualTo(new Range(257L * MIB, 258L * MIB));
    ReadJob.Block<String> block = (ReadJob.Block<String>) sender.nextJob(0);
    assertThat(block.offset()).isEqualTo(2 * MIB);
    assertThat(block.length()).isEqualTo(4096);
  }

  @Test
  void requestsBeforeTheDecisionMayComeInAnyOrder() throws FdtException {
    ask(hash(4 * MIB, 5 * MIB));
    ask(hash(0, 2 * MIB));
    wanted();

    assertThat(((ReadJob.Hash<String>) sender.nextJob(0)).part().range().start()).isZero();
    assertThat(((ReadJob.Hash<String>) sender.nextJob(0)).part().range().start()).isEqualTo(MIB);
    assertThat(((ReadJob.Hash<String>) sender.nextJob(0)).part().range().start())
        .isEqualTo(4 * MIB);
  }

  @Test
  void aRangeWhoseSendingHasBegunIsNotHashed() throws FdtException {
    wanted();
    ReadJob.Block<String> block = (ReadJob.Block<String>) sender.nextJob(0);
    assertThat(block.offset()).isZero();
    ask(hash(0, 3 * MIB));

    ReadJob.Hash<String> hash = (ReadJob.Hash<String>) sender.nextJob(0);
    assertThat(hash.part().range()).isEqualTo(new Range(MIB, 2 * MIB));
  }

  @Test
  void aHashedRangeCanBeAskedForAgainInSmallerPieces() throws FdtException {
    ask(hash(0, SIZE));
    wanted();
    hashed();
    ask(request().setPiece(4096).addHash(5 * MIB).addHash(6 * MIB));

    ReadJob.Hash<String> hash = (ReadJob.Hash<String>) sender.nextJob(0);
    assertThat(hash.part().range()).isEqualTo(new Range(5 * MIB, 6 * MIB));
    assertThat(hash.part().piece()).isEqualTo(4096);
  }

  @Test
  void theRestMayBeWantedWithoutHashes() throws FdtException {
    ask(hash(0, SIZE));
    wanted();
    sender.nextJob(0);
    ask(request().addWanted(0).addWanted(SIZE));

    long bytes = 0;
    for (ReadJob<String> job = sender.nextJob(0); job != null; job = sender.nextJob(0)) {
      bytes += ((ReadJob.Block<String>) job).length();
    }
    assertThat(bytes).isEqualTo(SIZE);
  }

  @Test
  void aFileThatTheReceiverHasIsReadToItsEndWithoutABlock() throws FdtException {
    ask(hash(0, SIZE));
    wanted();
    List<Range> ranges = new ArrayList<>(hashed());
    while (!ranges.isEmpty()) {
      List<Range> answered = List.copyOf(ranges);
      ranges.clear();
      ask(request().addAllKept(RangePairs.of(answered)));
      ranges.addAll(hashed());
    }
    assertThat(sent.get(sent.size() - 1).getFileEnds().getFiles(0).getId()).isEqualTo(1);
    assertThat(sender.machine().bytesMatched()).isEqualTo(SIZE);
    assertThat(sender.machine().bytesWanted()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"1048576, 0, 0", "1000, 0, 1048576", "0, 0, 1048576", "1048576, 0, 629145606"})
  void aRangeOrAPieceThatDoesNotExistBreaksTheRules(int piece, long start, long end)
      throws FdtException {
    wanted();
    refused(request().setPiece(piece).addHash(start).addHash(end));
  }

  private void refused(RangeRequest.Builder request) {
    assertThatThrownBy(() -> ask(request))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  @Test
  void aReceiverThatKeepsWhatWasNotHashedBreaksTheRules() throws FdtException {
    wanted();
    refused(request().addKept(0).addKept(MIB));
  }

  @Test
  void aReceiverThatKeepsWhatIsNotHashedYetBreaksTheRules() throws FdtException {
    ask(hash(0, SIZE));
    wanted();
    refused(request().addKept(0).addKept(MIB));
  }

  /** Each byte has two weak hashes and a strong one, in a sample and after it. */
  @Test
  void aReceiverThatAsksForTheSameHashesAgainAndAgainBreaksTheRules() throws FdtException {
    wanted();
    for (int times = 0; times < 6; times++) {
      ask(hash(0, SIZE));
    }
    refused(hash(0, MIB));
  }

  @Test
  void whatAMessageAnswersOfALargeRangeIsLeftOut() throws FdtException {
    ask(hash(0, 8 * MIB));
    wanted();
    ask(request().addWanted(MIB).addWanted(2 * MIB).addWanted(5 * MIB).addWanted(6 * MIB));

    List<Long> starts = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      starts.add(((ReadJob.Hash<String>) sender.nextJob(0)).part().range().start() / MIB);
    }
    assertThat(starts).containsExactly(0L, 2L, 3L, 4L, 6L, 7L);
  }

  @Test
  void aReceiverThatAsksAboutAnotherEntryBreaksTheRules() {
    refused(hash(0, MIB).setId(2));
    refused(hash(0, MIB).setId(0));
  }

  @Test
  void aReceiverThatKeepsARangeTwiceBreaksTheRules() throws FdtException {
    ask(hash(0, MIB));
    wanted();
    sender.nextJob(0);
    ask(request().addKept(0).addKept(MIB));
    refused(request().addKept(0).addKept(MIB));
  }

  @Test
  void aRequestThatCrossesTheDecisionOnAComparedFileWaitsForIt() throws FdtException {
    sender.onDecisions(
        decisions(Decision.CHECK).toBuilder()
            .addPartialFiles(PartialFile.newBuilder().setId(1).addKept(0).addKept(MIB))
            .build());
    ask(hash(0, SIZE));
    for (ReadJob<String> job = sender.nextJob(0); job != null; job = sender.nextJob(0)) {
      sender.onChecked((ReadJob.Check<String>) job, 0, new byte[0]);
    }
    sender.onCompared(
        Compared.newBuilder()
            .addFiles(ComparedFile.newBuilder().setId(1).setDecision(Decision.WANTED))
            .build());

    assertThat(hashed()).hasSize(256);
  }

  @ParameterizedTest
  @EnumSource(
      value = Checksum.class,
      names = {"CRC32C", "XXH3"})
  void holesAreNotHashed(Checksum checksum) throws FdtException {
    SenderDriver<String> sparse =
        new SenderDriver<>(
            MIB, DigestMethod.of(checksum, MIB), message -> {}, (file, outcome, code, text) -> {});
    Entry entry = Entries.sparse(1, 0, 4 * MIB);
    sparse.offer(entry, "source", sparse.addLane());
    sparse.handle(
        to -> to.message(Control.newBuilder().setRangeRequest(hash(0, 4 * MIB).build()).build()));
    sparse.onDecisions(decisions(Decision.WANTED));
    ReadJob.Survey<String> survey = (ReadJob.Survey<String>) sparse.nextJob(0);
    sparse.onSurveyed(survey.file(), List.of(new Range(MIB, 3 * MIB)));

    List<Range> ranges = new ArrayList<>();
    for (ReadJob<String> job = sparse.nextJob(0); job != null; job = sparse.nextJob(0)) {
      if (job instanceof ReadJob.Hash<String> hash) {
        ranges.add(hash.part().range());
      }
    }
    assertThat(ranges).containsExactly(new Range(0, MIB), new Range(3 * MIB, 4 * MIB));
  }

  @Test
  void aFileMayHaveAnyNumberOfEqualPagesBetweenChangedOnes() throws FdtException {
    ask(request().setPiece(4096).addHash(0).addHash(SIZE));
    wanted();
    List<Range> ranges = new ArrayList<>(hashed());
    long pages = 0;
    while (!ranges.isEmpty()) {
      List<Long> kept = new ArrayList<>();
      for (Range range : ranges) {
        for (long at = range.start(); at < range.end(); at += 8192) {
          kept.add(at);
          kept.add(Math.min(at + 4096, range.end()));
          pages++;
        }
      }
      ask(request().addAllKept(kept));
      ask(
          request()
              .addWanted(ranges.get(0).start())
              .addWanted(ranges.get(ranges.size() - 1).end()));
      ranges.clear();
      for (ReadJob<String> job = sender.nextJob(0); job != null; job = sender.nextJob(0)) {
        if (job instanceof ReadJob.Hash<String> hash) {
          ranges.add(hash.part().range());
          sender.handle(to -> to.jobRead(hash, 0, 0, new byte[16], List.of()));
        } else {
          sender.onBlockRead((ReadJob.Block<String>) job, 0);
        }
      }
    }
    assertThat(pages).isGreaterThan(70_000);
    assertThat(sent.get(sent.size() - 1).hasFileEnds()).isTrue();
  }

  @Test
  void ofAllFilesTogetherNoMoreThanAWindowIsHashedAhead() throws FdtException {
    for (int id = 2; id <= 100; id++) {
      sender.offer(Entries.file(id, 0, 2 * MIB), "source", 0);
    }
    for (int id = 2; id <= 100; id++) {
      ask(hash(0, 2 * MIB).setId(id));
    }
    sender.onDecisions(
        Decisions.newBuilder()
            .addRuns(
                DecisionRun.newBuilder().setFirstId(1).setCount(100).setDecision(Decision.WANTED))
            .build());
    List<ReadJob.Hash<String>> jobs = new ArrayList<>();
    for (ReadJob<String> job = sender.nextJob(0);
        job instanceof ReadJob.Hash<String> hash;
        job = sender.nextJob(0)) {
      jobs.add(hash);
    }
    assertThat(jobs).hasSize(128);
    assertThat(jobs.stream().map(job -> job.file().id()).distinct()).hasSize(64);
  }
}
