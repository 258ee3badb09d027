package io.fdt.client;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.TransferFigures;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A transfer between two servers, as described by the server that runs it. Immutable.
 *
 * @param id 32 hexadecimal digits
 * @param isDetached whether it continues without a client
 * @param clients attached now
 * @param elapsed since its start, or until its end
 * @param endedAgo since its end
 * @param bytesPerSecond recent; after the end, the mean
 * @param failure why it ended early, or why a delivery waits; empty while it runs, and when it
 *     completed
 */
public record RemoteSession(
    String id,
    State state,
    Request request,
    boolean isDetached,
    int clients,
    Duration elapsed,
    Optional<Duration> endedAgo,
    TransferFigures figures,
    long bytesPerSecond,
    Optional<ErrorCode> failure,
    String failureMessage) {
  /**
   * The request of a client.
   *
   * @param owner name of the token that started it
   * @param isSender whether the server that runs it is the source
   * @param peer address of the other server
   * @param sources the first ones, for display
   * @param sourceCount number of all sources
   * @param destination for display
   * @param command as typed by its user; empty when unknown, and in lists
   */
  public record Request(
      String owner,
      boolean isSender,
      String peer,
      List<String> sources,
      int sourceCount,
      String destination,
      boolean isDryRun,
      String command) {
    public Request {
      sources = List.copyOf(sources);
    }
  }

  public enum State {
    /** The other server has not accepted it yet. */
    STARTING,
    RUNNING,
    /** The connection between the servers is lost. */
    RECONNECTING,
    /** A relay will retry the delivery. */
    WAITING,
    /** Complete. */
    DONE,
    /** Complete except for some files. */
    INCOMPLETE,
    /** Ended early. */
    FAILED
  }

  public boolean hasEnded() {
    return state.compareTo(State.DONE) >= 0;
  }

  /** The short id of logs and reports. */
  public String shortId() {
    return id.substring(0, 8);
  }
}
