package io.fdt.service.run;

import io.fdt.client.AttachedTransfer;
import io.fdt.client.DeletedName;
import io.fdt.client.DetachedTransfer;
import io.fdt.client.Detachment;
import io.fdt.client.DoneFile;
import io.fdt.client.FdtClient;
import io.fdt.client.FileProblem;
import io.fdt.client.RemoteSession;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import io.fdt.core.model.TransferFigures;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.ByteSize;
import io.fdt.service.store.Endpoint;
import io.fdt.service.store.LostTaskException;
import io.fdt.service.store.StoreException;
import io.fdt.service.task.Counts;
import io.fdt.service.task.Outcome;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskOptions;
import io.fdt.service.value.ServiceException;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * A transfer between two endpoints. The servers transfer directly; the service only attaches to the
 * transfer, and may be restarted.
 *
 * <p>No transfer runs twice: before a start, the attempt searches for an earlier transfer of this
 * task by its id, which is stored before the servers begin. A transfer with an older id is found by
 * the mark that the servers store with it.
 */
final class TransferAttempt implements Attempt, TransferListener {
  /** The interval of progress readings. */
  private static final long POLL_MILLIS = 500;

  /** The tolerance for ages measured by two machines. */
  private static final long CLOCK_SLACK_MILLIS = 10_000;

  /** A path that servers show without escapes. */
  private static final Pattern PLAIN_PATH = Pattern.compile("[A-Za-z0-9/._-]*");

  /** Failures of a server as a whole, which may have no address in their text. */
  private static final Set<ErrorCode> OF_A_SERVER =
      EnumSet.of(ErrorCode.SHUTTING_DOWN, ErrorCode.BUSY, ErrorCode.RESOURCES);

  /** The time for both servers to accept the session. */
  private static final long AGREE_SECONDS = 120;

  private final Task task;
  private final boolean isRecovered;
  private final Endpoints endpoints;
  private final Stop stop;
  private final TaskReport report;
  private final Clock clock;

  // Set before the transfer begins.
  private Endpoint from;
  private Endpoint to;
  private Counts counts;

  TransferAttempt(
      Task task,
      boolean isRecovered,
      Endpoints endpoints,
      Stop stop,
      TaskReport report,
      Clock clock) {
    this.task = task;
    this.isRecovered = isRecovered;
    this.endpoints = endpoints;
    this.stop = stop;
    this.report = report;
    this.clock = clock;
    this.counts = task.counts();
  }

  @Override
  public void notice(String message) {
    report.notice(message);
  }

  @Override
  public void problem(FileProblem problem) {
    if (!problem.skipped()) {
      report.problem(problem.path(), problem.code(), named(problem.message()));
    }
  }

  private String named(String message) {
    return Endpoints.named(message, from, to);
  }

  /** A server of this task. */
  private record End(Endpoint endpoint, FdtClient client) {
    FdtException silent(TimeoutException e) {
      return new FdtException(
          ErrorCode.TIMEOUT, Endpoints.named(endpoint) + " does not say what runs there", e);
    }
  }

  @Override
  public void fileDone(DoneFile file) {
    report.arrived(file.path(), file.size());
  }

  @Override
  public void deleted(DeletedName name) {
    report.deleted(name.path());
  }

  @Override
  public Outcome run() throws FdtException, ServiceException, InterruptedException {
    TaskOptions options = task.work().options();
    from = endpoints.find(task.owner(), task.work().source());
    to = endpoints.find(task.owner(), task.work().destination());
    try (ClientPool.Lent ofSource = endpoints.client(from, options.encrypt());
        ClientPool.Lent ofDestination = endpoints.client(to, options.encrypt())) {
      End source = new End(from, ofSource.client());
      End destination = new End(to, ofDestination.client());
      Optional<Outcome> earlier = earlier(source, destination);
      if (earlier.isPresent()) {
        return earlier.get();
      }
      if (stop.isAsked()) {
        return stopped();
      }
      counts = counts.atNextSession();
      Detachment detachment =
          source.client.startDetached(
              destination.client, request(task, false), this, this::storeBeforeItBegins);
      stop.with(detachment::cancel);
      DetachedTransfer left = await(detachment);
      return follow(left.atSource() ? source : destination, left.id(), false)
          .orElseGet(
              () ->
                  new Outcome(
                      Outcome.End.FAULT, report.counts(), "the servers lost the transfer", false));
    } catch (FdtException e) {
      throw new FdtException(e.code(), named(e.getMessage()), e);
    }
  }

  /**
   * The fence: the transfer begins only if this process still owns the task. If the process is
   * suspended after this, the servers drop it before its lease ends (30 s against 60 s).
   */
  private void storeBeforeItBegins(String id, boolean atSource) throws FdtException {
    try {
      String at = atSource ? task.work().source() : task.work().destination();
      report.session(id, at, counts);
    } catch (LostTaskException e) {
      throw new FdtException(ErrorCode.CANCELLED, e.getMessage(), e);
    } catch (StoreException e) {
      throw new FdtException(ErrorCode.BUSY, e.getMessage(), e);
    }
  }

