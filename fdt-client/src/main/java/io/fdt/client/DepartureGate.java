package io.fdt.client;

import io.fdt.core.error.FdtException;

/**
 * The last look before a transfer between two servers begins. Both servers are connected and ready
 * then, and nothing has been moved. A program that dies after this has stored the id finds the
 * transfer again with it.
 *
 * <p>The connections end when the program is silent for the servers' idle timeout (30 s). So a
 * program that is suspended for longer after its last look starts nothing when it wakes up.
 */
@FunctionalInterface
public interface DepartureGate {
  /** Lets every transfer begin. */
  DepartureGate OPEN = (id, atSource) -> {};

  /**
   * Lets a transfer begin, or throws. On the thread that directs the transfer; it may block.
   *
   * @param id of the transfer, by which {@link FdtClient#attach} finds it
   * @param atSource whether the source's server will run it, or else the destination's
   * @throws FdtException it must not begin; the departure fails with this
   */
  void pass(String id, boolean atSource) throws FdtException;
}
