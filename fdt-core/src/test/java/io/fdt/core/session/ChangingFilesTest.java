package io.fdt.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Changing;
import io.fdt.core.model.Entry;
import io.fdt.core.session.receiver.IncomingFile;
import io.fdt.core.session.receiver.PlacedEntry;
import io.fdt.core.session.receiver.ReceiverAction;
import io.fdt.core.session.receiver.ReceiverMachine;
import io.fdt.core.session.sender.FileOutcome;
import io.fdt.core.session.sender.ManifestPart;
import io.fdt.core.session.sender.OutgoingFile;
import io.fdt.core.session.sender.ReadJob;
import io.fdt.core.session.sender.SenderAction;
import io.fdt.core.session.sender.SenderEvent;
import io.fdt.core.session.sender.SenderMachine;
import io.fdt.core.spec.Specs;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.Decisions;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.FileEnds;
import io.fdt.core.wire.control.FileFailure;
import io.fdt.core.wire.control.FileResults;
import io.fdt.core.wire.control.ManifestBatch;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What both machines make of files that change while they are read. */
class ChangingFilesTest {
  private static final int BLOCK = 1 << 12;
  private static final int SIZE = 100;
  private static final ByteBuf BYTES = Unpooled.wrappedBuffer(new byte[SIZE]);

  private final List<SenderAction<String>> actions = new ArrayList<>();
  private SenderMachine<String> sender;
  private ReceiverMachine<String> receiver;

  @Test
  void aSmallFileThatChangesInAPackIsReadInBlocksAndItsEndSaysSo() throws FdtException {
    offer(Changing.COPY);
    ReadJob.Pack<String> pack = (ReadJob.Pack<String>) job();
    OutgoingFile<String> file = pack.files().get(0);

    failed(pack, file);

    ReadJob.Block<String> block = (ReadJob.Block<String>) job();
    assertThat(block.file()).isSameAs(file);
    assertThat(ends()).isEmpty();
    handle(to -> to.fileChanged(file, "'f' changed"));
    handle(to -> to.jobRead(block, 0, 77, new byte[0], List.of()));
    assertThat(ends())
        .containsExactly(
            FileEnd.newBuilder().setId(1).setCrc32C(77).setChanged("'f' changed").build());
    result(FileResults.newBuilder().addDone(1).build());
    assertThat(sender.filesDone()).isEqualTo(1);
    assertThat(sender.failures() + sender.entriesSkipped()).isZero();
  }

  @Test
  void itFailsWhenItIsShorterThanItWas() throws FdtException {
    offer(Changing.COPY);
    ReadJob.Pack<String> pack = (ReadJob.Pack<String>) job();
    OutgoingFile<String> file = pack.files().get(0);
    failed(pack, file);

    failed(job(), file);

    assertThat(ends()).singleElement().matches(end -> end.getCode() == 23);
    result(failure());
    assertThat(sender.failures()).isEqualTo(1);
  }

  @Test
  void aFileThatIsSkippedIsNoFailureAtTheSender() throws FdtException {
    offer(Changing.SKIP);
    ReadJob<String> pack = job();
    failed(pack, ((ReadJob.Pack<String>) pack).files().get(0));
    result(failure());

    assertThat(sender.failures()).isZero();
    assertThat(sender.entriesSkipped()).isEqualTo(1);
    assertThat(actions)
        .filteredOn(action -> action instanceof SenderAction.FileSettled)
        .singleElement()
        .matches(
            action -> ((SenderAction.FileSettled<String>) action).outcome() == FileOutcome.SKIPPED);
  }

  @Test
  void aFileThatIsSkippedIsNoFailureAtTheReceiver() throws FdtException {
    for (Changing rule : Changing.values()) {
      receiver = new ReceiverMachine<>(spec(rule), false);
      Entry entry = Entries.file(1, 0, 100);
      ManifestPart<String> part = ManifestPart.empty();
      part.entries().add(entry);
      part.files().add("f");
      part.queues().add(0);
      ManifestBatch batch = part.message(1);
      tell(receiver, Control.newBuilder().setManifestBatch(batch));
      receiver.handle(
          to ->
              to.entriesPlaced(
                  List.of(new PlacedEntry.Wanted<>(entry, () -> "f", "writer", List.of(), "", 0))),
          0);
      FileEnd end = FileEnd.newBuilder().setId(1).setCode(23).setMessage("changed").build();

      tell(receiver, Control.newBuilder().setFileEnds(FileEnds.newBuilder().addFiles(end)));

      assertThat(receiver.failures()).as("%s", rule).isEqualTo(rule == Changing.SKIP ? 0 : 1);
      assertThat(receiver.entriesSkipped()).isEqualTo(rule == Changing.SKIP ? 1 : 0);
    }
  }

  @Test
  void aFileThatIsCopiedThoughItChangedIsDoneAndALineSaysSo() throws FdtException {
    List<ReceiverAction<String>> actions = received("'f' changed", Crc32c.of(BYTES, 0, SIZE));

    IncomingFile<String> file = ((ReceiverAction.Publish<String>) publish(actions)).file();
    List<ReceiverAction<String>> then =
        receiver.handle(to -> to.published(file, List.of(), null), 0);
    assertThat(then).contains(new ReceiverAction.Notice<>("'f' changed"));
    assertThat(receiver.filesDone()).isEqualTo(1);
    assertThat(receiver.failures()).isZero();
  }

