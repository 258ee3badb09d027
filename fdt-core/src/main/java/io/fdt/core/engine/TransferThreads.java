package io.fdt.core.engine;

/** Where the blocking work of a session runs: threads, or virtual time in a simulation. */
public interface TransferThreads {
  /**
   * New workers for the disks of one session.
   *
   * @param name of threads
   */
  DiskWorkers ofDisks(String name, int threadsPerDisk);

  /** A new worker that does one thing after another, in order. */
  SerialWorker oneByOne(String name);

  /** Does something that may take long. */
  void run(String name, Runnable work);

  /** Does one thing after another. Thread-safe. */
  interface SerialWorker {
    void execute(Runnable work);

    /** Accepted work is still done; no more is accepted. */
    void shutdown();
  }
}
