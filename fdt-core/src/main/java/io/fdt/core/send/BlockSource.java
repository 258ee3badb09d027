package io.fdt.core.send;

import io.fdt.core.engine.NodeStreams;
import io.fdt.core.session.sender.OutgoingFile;
import io.fdt.core.session.sender.SenderAction;
import io.fdt.core.storage.SourceTree.SourceFile;

/** Reads and sends blocks, on this machine only or also on data nodes. On the session's loop. */
interface BlockSource {
  default void start() {}

  void read(SenderAction.Read<SourceFile> action);

  /** Closes a file that is not read further, or is read from its start again. */
  void closeFile(OutgoingFile<SourceFile> file);

  /** The most blocks at data nodes at once. */
  default int capacity() {
    return 0;
  }

  /** Sends an idle frame on a stream of a node. */
  default void keepOpen(int stream) {}

  /** Closes a stream of a node. */
  default void closeStream(int stream) {}

  /** Called several times a second. */
  default void tick(long nowNanos) {}

  /** The streams of data nodes. */
  default NodeStreams nodes() {
    return NodeStreams.NONE;
  }
}
