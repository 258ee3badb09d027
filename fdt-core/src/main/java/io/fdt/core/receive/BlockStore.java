package io.fdt.core.receive;

import io.fdt.core.engine.NodeStreams;
import io.fdt.core.session.receiver.IncomingFile;
import io.fdt.core.session.receiver.ReceiverAction;

/** Writes received blocks, on this machine only or also on data nodes. On the session's loop. */
interface BlockStore {
  default void start() {}

  void write(ReceiverAction.WriteBlock<ReceivedFileWriter> action);

  /** Gives a complete file its final name. */
  void publish(IncomingFile<ReceivedFileWriter> file);

  /** Closes a file that failed. */
  void release(ReceiverAction.Release<ReceivedFileWriter> action);

  /** The streams of data nodes. */
  default NodeStreams nodes() {
    return NodeStreams.NONE;
  }
}