  /** The outcome of a transfer that this task started earlier; empty for none. */
  private Optional<Outcome> earlier(End source, End destination)
      throws FdtException, ServiceException, InterruptedException {
    String session = task.run().session();
    if (!session.isEmpty()) {
      boolean atSource = task.run().sessionAt().equals(task.work().source());
      Optional<Outcome> found = follow(atSource ? source : destination, session, true);
      if (found.isPresent()) {
        return found;
      }
    }
    if (!isRecovered && task.run().attempts() <= 1) {
      return Optional.empty();
    }
    for (boolean atSource : new boolean[] {true, false}) {
      End end = atSource ? source : destination;
      for (RemoteSession known : end.client.sessions()) {
        if (mayBeOurs(known) && isOurs(end, known.id())) {
          String at = atSource ? task.work().source() : task.work().destination();
          report.session(known.id(), at, counts);
          Optional<Outcome> found = follow(end, known.id(), true);
          if (found.isPresent()) {
            return found;
          }
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Whether a listed session may belong to this task. Failed sessions do not count, but one that
   * succeeded unobserved does.
   */
  private boolean mayBeOurs(RemoteSession session) {
    long startedAgo = session.elapsed().plus(session.endedAgo().orElse(Duration.ZERO)).toMillis();
    long taskAge = clock.millis() - task.started() + CLOCK_SLACK_MILLIS;
    String destination = task.work().destinationPath();
    boolean isElsewhere =
        PLAIN_PATH.matcher(destination).matches()
            && !destination.equals(session.request().destination());
    return session.state() != RemoteSession.State.FAILED
        && session.request().sourceCount() == task.work().paths().size()
        && startedAgo <= taskAge
        && !isElsewhere;
  }

  private boolean isOurs(End end, String id) throws FdtException, InterruptedException {
    AttachedTransfer transfer = end.client.attach(id, TransferListener.NONE);
    try {
      return transfer
          .session()
          .get(AGREE_SECONDS, TimeUnit.SECONDS)
          .request()
          .command()
          .equals(task.mark());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof FdtException known && known.code() != ErrorCode.NOT_FOUND) {
        throw known;
      }
      return false; // it has ended since
    } catch (TimeoutException e) {
      throw end.silent(e);
    } finally {
      transfer.close();
    }
  }

  private DetachedTransfer await(Detachment detachment) throws FdtException, InterruptedException {
    try {
      return detachment.completion().get(AGREE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof FdtException known
          ? known
          : FdtException.unforeseen("the transfer failed", e.getCause());
    } catch (TimeoutException e) {
      detachment.cancel();
      throw new FdtException(
          ErrorCode.TIMEOUT, "the servers did not agree within " + AGREE_SECONDS + " s", e);
    }
  }

  /**
   * Follows a transfer to its end.
   *
   * @param isEarlier whether an earlier attempt has started the transfer
   * @return empty if the transfer does not exist, or ended earlier with missing files, which this
   *     attempt copies
   */
  private Optional<Outcome> follow(End at, String id, boolean isEarlier)
      throws FdtException, ServiceException, InterruptedException {
    AttachedTransfer transfer = at.client.attach(id, this);
    try {
      stop.with(() -> end(transfer));
      RemoteSession session = session(at, transfer);
      if (isEarlier) {
        if (session == null || session.state() == RemoteSession.State.FAILED) {
          return Optional.empty();
        }
        if (!session.hasEnded()) {
          foundAgain(id, session);
        }
      } else if (session == null) {
        return Optional.empty();
      }
      while (true) {
        try {
          TransferReport end = transfer.completion().get(POLL_MILLIS, TimeUnit.MILLISECONDS);
          if (stop.isLeaving()) {
            throw new InterruptedException();
          }
          count(transfer.progress());
          Outcome outcome = outcome(at, end, transfer.isLost());
          if (isEarlier && session.hasEnded()) {
            if (outcome.end() != Outcome.End.SUCCEEDED) {
              return Optional.empty();
            }
            foundAgain(id, session);
          }
          return Optional.of(outcome);
        } catch (TimeoutException e) {
          TransferProgress progress = transfer.progress();
          count(progress);
          report.progress(counts, progress.streams(), progress.stalledFor().toMillis());
          report.flushIfPossible();
        } catch (ExecutionException e) {
          throw FdtException.unforeseen("the transfer failed", e.getCause());
        }
      }
    } finally {
      transfer.close(); // leaves it running, if it runs
    }
  }

  private void foundAgain(String id, RemoteSession session) {
    report.foundAgain(id, "transfer " + session.shortId() + " went on without the service");
  }

  private void end(AttachedTransfer transfer) {
    if (stop.isLeaving()) {
      // Closed on another thread, so that the caller does not wait.
      Thread closer = new Thread(transfer::close, "fdt-service-leave");
      closer.setDaemon(true);
      closer.start();
    } else {
      transfer.cancel();
    }
  }

  /** The server's description of a transfer; null if it does not exist. */
  private RemoteSession session(End at, AttachedTransfer transfer)
      throws FdtException, InterruptedException {
    try {
      return transfer.session().get(AGREE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof FdtException known) {
        if (known.code() == ErrorCode.NOT_FOUND) {
          return null;
        }
        throw known;
      }
      throw FdtException.unforeseen("the transfer cannot be followed", e.getCause());
    } catch (TimeoutException e) {
      throw at.silent(e);
    }
  }

  private Outcome stopped() {
    return new Outcome(Outcome.End.STOPPED, report.counts(), "", false);
  }

  private Outcome outcome(End at, TransferReport end, boolean isLost) {
    if (end.failure().isEmpty()) {
      return finished(end);
    }
    ErrorCode code = end.failure().get();
    if (code == ErrorCode.CANCELLED) {
      return stop.isAsked()
          ? new Outcome(Outcome.End.STOPPED, counts, "", false)
          : new Outcome(
              Outcome.End.FAILED, counts, "cancelled at a server: " + end.failureMessage(), false);
    }
    boolean passes = isLost || code.retry() == ErrorCode.Retry.LATER;
    boolean mayRun = !isLost && (code == ErrorCode.UNREACHABLE || code == ErrorCode.TIMEOUT);
    String message = named(end.failureMessage());
    boolean isOfServer = OF_A_SERVER.contains(code) && message.equals(end.failureMessage());
    return new Outcome(
        passes ? Outcome.End.FAULT : Outcome.End.FAILED,
        counts,
        (isOfServer ? Endpoints.named(at.endpoint) + ": " : "")
            + (counts.filesDeleted() > 0 ? counts.filesDeleted() + " deleted, but " : "")
            + Endpoints.message(code, message),
        mayRun,
        code);
  }

  private Outcome finished(TransferReport end) {
    TransferFigures figures = end.figures();
    String deleted = counts.filesDeleted() > 0 ? ", " + counts.filesDeleted() + " deleted" : "";
    if (end.exitStatus() == 0) {
      long moved = Math.min(counts.moved().files(), counts.filesDone());
      String message =
          "%d %s transferred and verified, %d unchanged, %s%s"
              .formatted(
                  moved,
                  moved == 1 ? "file" : "files",
                  counts.filesDone() - moved,
                  ByteSize.ofBytes(counts.bytesDone()),
                  deleted);
      return new Outcome(Outcome.End.SUCCEEDED, counts, message, false);
    }
    String first =
        end.problems().stream()
            .filter(problem -> !problem.skipped())
            .findFirst()
            .map(problem -> ": " + Setting.asOptions(named(problem.message())))
            .orElse("");
    boolean passes =
        end.problems().stream()
            .anyMatch(p -> !p.skipped() && p.code().retry() == ErrorCode.Retry.LATER);
    return new Outcome(
        passes ? Outcome.End.FAULT : Outcome.End.FAILED,
        counts,
        figures.files().failed() == 0
            ? "nothing deleted" + first
            : "%d file%s %s%s%s"
                .formatted(
                    figures.files().failed(),
                    figures.files().failed() == 1 ? "" : "s",
                    figures.deleted() > 0 ? "not deleted" : "did not arrive",
                    deleted,
                    first),
        false,
        end.problems().stream()
            .filter(problem -> !problem.skipped())
            .findFirst()
            .map(FileProblem::code)
            .orElse(null));
  }

  /** Counts the progress of a session; before it has seen all files, earlier totals are larger. */
  private void count(TransferProgress progress) {
    TransferFigures figures = progress.figures();
    TransferFigures.Files files = figures.files();
    Counts least = figures.totalsAreFinal() ? Counts.NONE : task.counts();
    Counts.Moved before = counts.before();
    long filesDone = Math.max(files.done() + files.unchanged(), least.filesDone());
    counts =
        new Counts(
            before.plus(new Counts.Moved(figures.bytesDone(), files.done(), figures.deleted())),
            before,
            Math.max(before.bytes() + figures.bytesTotal(), least.bytesTotal()),
            filesDone,
            files.failed(),
            Math.max(
                Math.max(files.total(), filesDone + files.failed()), // a missing source is no file
                least.filesTotal()));
  }

  /** The transfer of a task. */
  static TransferRequest request(Task task, boolean dryRun) {
    var spec =
        task.work().options().spec().toBuilder()
            .sources(task.work().paths().stream().map(BytePath::of).map(Operand::of).toList())
            .destination(BytePath.of(task.work().destinationPath()))
            .dryRun(dryRun);
    if (task.wish().bytesPerSecond() > 0) {
      spec.rateLimit(BitRate.ofBytesPerSecond(task.wish().bytesPerSecond()));
    }
    return new TransferRequest(
        TransferRequest.Direction.BETWEEN,
        spec.build(),
        false,
        false,
        Optional.empty(),
        Optional.empty(),
        task.mark());
  }
}
