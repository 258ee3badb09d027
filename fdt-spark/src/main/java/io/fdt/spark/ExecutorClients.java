package io.fdt.spark;

import io.fdt.cli.output.Screen;
import io.fdt.cli.process.ProcessSurroundings;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.ExitHooks;
import io.fdt.cli.run.plan.PlannedClients;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.FdtException;
import io.fdt.plan.work.Transfers;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The clients of this executor: all tasks of a copy share one, with its threads and credentials. It
 * is closed by the thread {@code fdt-spark-clients} when no task has used it for ten seconds. Any
 * thread.
 */
final class ExecutorClients {
  private static final long IDLE_SECONDS = 10;

  /** The clients by copy. Guarded by itself. */
  private static final Map<String, Shared> ALL = new HashMap<>();

  private static final ScheduledThreadPoolExecutor CLOSER = closer();

  private ExecutorClients() {}

  private static ScheduledThreadPoolExecutor closer() {
    ScheduledThreadPoolExecutor closer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "fdt-spark-clients");
              thread.setDaemon(true);
              return thread;
            });
    closer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    closer.allowCoreThreadTimeOut(true);
    return closer;
  }

  /** A client and its users; guarded by the map of all. */
  private static final class Shared {
    private final PlannedClients clients;
    private int users;

    /** Changes with each use, so that an earlier scheduled closer does nothing. */
    private long uses;

    Shared(PlannedClients clients) {
      this.clients = clients;
    }
  }

  /**
   * The client of a copy, for one task.
   *
   * @param copy identifies the copy
   * @param settings for access to the servers
   * @throws FdtException a setting is wrong
   */
  static Lease lease(String copy, Map<String, String> settings, CopyTokens secrets)
      throws FdtException {
    synchronized (ALL) {
      Shared shared = ALL.get(copy);
      if (shared == null) {
        shared = new Shared(PlannedClients.open(settings, context(secrets)));
        ALL.put(copy, shared);
      }
      shared.users++;
      shared.uses++;
      return new Lease(copy, shared);
    }
  }

  private static CommandContext context(CopyTokens secrets) {
    Screen silent =
        new Screen(OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), false);
    return new CommandContext(new Executor(secrets), silent, ExitHooks.OF_PROCESS);
  }

  private static void closeIfIdle(String copy, Shared shared, long uses) {
    synchronized (ALL) {
      if (shared.users > 0 || shared.uses != uses) {
        return;
      }
      ALL.remove(copy, shared);
    }
    shared.clients.close();
  }

  /** A client that stays open at least until this is closed. Any thread. */
  static final class Lease implements Transfers, AutoCloseable {
    private final String copy;
    private final Shared shared;

    private Lease(String copy, Shared shared) {
      this.copy = copy;
      this.shared = shared;
    }

    @Override
    public Transfer start(TransferRequest request, TransferListener listener) {
      return shared.clients.start(request, listener);
    }

    /** Called once. */
    @Override
    public void close() {
      long uses;
      synchronized (ALL) {
        shared.users--;
        uses = shared.uses;
        if (shared.users > 0) {
          return;
        }
      }
      var unused =
          CLOSER.schedule(() -> closeIfIdle(copy, shared, uses), IDLE_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** The environment of this process, with the tokens of the driver. */
  private static final class Executor implements Surroundings {
    private final Surroundings process = new ProcessSurroundings();
    private final CopyTokens secrets;

    Executor(CopyTokens secrets) {
      this.secrets = secrets;
    }

    @Override
    public byte[] read(String name) throws IOException {
      return process.read(name);
    }

    @Override
    public Map<String, String> environment() {
      return secrets.in(process.environment());
    }

    @Override
    public Path workingDirectory() {
      return process.workingDirectory();
    }

    @Override
    public String userHome() {
      return process.userHome();
    }

    @Override
    public InputStream input() {
      return InputStream.nullInputStream();
    }

    @Override
    public OutputStream output() {
      return OutputStream.nullOutputStream();
    }

    @Override
    public Clock clock() {
      return process.clock();
    }
  }
}
