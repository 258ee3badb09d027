package io.fdt.core.engine;

/** Runs the blocking work of a session: on threads, or in virtual time of a simulation. */
public interface TransferThreads {
  /**
   * New workers for the disks of one session.
   *
   * @param name of threads
   */
  DiskWorkers ofDisks(String name, int threadsPerDisk);

  /** A new worker that runs one task after another, in order. */
  SerialWorker oneByOne(String name);

  /** Runs work that may take long. */
  void run(String name, Runnable work);

  /** Runs one task after another. Thread-safe. */
  interface SerialWorker {
    void execute(Runnable work);

    /** Completes accepted work, and accepts no more. */
    void shutdown();
  }
}
