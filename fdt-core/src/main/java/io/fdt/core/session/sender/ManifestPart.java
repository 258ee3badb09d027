package io.fdt.core.session.sender;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.wire.BatchCoding;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.ManifestBatch;
import java.util.ArrayList;
import java.util.List;

/**
 * The entries that a walk has found since the last part.
 *
 * @param entries in the order of the manifest
 * @param files the opener of each file; null for other entries
 * @param queues the reading queue of each file; -1 for other entries
 * @param <S> the opener of a file
 */
public record ManifestPart<S>(
    List<Entry> entries,
    List<S> files,
    List<Integer> queues,
    List<Long> endedDirectories,
    List<Skipped> skipped) {
  /**
   * A failed or skipped name.
   *
   * @param path escaped
   * @param failure the failure; null for kinds that are never copied
   * @param reason why it is never copied; null for a failure
   */
  public record Skipped(String path, FdtException failure, String reason) {
    ErrorCode code() {
      return failure == null ? ErrorCode.WRONG_KIND : failure.code();
    }

    String message() {
      return failure == null ? reason : failure.getMessage();
    }
  }

  public static <S> ManifestPart<S> empty() {
    return new ManifestPart<>(
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>());
  }

  /** The number of entries and skipped names. */
  public int size() {
    return entries.size() + endedDirectories.size() + skipped.size();
  }

  /**
   * The message with these entries.
   *
   * @param firstId id of its first entry
   */
  public ManifestBatch message(long firstId) {
    ManifestBatch.Builder message =
        ManifestBatch.newBuilder().setFirstId(firstId).addAllEndedDirectories(endedDirectories);
    BatchCoding.encode(entries, message);
    for (Skipped one : skipped) {
      message.addSkippedEntries(
          io.fdt.core.wire.control.SkippedEntry.newBuilder()
              .setPath(ByteString.copyFromUtf8(MessageText.fit(one.path())))
              .setSkipped(one.failure() == null)
              .setCode(one.code().wireCode())
              .setMessage(MessageText.fit(one.message())));
    }
    return message.build();
  }
}
