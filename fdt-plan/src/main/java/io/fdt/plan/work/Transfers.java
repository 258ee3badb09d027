package io.fdt.plan.work;

import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferRequest;

/** Starts the transfers of a plan, all with one client for each server. Any thread. */
@FunctionalInterface
public interface Transfers {
  /** Starts a transfer. Failures are in its report. */
  Transfer start(TransferRequest request, TransferListener listener);
}
