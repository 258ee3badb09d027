package io.fdt.core.session.receiver;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Entry;
import io.fdt.core.session.Entries;
import io.fdt.core.session.sender.ManifestPart;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.FileEnds;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The part of a file that is there when the file fails. */
class FailedFilesTest {
  private static final long SIZE = Entry.RESUMED_BYTES;
  private static final long KEPT = 1 << 20;
  private static final Set<ErrorCode> CONTINUED =
      EnumSet.of(
          ErrorCode.STORAGE_FULL,
          ErrorCode.IO,
          ErrorCode.READ_ONLY,
          ErrorCode.RESOURCES,
          ErrorCode.PERMISSION,
          ErrorCode.CANCELLED);

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void whatIsLeftOfAFileThatFails(ErrorCode code) throws FdtException {
    ReceiverMachine<String> receiver = new ReceiverMachine<>(TransferSpec.builder().build(), false);
    ManifestPart<String> part = ManifestPart.empty();
    part.entries().add(Entries.file(1, 0, SIZE));
    part.files().add("f");
    part.queues().add(0);
    tell(receiver, Control.newBuilder().setManifestBatch(part.message(1)));
    receiver.handle(
        to ->
            to.entriesPlaced(
                List.of(
                    new PlacedEntry.Wanted<>(
                        part.entries().get(0),
                        () -> "f",
                        "writer",
                        List.of(new CheckedRange(0, KEPT, 0)),
                        "",
                        0))),
        0);
    FileEnd end = FileEnd.newBuilder().setId(1).setCode(code.wireCode()).setMessage("why").build();

    List<ReceiverAction<String>> actions =
        tell(receiver, Control.newBuilder().setFileEnds(FileEnds.newBuilder().addFiles(end)));

    assertThat(actions)
        .filteredOn(action -> action instanceof ReceiverAction.Release)
        .singleElement()
        .isEqualTo(new ReceiverAction.Release<>(released(actions), !CONTINUED.contains(code)));
    boolean isKept = CONTINUED.contains(code);
    assertThat(receiver.bytesKept()).isEqualTo(isKept ? KEPT : 0);
    assertThat(receiver.failedBytes()).isEqualTo(isKept ? SIZE - KEPT : SIZE);
  }

  private static IncomingFile<String> released(List<ReceiverAction<String>> actions) {
    return actions.stream()
        .filter(action -> action instanceof ReceiverAction.FileFailed)
        .map(action -> ((ReceiverAction.FileFailed<String>) action).file())
        .findFirst()
        .orElseThrow();
  }

  private static List<ReceiverAction<String>> tell(
      ReceiverMachine<String> receiver, Control.Builder message) throws FdtException {
    return receiver.handle(to -> to.message(message.build()), 0);
  }
}
