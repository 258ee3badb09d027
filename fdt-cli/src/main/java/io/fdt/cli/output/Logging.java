package io.fdt.cli.output;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.AppenderBase;
import io.fdt.core.model.LineText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * The log lines of one command on its screen, as {@link LineText#logged} writes them: one line for
 * each event.
 *
 * <p>A thread logs for the command that started it, directly or through other threads. Commands in
 * one JVM do not show each other's lines; all of them show the lines of other threads.
 *
 * <p>Set up in code: reading a configuration would cost each run of the command a tenth of a
 * second. Any thread.
 */
public final class Logging extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private static final String NETTY = "io.netty";
  private static final String HARDWARE_ADDRESS = "io.netty.util.internal.MacAddressUtil";
  private static final String REJECTED_EXECUTION =
      "io.netty.util.concurrent.DefaultPromise.rejectedExecution";

  /** Running commands; also the lock of the levels of the loggers. */
  private static final List<Logging> RUNNING = new ArrayList<>();

  /** The command of a thread. */
  private static final InheritableThreadLocal<Logging> OF_THREAD = new InheritableThreadLocal<>();

  private final Screen screen;
  private final int verbosity;

  private Logging(Screen screen, int verbosity) {
    this.screen = screen;
    this.verbosity = verbosity;
  }

  /**
   * Shows log events of this thread, and of threads that it starts, until the result is closed.
   *
   * @param verbosity 0 for warnings, 1 for events, 2 for details and stack traces, 3 for everything
   */
  public static Logging start(Screen screen, int verbosity) {
    LogProvider.choose();
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    Logging logging = new Logging(screen, verbosity);
    logging.setContext(context);
    OF_THREAD.set(logging);
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    synchronized (RUNNING) {
      if (RUNNING.isEmpty()) {
        root.detachAndStopAllAppenders();
      }
      RUNNING.add(logging);
      logging.start();
      root.addAppender(logging);
      setLevels(context);
    }
    return logging;
  }

  /** Stops showing events. */
  @Override
  public void close() {
    LoggerContext context = (LoggerContext) getContext();
    synchronized (RUNNING) {
      if (!RUNNING.remove(this)) {
        return;
      }
      context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).detachAppender(this);
      stop();
      setLevels(context);
    }
    if (OF_THREAD.get() == this) {
      OF_THREAD.remove();
    }
  }

  /** Sets the levels for the most verbose command. */
  private static void setLevels(LoggerContext context) {
    int most = 0;
    for (Logging logging : RUNNING) {
      most = Math.max(most, logging.verbosity);
    }
    context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).setLevel(level(most));
    for (String name : List.of(NETTY, HARDWARE_ADDRESS, REJECTED_EXECUTION)) {
      context.getLogger(name).setLevel(threshold(name, most));
    }
  }

  /** The lowest level of a logger that a command of this verbosity shows. */
  private static Level threshold(String logger, int verbosity) {
    if (!logger.startsWith(NETTY)) {
      return level(verbosity);
    }
    // Events of Netty itself are only for the highest verbosity.
    if (verbosity >= 3) {
      return Level.DEBUG;
    }
    // Netty warns about hosts whose interfaces have no hardware address, as in some containers.
    if (logger.equals(HARDWARE_ADDRESS)) {
      return Level.ERROR;
    }
    // At the end, a promise without listeners may complete after its event loop has ended.
    if (logger.equals(REJECTED_EXECUTION)) {
      return Level.OFF;
    }
    // Netty's warnings, of a reset connection for example, duplicate the command's own messages.
    // Leaks have level ERROR.
    return verbosity >= 2 ? Level.WARN : Level.ERROR;
  }

  private static Level level(int verbosity) {
    return switch (verbosity) {
      case 0 -> Level.WARN;
      case 1 -> Level.INFO;
      case 2 -> Level.DEBUG;
      default -> Level.TRACE;
    };
  }

  @Override
  protected void append(ILoggingEvent event) {
    Logging ofThread = OF_THREAD.get();
    if (ofThread != null && ofThread != this) {
      return;
    }
    if (!event.getLevel().isGreaterOrEqual(threshold(event.getLoggerName(), verbosity))) {
      return;
    }
    screen.note(line(event));
    if (verbosity >= 2) {
      appendStackTrace(event.getThrowableProxy());
    }
  }

  private String line(ILoggingEvent event) {
    IThrowableProxy thrown = event.getThrowableProxy();
    return LineText.logged(
        Instant.ofEpochMilli(event.getTimeStamp()),
        event.getLevel().toString(),
        LineText.message(event.getMessage(), event.getArgumentArray()),
        thrown == null ? "" : ": " + thrown.getClassName() + ": " + thrown.getMessage());
  }

  private void appendStackTrace(IThrowableProxy thrown) {
    for (IThrowableProxy t = thrown; t != null; t = t.getCause()) {
      screen.note("    " + t.getClassName() + ": " + t.getMessage());
      for (StackTraceElementProxy element : t.getStackTraceElementProxyArray()) {
        screen.note("        " + element.getSTEAsString());
      }
    }
  }
}
