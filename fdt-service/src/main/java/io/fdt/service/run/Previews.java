package io.fdt.service.run;

import io.fdt.client.DeletedName;
import io.fdt.client.FileProblem;
import io.fdt.client.FoundFile;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.PathText;
import io.fdt.core.model.TransferFigures;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskKind;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.ServiceException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** Dry runs: what a task would do, without a task. Any thread. */
public record Previews(Submission submission, Endpoints endpoints) {
  /** The longest dry run; a request waits for it. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The most names of each kind in the answer. */
  private static final int MOST_NAMES = 200;

  /** The first names of one kind. */
  private static final class Names {
    final ConcurrentLinkedQueue<String> all = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();

    void add(String name) {
      if (count.incrementAndGet() <= MOST_NAMES) {
        all.add(name);
      }
    }

    List<String> list() {
      return List.copyOf(all);
    }
  }

  /** Receives the names of a dry run. */
  private static final class Found implements TransferListener {
    final Names due = new Names();
    final Names deleted = new Names();
    final Names problems = new Names();

    @Override
    public void fileDue(FoundFile file) {
      due.add(file.path());
    }

    @Override
    public void deleted(DeletedName name) {
      deleted.add(name.path());
    }

    @Override
    public void problem(FileProblem problem) {
      if (!problem.skipped()) {
        problems.add(PathText.named(problem.path(), Setting.asOptions(problem.message())));
      }
    }
  }

  /**
   * Compares source and destination of a transfer, and changes nothing.
   *
   * @param fields those of a task
   */
  public Map<String, Object> run(String owner, Fields fields)
      throws ServiceException, InterruptedException {
    Task task = submission.make(owner, fields);
    if (task.work().kind() != TaskKind.TRANSFER) {
      throw Fault.INVALID.of("a deletion has no dry run; list the directory instead");
    }
    Found found = new Found();
    boolean encrypt = task.work().options().encrypt();
    try (ClientPool.Lent source =
            endpoints.client(endpoints.find(owner, task.work().source()), encrypt);
        ClientPool.Lent destination =
            endpoints.client(endpoints.find(owner, task.work().destination()), encrypt);
        Transfer transfer =
            source
                .client()
                .start(destination.client(), TransferAttempt.request(task, true), found)) {
      TransferReport report = transfer.completion().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      if (report.failure().isPresent()) {
        throw Endpoints.refusal(new FdtException(report.failure().get(), report.failureMessage()));
      }
      return view(report, found);
    } catch (FdtException e) {
      throw Endpoints.refusal(e);
    } catch (ExecutionException e) {
      throw Endpoints.refusal(FdtException.unforeseen("the dry run failed", e.getCause()));
    } catch (TimeoutException e) {
      throw Fault.ENDPOINT.of(
          "the dry run takes more than %d s; start the transfer, or name less"
              .formatted(PATIENCE.toSeconds()));
    }
  }

  private static Map<String, Object> view(TransferReport report, Found found) {
    Map<String, Object> view = new LinkedHashMap<>();
    TransferFigures figures = report.figures();
    view.put("files_due", figures.files().due());
    view.put("files_replaced", figures.files().replaced());
    view.put("bytes_due", figures.bytesDue());
    view.put("files_unchanged", figures.files().unchanged());
    view.put("directories", figures.directories());
    view.put("deleted", figures.deleted());
    view.put("names", found.due.list());
    view.put("deleted_names", found.deleted.list());
    view.put("problems", found.problems.list());
    return view;
  }
}
