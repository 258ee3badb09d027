package io.fdt.client;

import io.fdt.core.error.ErrorCode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A transfer between two servers, as the one that runs it describes it. Immutable.
 *
 * @param id 32 hexadecimal digits
 * @param isSender whether the server that runs it is the source
 * @param peer the other server, as the one that runs it reaches it
 * @param sources the first ones, for display
 * @param sourceCount how many there are
 * @param destination for display
 * @param construction how the digests of files are made; empty for none
 * @param owner the name of the token with which it was started
 * @param isDetached whether it goes on without a client
 * @param clients that follow it now
 * @param elapsed since its start, or until its end
 * @param endedAgo when it has ended
 * @param bytes payload that the destination has
 * @param bytesPerSecond lately; when it has ended, of the whole
 * @param failure why it ended early, or why a delivery waits; empty while it runs, and when it came
 *     to its end
 * @param filesFailed entries that did not arrive
 * @param isLost whether it ended because the other server was restarted
 * @param command what its user has typed; empty when that is not known, and in lists
 */
public record RemoteSession(
    String id,
    State state,
    boolean isSender,
    String peer,
    List<String> sources,
    int sourceCount,
    String destination,
    boolean isDryRun,
    String construction,
    String owner,
    boolean isDetached,
    int clients,
    Duration elapsed,
    Optional<Duration> endedAgo,
    long bytes,
    long bytesTotal,
    long bytesPerSecond,
    long filesFailed,
    Optional<ErrorCode> failure,
    String failureMessage,
    boolean isLost,
    String command) {
  /** How far it is. */
  public enum State {
    /** The other server has not agreed yet. */
    STARTING,
    RUNNING,
    /** The connection between the servers is lost. */
    RECONNECTING,
    /** A relay tries again to deliver it. */
    WAITING,
    /** Everything has arrived. */
    DONE,
    /** It came to its end, and some files did not arrive. */
    INCOMPLETE,
    /** It ended early. */
    FAILED
  }

  public RemoteSession {
    sources = List.copyOf(sources);
  }

  /** Whether it has ended. */
  public boolean hasEnded() {
    return state.compareTo(State.DONE) >= 0;
  }

  /** The first digits of the id, as in logs and reports. */
  public String shortId() {
    return id.substring(0, 8);
  }
}
