package io.fdt.core.engine;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.ReceivedFrame;
import java.util.function.Consumer;

/**
 * The data nodes that receive for one session, as its front end sees them. Confined to the loop of
 * the session.
 */
public interface ReceivingNodes extends NodeStreams {
  /** The events of the nodes; on the loop of the session. */
  interface Listener {
    /** A frame has come: one that its node holds, or the whole frame. */
    void frame(int stream, ReceivedFrame frame);

    /** Something that a person may want to know. */
    void notice(String message);
  }

  /** How the nodes have closed a file. */
  enum Closed {
    /** All that they wrote is there. */
    WHOLE,
    /** One of them is lost: it is unknown whether its bytes are there. */
    UNKNOWN
  }

  /** Takes part from now on. Once. */
  void start(Listener listener);

  /** Whether a node has written to this file, so that {@link #closeFile} is needed. */
  boolean hasOpen(long file);

  /**
   * Has all nodes close a file; then what they wrote can be read here.
   *
   * @param fsync whether it is forced to the device before
   * @param failed gets why that failed
   */
  void closeFile(long file, boolean fsync, Consumer<Closed> closed, Consumer<FdtException> failed);

  /** Whether they may go on reading their streams: more waits for disks here than may. */
  void setReading(boolean reading);
}
