package io.fdt.core.session;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;

/** Something that happens to one end of a session, whichever end it is. */
public sealed interface SessionEvent {
  /**
   * The transfer begins.
   *
   * @param early whether the other end has not agreed to it yet
   */
  record Started(boolean early) implements SessionEvent {}

  /** The other end has agreed to a transfer that began early. */
  record Agreed() implements SessionEvent {}

  /** This end has something to say. */
  record Said(Control.Builder message) implements SessionEvent {}

  /** A message has come on the control connection. */
  record Heard(Control message) implements SessionEvent {}

  /**
   * The control connection is gone.
   *
   * @param isComplete whether every entry of the transfer has an outcome
   */
  record Lost(FdtException cause, boolean isComplete) implements SessionEvent {}

  /** Another control connection takes the place of the one that is there. */
  record Displaced(FdtException cause) implements SessionEvent {}

  /**
   * There is a control connection again.
   *
   * @param answer the first message on it; null for none
   * @param receivedByPeer the number of the last message of this end that the other end has
   */
  record Resumed(Control answer, long receivedByPeer) implements SessionEvent {}

  /** Somebody at this end gives the session up. */
  record Aborted(FdtException cause) implements SessionEvent {}

  /** The transfer has come to its end. */
  record Finished() implements SessionEvent {}

  /**
   * Time has passed: to be told several times a second.
   *
   * @param mark how far the transfer is
   * @param isComplete as in {@link Lost}
   * @param peer the other end, for people
   */
  record Tick(Mark mark, boolean isComplete, String peer) implements SessionEvent {}

  /** All that shows that a transfer moves: it does when any of them is another number. */
  record Mark(
      long bytesDone,
      long bytesCarried,
      long bytesChecked,
      long filesTotal,
      long filesDone,
      long filesUnchanged,
      long filesDue) {
    /** Before anything has moved. */
    public static final Mark NONE = new Mark(0, 0, 0, 0, 0, 0, 0);

    /** As {@link #equals}, whose first call on a record costs a start of the JVM 13 ms. */
    boolean isSameAs(Mark other) {
      return bytesDone == other.bytesDone
          && bytesCarried == other.bytesCarried
          && bytesChecked == other.bytesChecked
          && filesTotal == other.filesTotal
          && filesDone == other.filesDone
          && filesUnchanged == other.filesUnchanged
          && filesDue == other.filesDue;
    }
  }
}
