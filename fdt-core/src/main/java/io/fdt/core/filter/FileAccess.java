package io.fdt.core.filter;

import io.fdt.core.error.ErrorCode;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * An entry of a server's access log: what a client has done with one file.
 *
 * @param path as clients name it, escaped
 * @param newPath of a renamed one; empty otherwise
 * @param bytes the size of the file, or what was read of it
 * @param checksum of the digest; empty when there is none
 * @param digest in hexadecimal digits; empty when there is none
 * @param failure of a file that failed or was skipped
 * @param message why; empty otherwise
 */
public record FileAccess(
    Instant time,
    Client client,
    Fate fate,
    String path,
    String newPath,
    long bytes,
    String checksum,
    String digest,
    Optional<ErrorCode> failure,
    String message) {
  /** The outcome of a file. */
  public enum Fate {
    DONE,
    UNCHANGED,
    FAILED,
    /** A kind that is never copied. */
    SKIPPED,
    /** By a transfer, because its source lacks it. */
    DELETED,
    /** A range of it, by a program. */
    READ,
    /** With all beneath it. */
    REMOVED,
    RENAMED
  }

  /**
   * The client that moves it.
   *
   * @param session its short id; empty for a request beside sessions
   * @param token the name of the token
   * @param peer address and port
   * @param isPull whether the client fetches
   * @param export where; "several" for a session of more than one
   */
  public record Client(String session, String token, String peer, boolean isPull, String export) {
    public String direction() {
      return isPull ? "pull" : "push";
    }
  }

  /** The name of its fate in small letters. */
  public String fateText() {
    return fate.name().toLowerCase(Locale.ROOT);
  }
}
