package io.fdt.cli.output;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Logback for SLF4J without the search for a configuration, which takes longer than the transfer of
 * a small file. {@link Logging} sets it up. Any thread.
 */
public final class LogProvider implements SLF4JServiceProvider {
  private final LoggerContext context = new LoggerContext();
  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final LogbackMDCAdapter mdc = new LogbackMDCAdapter();

  public LogProvider() {}

  /** Makes SLF4J take this provider, quietly; has no effect once a logger exists. */
  static void choose() {
    System.setProperty("slf4j.internal.verbosity", "WARN");
    System.setProperty("slf4j.provider", LogProvider.class.getName());
  }

  @Override
  public void initialize() {
    context.setName("fdt");
    context.setMDCAdapter(mdc);
    context.start();
  }

  @Override
  public ILoggerFactory getLoggerFactory() {
    return context;
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return mdc;
  }

  @Override
  public String getRequestedApiVersion() {
    return "2.0.99"; // the line of SLF4J that this is written for
  }
}
