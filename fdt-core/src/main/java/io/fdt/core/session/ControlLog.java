package io.fdt.core.session;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The numbered messages of one end of a session: sent ones, to be repeated when the control
 * connection is replaced, and the number of the last received one, so that each message is
 * delivered exactly once.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
public final class ControlLog {
  /**
   * The most messages that the peer may leave unacknowledged. A correct peer acknowledges with
   * every message and every ping.
   */
  private static final int MAX_UNACKNOWLEDGED = 1 << 17;

  /** The same limit in bytes: more than a full window of entries with all texts needs. */
  private static final long MAX_UNACKNOWLEDGED_BYTES = 64L << 20;

  private final ArrayDeque<Control> unacknowledged = new ArrayDeque<>();
  private long unacknowledgedBytes;
  private long sent;
  private long received;

  /** The message with its number, to be sent. */
  public Control next(Control.Builder message) {
    Control numbered = message.setNumber(++sent).setReceived(received).build();
    unacknowledged.add(numbered);
    unacknowledgedBytes += numbered.getSerializedSize();
    return numbered;
  }

  /** The number of the last message that has been received. */
  public long received() {
    return received;
  }

  /**
   * Records a received message.
   *
   * @return whether it is new; a repetition must be ignored
   * @throws FdtException PROTOCOL when messages before it are missing, or it acknowledges an unsent
   *     message
   */
  public boolean accept(Control message) throws FdtException {
    acknowledge(message.getReceived());
    if (message.getNumber() == 0) {
      return true;
    }
    if (message.getNumber() < 0 || message.getNumber() > received + 1) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "control message %s came after %d"
              .formatted(Long.toUnsignedString(message.getNumber()), received));
    }
    if (message.getNumber() <= received) {
      return false;
    }
    received++;
    return true;
  }

  /** Drops messages that the peer has received, up to this number. */
  public void acknowledge(long number) throws FdtException {
    if (number < 0 || number > sent) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "acknowledgement of control message %s of %d"
              .formatted(Long.toUnsignedString(number), sent));
    }
    while (!unacknowledged.isEmpty() && unacknowledged.peek().getNumber() <= number) {
      unacknowledgedBytes -= unacknowledged.poll().getSerializedSize();
    }
    if (unacknowledged.size() > MAX_UNACKNOWLEDGED
        || unacknowledgedBytes > MAX_UNACKNOWLEDGED_BYTES) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "%d control messages of %d bytes are not acknowledged; at most %d of %d may be"
              .formatted(
                  unacknowledged.size(),
                  unacknowledgedBytes,
                  MAX_UNACKNOWLEDGED,
                  MAX_UNACKNOWLEDGED_BYTES));
    }
  }

  /** Messages that the peer may not have received, in order. */
  public List<Control> unacknowledged() {
    return List.copyOf(unacknowledged);
  }
}
