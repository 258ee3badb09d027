package io.fdt.core.error;

/**
 * Every way in which a transfer, a request or one file can fail: one row each, with its code on the
 * wire, whether a later attempt may succeed, and the exit status of the command when it is what
 * ended it.
 *
 * <p>Wire codes are never reused. A code that this version does not know is read as {@link
 * #INTERNAL}.
 */
public enum ErrorCode {
  /** A defect of this program. */
  INTERNAL(1, Retry.NO, 1),
  /** The command line or a request makes no sense. */
  USAGE(2, Retry.NO, 2),
  /**
   * The name could not be resolved, nobody listens there, or the connection broke and stayed
   * broken.
   */
  UNREACHABLE(3, Retry.LATER, 3),
  /** The other side does not speak this protocol. */
  NOT_FDT(4, Retry.NO, 3),
  /** The other side speaks another version of this protocol. */
  VERSION(5, Retry.NO, 3),
  /** The other side broke the rules of the protocol. */
  PROTOCOL(6, Retry.LATER, 3),
  /** Nothing moved for longer than the deadline. */
  TIMEOUT(7, Retry.LATER, 3),
  /** The other side is stopping. */
  SHUTTING_DOWN(8, Retry.LATER, 3),
  /** The server has as many clients as it may have. */
  BUSY(9, Retry.LATER, 3),
  /** Credentials are missing or wrong. */
  UNAUTHENTICATED(10, Retry.NO, 4),
  /** The credentials do not allow this, or the export is read-only. */
  FORBIDDEN(11, Retry.NO, 4),
  /** The server is not the one that it should be, or nobody has said who it should be. */
  UNTRUSTED(12, Retry.NO, 4),
  /** No such file or directory. */
  NOT_FOUND(20, Retry.NO, 1),
  /** The operating system does not let this process read or write there. */
  PERMISSION(21, Retry.NO, 1),
  /** A file stands where a directory is needed, or a directory where a file is. */
  WRONG_KIND(22, Retry.NO, 1),
  /** The source grew, shrank, was replaced or vanished while it was read. */
  SOURCE_CHANGED(23, Retry.LATER, 1),
  /** Reading or writing failed at the device. */
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
  /** What arrived or what was written is not what was sent. */
  VERIFICATION(30, Retry.LATER, 5),
  /** More would be removed than may be. */
  TOO_MANY(35, Retry.NO, 1),
  /** The source is empty, and all that the destination holds would be removed. */
  SOURCE_EMPTY(37, Retry.NO, 1),
  /** A filter of the user did not want it, or failed. */
  FILTER(36, Retry.NO, 1),
  /** Somebody asked to end it. */
  CANCELLED(40, Retry.LATER, 130);

  /** Whether the same request can succeed later without anybody changing it. */
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

  /** The number that stands for this row in control messages. */
  public int wireCode() {
    return wireCode;
  }

  /** Whether a later attempt may succeed. */
  public Retry retry() {
    return retry;
  }

  /** The exit status of a command that this row ends. */
  public int exitStatus() {
    return exitStatus;
  }

  /** The row of a wire code; {@link #INTERNAL} for a code that is unknown here. */
  public static ErrorCode ofWireCode(int wireCode) {
    for (ErrorCode code : values()) {
      if (code.wireCode == wireCode) {
        return code;
      }
    }
    return INTERNAL;
  }
}
