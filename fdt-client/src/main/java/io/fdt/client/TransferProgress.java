package io.fdt.client;

import io.fdt.core.model.TransferFigures;
import java.time.Duration;

/**
 * The progress of a transfer at one moment.
 *
 * @param streams open data connections
 * @param elapsed time since the start
 * @param stalledFor time without any data; zero while data flows
 * @param current path of the file under way at this end, escaped as {@link DoneFile#path}; between
 *     two servers at the one that directs; empty for none
 */
public record TransferProgress(
    TransferFigures figures, int streams, Duration elapsed, Duration stalledFor, String current) {

  /** Before the start. */
  public static TransferProgress none(Duration elapsed) {
    return new TransferProgress(TransferFigures.NONE, 0, elapsed, Duration.ZERO, "");
  }
}
