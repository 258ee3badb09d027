package io.fdt.core.send;

import io.fdt.core.engine.TransferEvents;
import io.fdt.core.session.OutgoingFile;
import io.fdt.core.session.SenderAction;
import io.fdt.core.storage.SourceTree.SourceFile;

/** What the user hears of a file whose outcome is known. */
final class SettledFile {
  private SettledFile() {}

  static void tell(SenderAction.FileSettled<SourceFile> settled, TransferEvents events) {
    OutgoingFile<SourceFile> file = settled.file();
    switch (settled.outcome()) {
      case DONE -> {
        events.fileDone(
            file.source()::path, file.size(), file.isResumed(), file.digestAtReceiver());
        if (!file.change().isEmpty()) {
          events.notice(file.change());
        }
      }
      case UNCHANGED -> events.fileUnchanged(file.source()::path, file.size(), new byte[0]);
      case DUE -> events.fileDue(file.source()::path, file.size(), file.toSend());
      case FAILED ->
          events.problem(file.source().path(), file.isSkipped(), settled.code(), settled.message());
    }
  }
}
