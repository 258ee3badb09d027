package io.fdt.core.send;

import io.fdt.core.engine.NodeStreams;
import io.fdt.core.session.sender.OutgoingFile;
import io.fdt.core.session.sender.SenderAction;
import io.fdt.core.storage.SourceTree.SourceFile;

/** Where blocks are read and sent: this machine, or data nodes as well. On the session's loop. */
interface BlockSource {
  default void start() {}

  void read(SenderAction.Read<SourceFile> action);

  /** Reads no more of a file, or reads it from its start again. */
  void closeFile(OutgoingFile<SourceFile> file);

  /** Blocks that nodes may have at once. */
  default int capacity() {
    return 0;
  }

  /** Sends an idle frame on a stream that a node has. */
  default void keepOpen(int stream) {}

  /** Closes a stream that a node has. */
  default void closeStream(int stream) {}

  /** Called several times a second. */
  default void tick(long nowNanos) {}

  /** The streams of nodes. */
  default NodeStreams nodes() {
    return NodeStreams.NONE;
  }
}