  /** A block that was read twice need not have the same bytes. */
  @Test
  void aFileThatChangedAndHasAnotherDigestFailsAsChanged() throws FdtException {
    for (String change : List.of("", "'f' changed")) {
      List<ReceiverAction<String>> actions = received(change, 7);

      assertThat(actions)
          .filteredOn(action -> action instanceof ReceiverAction.FileFailed)
          .singleElement()
          .extracting(action -> ((ReceiverAction.FileFailed<String>) action).cause().code())
          .isEqualTo(change.isEmpty() ? ErrorCode.VERIFICATION : ErrorCode.SOURCE_CHANGED);
    }
  }

  /** All of a file comes, and then its end. */
  private List<ReceiverAction<String>> received(String change, int crc) throws FdtException {
    receiver = new ReceiverMachine<>(spec(Changing.COPY), false);
    Entry entry = Entries.file(1, 0, SIZE);
    ManifestPart<String> part = ManifestPart.empty();
    part.entries().add(entry);
    part.files().add("f");
    part.queues().add(0);
    tell(receiver, Control.newBuilder().setManifestBatch(part.message(1)));
    receiver.handle(
        to ->
            to.entriesPlaced(
                List.of(new PlacedEntry.Wanted<>(entry, () -> "f", "writer", List.of(), "", 0))),
        0);
    FrameHeader header = FrameHeader.block(0, 1, 0, SIZE, Crc32c.of(BYTES, 0, SIZE));
    IncomingFile<String> file =
        receiver
            .handle(to -> to.frameArrived(0, new ReceivedFrame(header, BYTES, true)), 0)
            .stream()
            .filter(action -> action instanceof ReceiverAction.WriteBlock)
            .map(action -> ((ReceiverAction.WriteBlock<String>) action).file())
            .findFirst()
            .orElseThrow();
    receiver.handle(to -> to.blockWritten(file, 0, header, new byte[0], null), 0);
    FileEnd end = FileEnd.newBuilder().setId(1).setCrc32C(crc).setChanged(change).build();
    return tell(receiver, Control.newBuilder().setFileEnds(FileEnds.newBuilder().addFiles(end)));
  }

  private static ReceiverAction<String> publish(List<ReceiverAction<String>> actions) {
    return actions.stream()
        .filter(action -> action instanceof ReceiverAction.Publish)
        .findFirst()
        .orElseThrow();
  }

  private static List<ReceiverAction<String>> tell(
      ReceiverMachine<String> receiver, Control.Builder message) throws FdtException {
    return receiver.handle(to -> to.message(message.build()), 0);
  }

  private static TransferSpec spec(Changing rule) {
    return Specs.withBlocks(BLOCK, TransferSpec.builder().changing(rule).build());
  }

  private void offer(Changing rule) throws FdtException {
    sender = new SenderMachine<>(spec(rule), false, (file, size, digest) -> {});
    handle(to -> to.jobsAllowed(8));
    ManifestPart<String> part = ManifestPart.empty();
    part.entries().add(Entries.file(1, 0, 100));
    part.files().add("f");
    part.queues().add(0);
    handle(to -> to.entriesFound(part));
    DecisionRun run =
        DecisionRun.newBuilder().setFirstId(1).setCount(1).setDecision(Decision.WANTED).build();
    tell(Control.newBuilder().setDecisions(Decisions.newBuilder().addRuns(run)));
  }

  private void handle(SenderEvent<String> event) throws FdtException {
    actions.addAll(sender.handle(event, 0));
  }

  private void tell(Control.Builder message) throws FdtException {
    handle(to -> to.message(message.build()));
  }

  private void result(FileResults results) throws FdtException {
    tell(Control.newBuilder().setFileResults(results));
  }

  private static FileResults failure() {
    return FileResults.newBuilder()
        .addFailed(FileFailure.newBuilder().setId(1).setCode(23).setMessage("changed"))
        .build();
  }

  /** The job that was given last. */
  private ReadJob<String> job() {
    return actions.stream()
        .filter(action -> action instanceof SenderAction.Read)
        .map(action -> ((SenderAction.Read<String>) action).job())
        .reduce((one, later) -> later)
        .orElseThrow();
  }

  private void failed(ReadJob<String> job, OutgoingFile<String> file) throws FdtException {
    FdtException cause = new FdtException(ErrorCode.SOURCE_CHANGED, "'f' changed: run it again");
    handle(
        to ->
            to.jobRead(
                job, 0, 0, new byte[0], List.of(new SenderEvent.ReadFailure<>(file, cause))));
  }

  private List<FileEnd> ends() {
    return actions.stream()
        .filter(action -> action instanceof SenderAction.Send)
        .map(action -> ((SenderAction.Send<String>) action).message())
        .filter(Control.Builder::hasFileEnds)
        .flatMap(message -> message.getFileEnds().getFilesList().stream())
        .toList();
  }
}
