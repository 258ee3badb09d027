package io.fdt.service.task;

import java.util.List;

/**
 * A stored task. Times are milliseconds since 1970; 0 for none. Immutable.
 *
 * @param id 20 hexadecimal digits
 * @param work the operation
 * @param wish the settings that its user may change while it runs
 * @param run its state
 * @param events number of its events
 * @param version changes with each change; the ETag
 */
public record Task(
    String id,
    String owner,
    String submissionId,
    Work work,
    Wish wish,
    Run run,
    Counts counts,
    long created,
    long started,
    long ended,
    long events,
    long version) {
  /**
   * The work of a task.
   *
   * @param source the id of an endpoint
   * @param destination the id of an endpoint; empty for a deletion
   * @param paths at the source
   */
  public record Work(
      TaskKind kind,
      String source,
      String sourceName,
      String destination,
      String destinationName,
      List<String> paths,
      String destinationPath,
      TaskOptions options) {
    public Work {
      paths = List.copyOf(paths);
    }
  }

  /**
   * The part that the user may change.
   *
   * @param priority -100 to 100; higher ones first among the tasks of one user
   * @param deadline after which the service gives up
   * @param bytesPerSecond the upper bound of the rate; 0 for none
   */
  public record Wish(String label, int priority, long deadline, long bytesPerSecond) {}

  /**
   * The state of a task.
   *
   * @param notBefore earliest time of the next attempt of a waiting task
   * @param session of the servers that do the work; empty when none is known
   * @param sessionAt the id of the endpoint that runs it
   * @param message one line about the last fault or the end
   * @param lease of the process that works on it
   */
  public record Run(
      TaskState state,
      Intent intent,
      long notBefore,
      int attempts,
      int faults,
      String session,
      String sessionAt,
      String message,
      Lease lease) {
    public static final Run NEW =
        new Run(TaskState.QUEUED, Intent.RUN, 0, 0, 0, "", "", "", Lease.NONE);

    /** A copy with another intent; a waiting task is due at once. */
    public Run with(Intent wanted) {
      return new Run(state, wanted, 0, attempts, faults, session, sessionAt, message, lease);
    }

    public Run withSession(String id, String at) {
      return new Run(state, intent, notBefore, attempts, faults, id, at, message, lease);
    }

    public Run with(Lease other) {
      return new Run(
          state, intent, notBefore, attempts, faults, session, sessionAt, message, other);
    }
  }

  /**
   * The process that works on a task. Only this process may write results.
   *
   * @param owner the process; empty for none
   * @param until the time after which another process may take over, by the clock of the database
   * @param epoch number of takeovers of the task; a replaced process has an older one
   */
  public record Lease(String owner, long until, long epoch) {
    public static final Lease NONE = new Lease("", 0, 0);

    /** A copy without a process; the epoch is kept. */
    public Lease released() {
      return new Lease("", 0, epoch);
    }
  }

  public TaskState state() {
    return run.state();
  }

  /** The name of its transfer at the servers, by which a restarted service finds it. */
  public String mark() {
    return "fdt task show " + id;
  }
}
