package io.fdt.service;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.AppenderBase;
import io.fdt.core.model.LineText;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * Writes log events on standard error as a server does, one line each; a defect has its stack
 * trace. Any thread.
 */
final class LogLines extends AppenderBase<ILoggingEvent> {
  private final PrintStream out =
      new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);

  @Override
  protected void append(ILoggingEvent event) {
    IThrowableProxy thrown = event.getThrowableProxy();
    out.println(
        LineText.logged(
            Instant.ofEpochMilli(event.getTimeStamp()),
            event.getLevel().toString(),
            LineText.message(event.getMessage(), event.getArgumentArray()),
            thrown == null ? "" : ": " + thrown.getClassName() + ": " + thrown.getMessage()));
    boolean isDefect = event.getLevel().isGreaterOrEqual(Level.ERROR);
    for (IThrowableProxy t = isDefect ? thrown : null; t != null; t = t.getCause()) {
      out.println("    " + LineText.clean(t.getClassName() + ": " + t.getMessage()));
      for (StackTraceElementProxy element : t.getStackTraceElementProxyArray()) {
        out.println("        " + element.getSTEAsString());
      }
    }
  }
}
