package io.fdt.service.store;

import io.fdt.service.task.Intent;
import io.fdt.service.task.Scheduler;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskEvent;
import io.fdt.service.task.TaskState;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Assigns tasks to processes. A running task is leased to one process, which renews the lease;
 * otherwise another process takes the task over. Each takeover raises the epoch of the task, and
 * {@link TaskStore} refuses writes of an older epoch.
 *
 * <p>All times are those of the database. Any thread.
 */
public final class ClaimStore {
  /**
   * The lock under which processes decide one after the other, so that limits apply to all of them
   * together.
   */
  private static final long DECISION = 54380;

  /**
   * The number of links from which on a single statement is cheaper than one per link: it takes 17
   * ms for 10,000 waiting tasks, against 0.02 ms for each link.
   */
  private static final int MOST_LINKS = 300;

  private final Database database;
  private final Member member;
  private final int mostLinks;

  /**
   * One process of the service.
   *
   * @param process unique for each start: the home, a dot, and a random part
   * @param home permanent; only one process at a time has it
   * @param local the id of this machine as an endpoint, which other processes cannot reach
   * @param lease how long a task stays assigned to a silent process
   */
  public record Member(String process, String home, String local, Duration lease) {}

  public ClaimStore(Database database, Member member) {
    this(database, member, MOST_LINKS);
  }

  /**
   * For tests.
   *
   * @param mostLinks the number of links from which on one statement reads the waiting tasks
   */
  ClaimStore(Database database, Member member, int mostLinks) {
    this.database = database;
    this.member = member;
    this.mostLinks = mostLinks;
  }

  /** Chooses tasks that start. */
  @FunctionalInterface
  public interface Choice {
    /**
     * The tasks to start, in order.
     *
     * @param running of all processes
     */
    List<Scheduler.Candidate> choose(
        List<Scheduler.Candidate> waiting, List<Scheduler.Candidate> running);
  }

  /** Lets {@code choice} select tasks, and begins an attempt at each. */
  public List<Task> claim(long now, int mostOfEach, Choice choice) {
    return database.transaction(
        sql -> {
          sql.exclude(DECISION);
          List<Scheduler.Candidate> waiting = waiting(sql, now, mostOfEach);
          List<Task> begun = new ArrayList<>();
          if (waiting.isEmpty()) {
            return begun;
          }
          for (Scheduler.Candidate next : choice.choose(waiting, running(sql))) {
            Optional<Task> task = TaskStore.lock(sql, next.id());
            if (task.isPresent() && task.get().state().mayMoveTo(TaskState.ACTIVE)) {
              begun.add(begin(sql, task.get(), now));
            }
          }
          return begun;
        });
  }

  private Task begin(Sql sql, Task task, long now) throws SQLException {
    TaskEdit edit = new TaskEdit(sql, task, now);
    edit.moveTo(TaskState.ACTIVE, "");
    edit.lease(member.process(), until(sql));
    edit.countAttempt();
    int attempt = task.run().attempts() + 1;
    edit.event(TaskEvent.Code.STARTED, false, "attempt " + attempt, "started:" + attempt, null);
    return edit.save();
  }

  private long until(Sql sql) throws SQLException {
    return sql.first(row -> row.number(), "SELECT " + sql.now()).orElseThrow()
        + member.lease().toMillis();
  }

  /**
   * The tasks that may start: the first ones of each user and pair of endpoints. The number is the
   * limit of one user, so that no startable task is missed.
   */
  private List<Scheduler.Candidate> waiting(Sql sql, long now, int mostOfEach) throws SQLException {
    List<Link> links =
        sql.list(
            row -> new Link(row.text(), row.text(), row.text()),
            "SELECT DISTINCT owner, source, destination FROM task WHERE state IN ('QUEUED',"
                + " 'RETRYING') LIMIT ?",
            mostLinks + 1);
    return links.size() > mostLinks
        ? waitingOfMany(sql, now, mostOfEach)
        : waitingOf(links, sql, now, mostOfEach);
  }

  /** A user and a pair of endpoints. */
  private record Link(String owner, String source, String destination) {}

  /** Reads only the first tasks of each link, in the order of an index. */
  private List<Scheduler.Candidate> waitingOf(List<Link> links, Sql sql, long now, int mostOfEach)
      throws SQLException {
    List<Scheduler.Candidate> waiting = new ArrayList<>();
    for (Link link : links) {
      if (isOfThisMachine(link.source()) && isOfThisMachine(link.destination())) {
        waiting.addAll(
            sql.list(
                ClaimStore::candidate,
                "SELECT id, owner, priority, created, source, destination FROM task WHERE state IN"
                    + " ('QUEUED', 'RETRYING') AND owner = ? AND source = ? AND destination = ? AND"
                    + " not_before <= ? ORDER BY priority DESC, created, id LIMIT ?",
                link.owner(),
                link.source(),
                link.destination(),
                now,
                mostOfEach));
      }
    }
    return waiting;
  }

  private boolean isOfThisMachine(String endpoint) {
    return !endpoint.startsWith("local-") || endpoint.equals(member.local());
  }

