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
 * @param files what opens each of them; null for what is no file
 * @param queues the reading queue of each file; -1 for what is no file
 * @param <S> what opens a file
 */
public record ManifestPart<S>(
    List<Entry> entries,
    List<S> files,
    List<Integer> queues,
    List<Long> endedDirectories,
    List<Skipped> skipped) {
  /**
   * Something that will not arrive.
   *
   * @param path for people
   * @param failure why it cannot be read; null for what is never copied
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

  /** Things that were found. */
  public int size() {
    return entries.size() + endedDirectories.size() + skipped.size();
  }

  /**
   * The message of it.
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
