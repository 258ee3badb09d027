package io.fdt.client;

import io.fdt.core.error.ErrorCode;
import java.util.Set;

/** One session of a transfer, which another one may continue. */
interface SessionOfTransfer extends Transfer {
  /** Begins. Once. */
  void start();

  /**
   * Whether another session may do what this one has left.
   *
   * @param report of this one, which has ended
   * @param passing for which refusals of this session, which the server never agreed to
   */
  boolean isContinuable(TransferReport report, Set<ErrorCode> passing);
}
