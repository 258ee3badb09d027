package io.fdt.core.send;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.BatchCoding;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.ManifestBatch;
import io.fdt.core.wire.control.SkippedEntry;

/** Manifest batches as messages. */
public final class ManifestMessages {
  private ManifestMessages() {}

  public static ManifestBatch batch(long firstId, ManifestFeed.Batch batch) {
    ManifestBatch.Builder message =
        ManifestBatch.newBuilder()
            .setFirstId(firstId)
            .addAllEndedDirectories(batch.endedDirectories());
    BatchCoding.encode(batch.entries(), message);
    batch
        .skippedEntries()
        .forEach(skippedEntry -> message.addSkippedEntries(skippedEntry(skippedEntry)));
    return message.build();
  }

  private static SkippedEntry skippedEntry(ManifestFeed.SkippedEntry skippedEntry) {
    FdtException failure = skippedEntry.failure();
    return SkippedEntry.newBuilder()
        .setPath(ByteString.copyFromUtf8(MessageText.fit(skippedEntry.path())))
        .setSkipped(failure == null)
        .setCode((failure == null ? ErrorCode.WRONG_KIND : failure.code()).wireCode())
        .setMessage(
            MessageText.fit(failure == null ? skippedEntry.skipReason() : failure.getMessage()))
        .build();
  }
}
