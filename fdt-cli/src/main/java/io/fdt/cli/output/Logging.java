package io.fdt.cli.output;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.AppenderBase;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.slf4j.LoggerFactory;

/**
 * Log lines on the screen: time, level, message; one line for each event, control characters
 * escaped.
 *
 * <p>Set up in code: reading a configuration would cost each run of the command a tenth of a
 * second. Any thread.
 */
public final class Logging extends AppenderBase<ILoggingEvent> {
  private final Screen screen;
  private final boolean stackTraces;

  private Logging(Screen screen, boolean stackTraces) {
    this.screen = screen;
    this.stackTraces = stackTraces;
  }

  /**
   * Sends log events of this verbosity to a screen, and no longer anywhere else.
   *
   * @param verbosity 0 for warnings, 1 for events, 2 for details and stack traces, 3 for everything
   */
  public static void start(Screen screen, int verbosity) {
    LogProvider.choose();
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    Logging appender = new Logging(screen, verbosity >= 2);
    appender.setContext(context);
    appender.start();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.detachAndStopAllAppenders();
    root.addAppender(appender);
    root.setLevel(level(verbosity));
    // What the network library says of itself is of interest only when everything is.
    context.getLogger("io.netty").setLevel(verbosity >= 3 ? Level.DEBUG : Level.WARN);
    // It warns of hosts whose interfaces have no hardware address, as in some containers.
    context
        .getLogger("io.netty.util.internal.MacAddressUtil")
        .setLevel(verbosity >= 3 ? Level.DEBUG : Level.ERROR);
    // When all ends, a promise may be kept after the loop that would say so: nobody waits for it.
    context
        .getLogger("io.netty.util.concurrent.DefaultPromise.rejectedExecution")
        .setLevel(verbosity >= 3 ? Level.DEBUG : Level.OFF);
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
    screen.note(line(event));
    if (stackTraces) {
      appendStackTrace(event.getThrowableProxy());
    }
  }

  private String line(ILoggingEvent event) {
    IThrowableProxy thrown = event.getThrowableProxy();
    return line(
        Instant.ofEpochMilli(event.getTimeStamp()),
        event.getLevel().toString(),
        event.getFormattedMessage(),
        thrown == null ? "" : ": " + thrown.getClassName() + ": " + thrown.getMessage());
  }

  /** One log line. Pure. */
  static String line(Instant time, String level, String message, String thrown) {
    String moment = time.truncatedTo(ChronoUnit.MILLIS).toString();
    return String.format(
        Locale.US, "%s %-5s %s%s", moment, level, LineText.clean(message), LineText.clean(thrown));
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