  /** Reads all waiting tasks with one statement. */
  private List<Scheduler.Candidate> waitingOfMany(Sql sql, long now, int mostOfEach)
      throws SQLException {
    return sql.list(
        ClaimStore::candidate,
        "SELECT id, owner, priority, created, source, destination FROM (SELECT id, owner,"
            + " priority, created, source, destination, ROW_NUMBER() OVER (PARTITION BY"
            + " owner, source, destination ORDER BY priority DESC, created, id) AS place"
            + " FROM task WHERE state IN ('QUEUED', 'RETRYING') AND not_before <= ? AND "
            + OF_THIS_MACHINE
            + ") AS waiting WHERE place <= ?",
        now,
        member.local(),
        member.local(),
        mostOfEach);
  }

  /** Excludes the machines of other processes. */
  private static final String OF_THIS_MACHINE =
      "(source NOT LIKE 'local-%' OR source = ?)"
          + " AND (destination NOT LIKE 'local-%' OR destination = ?)";

  private static List<Scheduler.Candidate> running(Sql sql) throws SQLException {
    return sql.list(
        ClaimStore::candidate,
        "SELECT id, owner, priority, created, source, destination FROM task WHERE state ="
            + " 'ACTIVE'");
  }

  private static Scheduler.Candidate candidate(Sql.Row row) throws SQLException {
    return new Scheduler.Candidate(
        row.text(), row.text(), row.count(), row.number(), row.text(), row.text());
  }

  /**
   * Takes over running tasks without a live process: their process is dead, or is this one but does
   * not know them, for example after a commit with a lost answer.
   *
   * @param known the ids of the tasks that this process works on
   */
  public List<Task> adopt(Set<String> known, long now) {
    return database.transaction(
        sql -> {
          List<Task> adopted = new ArrayList<>();
          for (Task task : orphans(sql)) {
            if (known.contains(task.id()) && task.run().lease().owner().equals(member.process())) {
              continue;
            }
            TaskEdit edit = new TaskEdit(sql, task, now);
            edit.lease(member.process(), until(sql));
            adopted.add(edit.save());
          }
          return adopted;
        });
  }

  private List<Task> orphans(Sql sql) throws SQLException {
    return sql.list(
        TaskRow::read,
        "SELECT "
            + TaskRow.COLUMNS
            + " FROM task WHERE state = 'ACTIVE' AND (lease_owner = '' OR lease_owner = ? OR"
            + " lease_owner LIKE ? OR lease_until <= "
            + sql.now()
            + ") AND "
            + OF_THIS_MACHINE
            + " ORDER BY created, id"
            + sql.forUpdate(),
        member.process(),
        member.home() + ".%",
        member.local(),
        member.local());
  }

  /** Renews the leases of this process; returns its tasks. */
  public List<Task> renew() {
    return database.transaction(
        sql -> {
          sql.update(
              "UPDATE task SET lease_until = "
                  + sql.now()
                  + " + ? WHERE state = 'ACTIVE' AND lease_owner = ?",
              member.lease().toMillis(),
              member.process());
          return mine(sql);
        });
  }

  /** The tasks of this process, with changes by other processes. */
  public List<Task> mine() {
    return database.transaction(this::mine);
  }

  private List<Task> mine(Sql sql) throws SQLException {
    return sql.list(
        TaskRow::read,
        "SELECT "
            + TaskRow.COLUMNS
            + " FROM task WHERE state = 'ACTIVE' AND lease_owner = ? ORDER BY created, id",
        member.process());
  }

  /**
   * Ends tasks that wait past their deadline, and tasks whose machine is permanently lost. Returns
   * these tasks.
   */
  public List<Task> expire(long now) {
    return database.transaction(
        sql -> {
          List<Task> late =
              sql.list(
                  TaskRow::read,
                  "SELECT "
                      + TaskRow.COLUMNS
                      + " FROM task WHERE (state IN ('QUEUED', 'RETRYING', 'PAUSED') AND deadline"
                      + " <= ?) OR (state = 'ACTIVE' AND lease_until < "
                      + sql.now()
                      + " AND (deadline <= ? OR intent = 'CANCEL') AND NOT ("
                      + OF_THIS_MACHINE
                      + "))"
                      + sql.forUpdate(),
                  now,
                  now,
                  member.local(),
                  member.local());
          List<Task> ended = new ArrayList<>();
          for (Task task : late) {
            TaskEdit edit = new TaskEdit(sql, task, now);
            if (task.state() == TaskState.ACTIVE && task.run().intent() == Intent.CANCEL) {
              edit.end(
                  TaskState.CANCELLED, "cancelled by its user while its machine was away", null);
            } else {
              edit.missDeadline("the deadline has passed" + lastFault(task), null);
            }
            ended.add(edit.save());
          }
          return ended;
        });
  }

  private static String lastFault(Task task) {
    return task.run().message().isEmpty() ? "" : "; last: " + task.run().message();
  }

  /** Changed tasks, and the time of the database. */
  public record Changes(List<Task> tasks, long now) {}

  /** Tasks that have changed since a time; at most the newest thousand. */
  public Changes changes(long since) {
    return database.transaction(
        sql ->
            new Changes(
                since == 0
                    ? List.of()
                    : sql.list(
                        TaskRow::read,
                        "SELECT "
                            + TaskRow.COLUMNS
                            + " FROM task WHERE changed >= ? ORDER BY changed DESC LIMIT 1000",
                        since),
                sql.first(row -> row.number(), "SELECT " + sql.now()).orElseThrow()));
  }
}
