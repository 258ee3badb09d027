package io.fdt.core.error;

/**
 * The ways in which a transfer, a request or one file can fail. Each row has its code on the wire,
 * whether a retry may succeed, and the exit status of a command that it ends.
 *
 * <p>Wire codes are never reused. An unknown code is read as {@link #INTERNAL}.
 */
public enum ErrorCode {
  /** A defect of this program. */
  INTERNAL(1, Retry.NO, 1),
  /** The command line or a request is invalid. */
  USAGE(2, Retry.NO, 2),
  /**
   * The name does not resolve, nothing listens there, or the connection broke and did not come
   * back.
   */
  UNREACHABLE(3, Retry.LATER, 3),
  /** The peer does not speak this protocol. */
  NOT_FDT(4, Retry.NO, 3),
  /** The peer speaks another version of this protocol. */
  VERSION(5, Retry.NO, 3),
  /** The peer violated the protocol. */
  PROTOCOL(6, Retry.LATER, 3),
  /** No progress within the deadline. */
  TIMEOUT(7, Retry.LATER, 3),
  /** The peer is stopping. */
  SHUTTING_DOWN(8, Retry.LATER, 3),
  /** The server is at its limit of clients. */
  BUSY(9, Retry.LATER, 3),
  /** Credentials are missing or wrong. */
  UNAUTHENTICATED(10, Retry.NO, 4),
  /** The credentials do not allow the request, or the export is read-only. */
  FORBIDDEN(11, Retry.NO, 4),
  /** The server's identity does not match, or is not known yet. */
  UNTRUSTED(12, Retry.NO, 4),
  /** No such file or directory. */
  NOT_FOUND(20, Retry.NO, 1),
  /** The operating system denies access. */
  PERMISSION(21, Retry.NO, 1),
  /** A file where a directory is needed, or the reverse. */
  WRONG_KIND(22, Retry.NO, 1),
  /** The source changed or vanished while it was read. */
  SOURCE_CHANGED(23, Retry.LATER, 1),
  /** The device failed to read or write. */
  IO(24, Retry.LATER, 1),
  /** The name cannot exist at the destination. */
  BAD_NAME(25, Retry.NO, 1),
  /** Another transfer is writing the same file. */
  IN_USE(26, Retry.LATER, 1),
  /** No space, no quota or no inodes left. */
  STORAGE_FULL(27, Retry.LATER, 6),
  /** The file system is mounted read-only. */
  READ_ONLY(28, Retry.NO, 1),
  /** Too many open files, no memory or no threads. */
  RESOURCES(29, Retry.LATER, 1),
  /** The received or written bytes differ from those sent. */
  VERIFICATION(30, Retry.LATER, 5),
  /** The deletion would exceed its limit. */
  TOO_MANY(35, Retry.NO, 1),
  /** The source is empty: the deletion would remove everything at the destination. */
  SOURCE_EMPTY(37, Retry.NO, 1),
  /** A user's filter rejected the file, or failed. */
  FILTER(36, Retry.NO, 1),
  /** Cancelled on request. */
  CANCELLED(40, Retry.LATER, 130);

  /** Whether the same request can succeed later, unchanged. */
  public enum Retry {
    NO,
    LATER
  }

  private final int wireCode;
  private final Retry retry;
  private final int exitStatus;

  ErrorCode(int wireCode, Retry retry, int exitStatus) {
    this.wireCode = wireCode;
    this.retry = retry;
    this.exitStatus = exitStatus;
  }

  public int wireCode() {
    return wireCode;
  }

  public Retry retry() {
    return retry;
  }

  public int exitStatus() {
    return exitStatus;
  }

  /** Whether a later transfer resumes the partial file that this failure of a file left. */
  public boolean isWorthContinuing() {
    return switch (this) {
      case STORAGE_FULL, IO, READ_ONLY, RESOURCES, PERMISSION, CANCELLED -> true;
      default -> false;
    };
  }

  /** The row of a wire code; {@link #INTERNAL} for an unknown one. */
  public static ErrorCode ofWireCode(int wireCode) {
    for (ErrorCode code : values()) {
      if (code.wireCode == wireCode) {
        return code;
      }
    }
    return INTERNAL;
  }
}
