package io.fdt.cli.output;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * The default logging of a program that has the jar on its class path: warnings, on standard error.
 * Logback's default is everything, on standard output.
 *
 * <p>A logback.xml of the program takes precedence. The command does not use this class: see {@link
 * LogProvider}.
 */
@ConfiguratorRank(LibraryLogging.AFTER_FILES)
public final class LibraryLogging extends ContextAwareBase implements Configurator {
  /** Between the configurators that read files (10 and 20) and Logback's last resort (0). */
  static final int AFTER_FILES = ConfiguratorRank.FALLBACK + 5;

  public LibraryLogging() {}

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%d %-5level %logger - %msg%n");
    encoder.start();
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(context);
    appender.setTarget("System.err");
    appender.setEncoder(encoder);
    appender.start();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.WARN);
    root.addAppender(appender);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }
}
