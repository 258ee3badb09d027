package io.fdt.client.transfer;

import io.fdt.client.Transfer;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import java.util.Set;

/** One session of a transfer, which another one may continue. */
public interface SessionOfTransfer extends Transfer {
  /** Starts the session, once. */
  void start();

  /**
   * Whether another session may continue this one.
   *
   * @param report of this one, which has ended
   * @param passing temporary refusals of a session that the server never accepted
   */
  boolean isContinuable(TransferReport report, Set<ErrorCode> passing);
}
