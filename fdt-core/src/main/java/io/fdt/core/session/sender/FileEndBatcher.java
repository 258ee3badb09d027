package io.fdt.core.session.sender;

import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.FileEnds;
import java.util.function.Consumer;

/**
 * Collects the ends and failures of files until they are sent to the receiver. Many share one
 * message.
 *
 * <p>Not thread-safe: confined to its {@link SenderMachine}.
 */
final class FileEndBatcher {
  /**
   * The most ends in one message; with three bytes per character, a fifth of the longest message.
   */
  private static final int MAX_ENDS = 256;

  private static final int MAX_CHARS = 64 << 10;

  private final Consumer<Control.Builder> messages;
  private final FileEnds.Builder ends = FileEnds.newBuilder();
  private int chars;

  FileEndBatcher(Consumer<Control.Builder> messages) {
    this.messages = messages;
  }

  void add(FileEnd.Builder end) {
    ends.addFiles(end);
    chars += end.getMessage().length() + Integer.BYTES * end.getKeptCrc32CCount();
    if (ends.getFilesCount() >= MAX_ENDS || chars >= MAX_CHARS) {
      flush();
    }
  }

  void flush() {
    if (ends.getFilesCount() > 0) {
      messages.accept(Control.newBuilder().setFileEnds(ends.build()));
      ends.clear();
      chars = 0;
    }
  }
}
