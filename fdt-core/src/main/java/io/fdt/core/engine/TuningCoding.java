package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.tuning.Tuning;
import io.fdt.core.wire.control.OpenSession;

/** What a sender is to find out, in the message that opens a session and out of it. */
public final class TuningCoding {
  private TuningCoding() {}

  /** Puts it into the message that opens a session. */
  public static void encode(Tuning tuning, OpenSession.Builder open) {
    open.setAutoStreams(tuning.streams())
        .setStartStreams(tuning.startStreams())
        .setAutoReaders(tuning.readers())
        .setCongestion(tuning.congestion());
  }

  /**
   * Takes it from the message that opens a session.
   *
   * @throws FdtException PROTOCOL when it makes no sense
   */
  public static Tuning decode(OpenSession open) throws FdtException {
    try {
      return new Tuning(
          open.getAutoStreams(),
          open.getStartStreams(),
          open.getAutoReaders(),
          open.getCongestion());
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: " + e.getMessage(), e);
    }
  }
}
