package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import io.fdt.cli.Main;
import io.fdt.cli.output.Screen;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.ExitHooks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One run of the command in this JVM, through the entry point that a process of its own uses, too.
 * Any thread.
 *
 * <p>What the operating system keeps for each process it can keep for each thread: the threads of a
 * run share a working directory that other threads do not have (CLONE_FS, see unshare(2)). Its
 * threads also form a group, so that the end of a run can be seen to leave none behind.
 */
public final class CommandInJvm implements RunningCommand {
  private static final int CLONE_FS = 0x200;

  /** How long threads may take to end when the command has ended. */
  private static final Duration LINGERING = Duration.ofSeconds(30);

  /** Threads that libraries start once and keep, for whoever uses them first. */
  private static final List<String> OF_LIBRARIES =
      List.of(
          "globalEventExecutor",
          "CompletableFutureDelayScheduler",
          "JNA Cleaner",
          "Cleaner-",
          "HttpClient-");

  private final InputStream in;
  private final OutputStream out;
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final CompletableFuture<Integer> status = new CompletableFuture<>();
  private final CompletableFuture<Duration> elapsed = new CompletableFuture<>();
  private final long startNanos = System.nanoTime();
  private final Told told = new Told();
  private final Group group;
  private final String line;

  private CommandInJvm(String line, InputStream in, OutputStream out) {
    this.line = line;
    this.in = in;
    this.out = out;
    this.group = new Group(line);
    status.whenComplete(
        (result, thrown) -> elapsed.complete(Duration.ofNanos(System.nanoTime() - startNanos)));
  }

  /**
   * Starts the command in a directory.
   *
   * @param arguments as {@link io.fdt.core.model.ByteText}
   */
  public static CommandInJvm start(
      Path directory, Map<String, String> environment, List<String> arguments) {
    InputStream empty = InputStream.nullInputStream();
    return start(directory, environment, arguments, empty, new ByteArrayOutputStream());
  }

  /** Starts the same with standard streams that it closes at its end. */
  public static CommandInJvm start(
      Path directory,
      Map<String, String> environment,
      List<String> arguments,
      InputStream in,
      OutputStream out) {
    CommandInJvm command = new CommandInJvm(String.join(" ", arguments), in, out);
    LabSurroundings surroundings = new LabSurroundings(directory, environment, in, out);
    CommandContext context =
        new CommandContext(surroundings, new Screen(out, command.err, false), command.told);
    Thread thread =
        new Thread(
            command.group,
            () -> command.run(directory, arguments, context),
            "command " + command.line);
    thread.setDaemon(true);
    thread.start();
    return command;
  }

  /** The first thread of the run, from which all others come. */
  private void run(Path directory, List<String> arguments, CommandContext context) {
    try {
      enter(directory);
      Thread main = new Thread(() -> execute(arguments, context), "main of " + line);
      main.start();
      told.awaitEnd();
    } catch (Throwable e) {
      fail(e);
    }
  }

  private void execute(List<String> arguments, CommandContext context) {
    try {
      status.complete(Main.run(arguments, context));
    } catch (Throwable e) {
      fail(e);
    } finally {
      told.noMore();
    }
  }

  /** What the JVM does when the main thread of a process fails. */
  private void fail(Throwable thrown) {
    group.uncaughtException(Thread.currentThread(), thrown);
    status.complete(1);
  }

  /** Gives this thread, and those that it starts, a working directory of their own. */
  private static void enter(Path directory) {
    NativeLibrary libc = NativeLibrary.getInstance("c");
    invoke(libc.getFunction("unshare"), CLONE_FS);
    invoke(libc.getFunction("chdir"), directory.toString());
  }

  private static void invoke(Function function, Object argument) {
    int result = function.invokeInt(new Object[] {argument});
    assertThat(result).as("%s(%s)", function.getName(), argument).isZero();
  }

  @Override
  public Outcome end(Duration deadline) {
    try {
      int ended = status.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
      awaitThreads();
      return new Outcome(ended, out(), err(), elapsed.get());
    } catch (TimeoutException e) {
      throw new AssertionError("did not end within " + deadline + "; " + this, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for " + this, e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public boolean isAlive() {
    return !status.isDone();
  }

  @Override
  public void signal(String name) {
    throw new UnsupportedOperationException("signals need a process: " + this);
  }

  @Override
  public void kill() {
    throw new UnsupportedOperationException("only a process can be killed: " + this);
  }

  @Override
  public void stop() {
    if (isAlive()) {
      told.tell();
      end();
    }
    awaitThreads();
  }

  /** A process ends with its threads, and closes their files: until then this one has not ended. */
  private void awaitThreads() {
    await("the end of all threads of " + line)
        .atMost(LINGERING)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(2))
        .untilAsserted(() -> assertThat(group.alive()).as("threads; %s", this).isEmpty());
    try (in) {
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String out() {
    return out instanceof ByteArrayOutputStream bytes ? bytes.toString(StandardCharsets.UTF_8) : "";
  }

  @Override
  public String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return "command %s; out: %s; err: %s; threads: %s".formatted(line, out(), err(), group.alive());
  }

  /** The threads of one run; what they do not catch is told on standard error. */
  private final class Group extends ThreadGroup {
    Group(String name) {
      super(name);
    }

    @Override
    public void uncaughtException(Thread thread, Throwable thrown) {
      StringWriter text = new StringWriter();
      text.append("Exception in thread \"" + thread.getName() + "\" ");
      thrown.printStackTrace(new PrintWriter(text, true));
      try {
        err.write(text.toString().getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    List<String> alive() {
      Thread[] threads = new Thread[activeCount() + 16];
      int count = enumerate(threads);
      List<String> names = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        String name = threads[i].getName();
        if (OF_LIBRARIES.stream().noneMatch(name::startsWith)) {
          names.add(name + " in " + Arrays.toString(threads[i].getStackTrace()));
        }
      }
      return names;
    }
  }

  /** Ends a command as the JVM does when its process is told to end: by starting the hooks. */
  private final class Told implements ExitHooks {
    private static final int TERMINATED = 128 + 15;

    private final List<Thread> hooks = new ArrayList<>();
    private boolean happened;
    private boolean isOver;

    @Override
    public synchronized void add(Thread hook) {
      checkNotTold();
      hooks.add(hook);
    }

    @Override
    public synchronized void remove(Thread hook) {
      checkNotTold();
      hooks.remove(hook);
    }

    private void checkNotTold() {
      if (happened) {
        throw new IllegalStateException("told to end");
      }
    }

    @Override
    public void exit(int value) {
      status.complete(value);
    }

    synchronized void tell() {
      happened = true;
      notifyAll();
    }

    synchronized void noMore() {
      isOver = true;
      notifyAll();
    }

    /** Waits until the command has ended by itself, or is told to end; then the hooks run. */
    void awaitEnd() throws InterruptedException {
      List<Thread> started;
      synchronized (this) {
        while (!happened && !isOver) {
          wait();
        }
        started = happened ? List.copyOf(hooks) : List.of();
      }
      // Started here, they have the working directory of the run.
      started.forEach(Thread::start);
      for (Thread hook : started) {
        hook.join();
      }
      if (happened) {
        status.complete(TERMINATED);
      }
    }
  }
}
