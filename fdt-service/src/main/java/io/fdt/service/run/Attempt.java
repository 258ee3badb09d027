package io.fdt.service.run;

import io.fdt.core.error.FdtException;
import io.fdt.service.task.Outcome;
import io.fdt.service.value.ServiceException;

/** One attempt at the work of a task. Blocks until it is over. */
interface Attempt {
  /**
   * Runs the attempt.
   *
   * @throws FdtException the attempt failed; its code says whether another attempt may succeed
   * @throws ServiceException the attempt cannot begin, for example without its endpoint
   * @throws InterruptedException the attempt was stopped, or the service stops
   */
  Outcome run() throws FdtException, ServiceException, InterruptedException;
}
