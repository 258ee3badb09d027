package io.fdt.core.engine;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.ReceivedFrame;
import java.util.function.Consumer;

/**
 * The receiving data nodes of one session, seen from its front end. Confined to the loop of the
 * session.
 */
public interface ReceivingNodes extends NodeStreams {
  /** The events of the nodes; called on the loop of the session. */
  interface Listener {
    /** A frame was received: held by its node, or passed on whole. */
    void frame(int stream, ReceivedFrame frame);

    /** Information for the user. */
    void notice(String message);
  }

  /** The result of closing a file at the nodes. */
  enum Closed {
    /** All writes of the nodes have succeeded. */
    WHOLE,
    /** A node is lost: it is unknown whether its bytes were written. */
    UNKNOWN
  }

  /** Starts to take part. Called once. */
  void start(Listener listener);

  /** Whether a node has written to this file, so that {@link #closeFile} is needed. */
  boolean hasOpen(long file);

  /**
   * Makes all nodes close a file, so that their writes can be read here.
   *
   * @param fsync whether the file is forced to the device before
   * @param failed takes the failure
   */
  void closeFile(long file, boolean fsync, Consumer<Closed> closed, Consumer<FdtException> failed);

  /**
   * Pauses or resumes reading of the nodes' streams, depending on the backlog of the disks here.
   */
  void setReading(boolean reading);
}
