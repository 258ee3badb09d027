package io.fdt.core.session.receiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Root;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.Timestamp;
import io.fdt.core.spec.TransferSpec;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** A file of unknown size is taken alone, and only where nothing needs its size. */
class StreamedFileRuleTest {
  private static final Timestamp NOW = new Timestamp(1_700_000_000L, 0);
  private static final Root STREAM = new Root(null, EntryKind.FILE, 0644, NOW);
  private static final Root FILE = new Root(FileName.of("x"), EntryKind.FILE, 0644, NOW);
  private static final SyncRule SIZE = new SyncRule(SyncRule.Level.SIZE, false);

  @Test
  void itComesAlone() throws FdtException {
    StreamedFileRule rule = new StreamedFileRule(with(Checksum.CRC32C, SyncRule.DEFAULT), true);
    rule.check(List.of(STREAM));
    rule.checkEntries(List.of(entry(1, FileMetadata.OF_STREAM)));
    refused(() -> rule.checkEntries(List.of(entry(2, FileMetadata.OF_STREAM))));
    refused(() -> rule.checkEntries(List.of(entry(1, FileMetadata.NONE))));
    refused(() -> rule.check(List.of(STREAM, FILE)));
  }

  @Test
  void nobodySendsItWhereFilesAreExpected() throws FdtException {
    StreamedFileRule rule = new StreamedFileRule(with(Checksum.CRC32C, SyncRule.DEFAULT), true);
    refused(() -> rule.checkEntries(List.of(entry(1, FileMetadata.OF_STREAM))));
    rule.check(List.of(FILE));
    refused(() -> rule.checkEntries(List.of(entry(1, FileMetadata.OF_STREAM))));
    rule.checkEntries(List.of(entry(1, FileMetadata.NONE)));
  }

  @Test
  void whatNeedsTheSizeRefusesIt() {
    refused(() -> rule(with(Checksum.BLAKE3, SyncRule.DEFAULT), true).check(List.of(STREAM)));
    refused(() -> rule(with(Checksum.CRC32C, SIZE), true).check(List.of(STREAM)));
    refused(() -> rule(with(Checksum.CRC32C, SyncRule.DEFAULT), false).check(List.of(STREAM)));
    TransferSpec dryRun = TransferSpec.builder().dryRun(true).build();
    refused(() -> rule(dryRun, true).check(List.of(STREAM)));
  }

  private static StreamedFileRule rule(TransferSpec spec, boolean takesStreams) {
    return new StreamedFileRule(spec, takesStreams);
  }

  private static TransferSpec with(Checksum checksum, SyncRule sync) {
    return TransferSpec.builder().checksum(checksum).sync(sync).build();
  }

  private static Entry entry(long id, FileMetadata metadata) {
    return new Entry(
        id,
        0,
        FileName.of("-"),
        EntryKind.FILE,
        0,
        0644,
        NOW,
        BytePath.EMPTY,
        FileStamp.NONE,
        metadata);
  }

  private static void refused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }
}
