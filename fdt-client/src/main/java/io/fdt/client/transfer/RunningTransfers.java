package io.fdt.client.transfer;

import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.core.node.Node;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The running transfers of one client. Any thread. */
public final class RunningTransfers {
  private final Node node;
  private final Duration retryTimeout;
  private final Set<Transfer> running = ConcurrentHashMap.newKeySet();

  /**
   * @param retryTimeout how long a transfer continues after a failed session; zero disables it
   */
  public RunningTransfers(Node node, Duration retryTimeout) {
    this.node = node;
    this.retryTimeout = retryTimeout;
  }

  /**
   * Starts a transfer of one or more sessions.
   *
   * @param once whether to stop after one session
   */
  public Transfer start(
      ContinuedTransfer.Sessions sessions,
      boolean once,
      boolean dryRun,
      TransferListener listener) {
    if (once || retryTimeout.isZero()) {
      SessionOfTransfer only = add(sessions.next(listener, () -> {}));
      only.start();
      return only;
    }
    ContinuedTransfer transfer =
        add(
            new ContinuedTransfer(
                sessions, node.loops().next(), node.threads(), listener, dryRun, retryTimeout));
    transfer.start();
    return transfer;
  }

  /** Tracks a transfer until it has ended. */
  public <T extends Transfer> T add(T transfer) {
    running.add(transfer);
    transfer.completion().whenComplete((report, defect) -> running.remove(transfer));
    return transfer;
  }

  public void close() {
    running.forEach(Transfer::close);
  }
}
