package io.fdt.core.session.receiver;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.MetadataWarning;
import io.fdt.core.wire.control.MetadataWarnings;
import java.util.function.Consumer;

/**
 * Warnings about entries that are in place, until they are sent. Not thread-safe: confined to the
 * thread of its session.
 */
final class MetadataWarningList {
  /**
   * The limit of one message: with texts of three bytes a character, a fifth of the longest that is
   * allowed.
   */
  private static final int MAX_ENTRIES = 256;

  private static final int MAX_CHARS = 64 << 10;

  private final MetadataWarnings.Builder collected = MetadataWarnings.newBuilder();
  private int chars;

  /**
   * Takes one more.
   *
   * @return whether it is time to flush, after the decisions on these entries: none may overtake
   *     its own
   */
  boolean add(long id, ErrorCode code, String message) {
    String text = MessageText.fit(message);
    chars += text.length();
    collected.addEntries(
        MetadataWarning.newBuilder().setId(id).setCode(code.wireCode()).setMessage(text));
    return collected.getEntriesCount() >= MAX_ENTRIES || chars >= MAX_CHARS;
  }

  /** Whether anything was collected. */
  boolean hasAny() {
    return collected.getEntriesCount() > 0;
  }

  /** Sends what was collected. */
  void flush(Consumer<Control.Builder> messages) {
    if (collected.getEntriesCount() > 0) {
      messages.accept(Control.newBuilder().setMetadataWarnings(collected.build()));
      collected.clear();
      chars = 0;
    }
  }
}
