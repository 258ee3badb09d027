package io.fdt.core.session.receiver;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.MetadataWarning;
import io.fdt.core.wire.control.MetadataWarnings;
import java.util.function.Consumer;

/**
 * Unsent warnings about entries in place. Not thread-safe: confined to the thread of its session.
 */
final class MetadataWarningList {
  /**
   * The most warnings in one message; with three bytes per character, a fifth of the longest
   * message.
   */
  private static final int MAX_ENTRIES = 256;

  private static final int MAX_CHARS = 64 << 10;

  private final MetadataWarnings.Builder collected = MetadataWarnings.newBuilder();
  private int chars;

  /**
   * Adds a warning.
   *
   * @return whether to flush; decisions on these entries must be flushed before
   */
  boolean add(long id, ErrorCode code, String message) {
    String text = MessageText.fit(message);
    chars += text.length();
    collected.addEntries(
        MetadataWarning.newBuilder().setId(id).setCode(code.wireCode()).setMessage(text));
    return collected.getEntriesCount() >= MAX_ENTRIES || chars >= MAX_CHARS;
  }

  /** Whether there are unsent warnings. */
  boolean hasAny() {
    return collected.getEntriesCount() > 0;
  }

  /** Sends the collected warnings. */
  void flush(Consumer<Control.Builder> messages) {
    if (collected.getEntriesCount() > 0) {
      messages.accept(Control.newBuilder().setMetadataWarnings(collected.build()));
      collected.clear();
      chars = 0;
    }
  }
}
