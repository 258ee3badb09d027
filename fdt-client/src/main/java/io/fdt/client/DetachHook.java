package io.fdt.client;

import io.fdt.core.error.FdtException;

/**
 * A hook before a transfer between two servers begins. Both servers are connected and ready, and
 * nothing has been transferred. A program that stores the id here finds the transfer again after a
 * crash.
 *
 * <p>The connections end when the program is silent for the servers' idle timeout (30 s), so that a
 * program suspended for longer starts nothing when it resumes.
 */
@FunctionalInterface
public interface DetachHook {
  /** Accepts every transfer. */
  DetachHook OPEN = (id, atSource) -> {};

  /**
   * Accepts a transfer, or throws. On the thread that directs the transfer; it may block.
   *
   * @param id of the transfer, for {@link FdtClient#attach}
   * @param atSource whether the source's server will run it, or else the destination's
   * @throws FdtException rejects the transfer, which fails with this
   */
  void pass(String id, boolean atSource) throws FdtException;
}
