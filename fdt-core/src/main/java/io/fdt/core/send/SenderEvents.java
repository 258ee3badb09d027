package io.fdt.core.send;

import io.fdt.core.session.sender.SenderEvent;
import io.fdt.core.storage.SourceTree.SourceFile;

/** Receives the events of a sender, on the loop of the session. */
@FunctionalInterface
interface SenderEvents {
  void handle(SenderEvent<SourceFile> event);
}
