package io.fdt.server.access;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.TokenBook;
import io.fdt.server.limits.DescriptorBudget;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a running server's tokens again when their directory changes, and twice a second, and ends
 * the sessions of tokens that were revoked or have expired. Uses its own thread, because it reads
 * files.
 */
public final class AccessWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AccessWatch.class);

  /**
   * The polling interval; the file has a few kilobytes, so reading it is cheaper than detecting
   * changes.
   */
  private static final long PERIOD_MILLIS = 500;

  /**
   * The time after which a change is confirmed: a program that rewrites the file has finished by
   * then.
   */
  private static final long CONFIRM_MILLIS = 100;

  /** The minimum time between two readings, for a directory with many changes. */
  private static final long LEAST_PAUSE_MILLIS = 5;

  private final TokenBook tokens;
  private final DescriptorBudget descriptors;
  private final Consumer<TokenBook> endRevoked;
  private final Thread thread = new Thread(this::run, "fdt-server-access");
  private ErrorCode lastFailure; // null for none

  /** Whether the last reading found a change that needs confirmation. */
  private boolean isUnconfirmed;

  /** Null if the system reports no changes; then polling finds them. */
  private WatchService changes;

  public AccessWatch(
      TokenBook tokens, DescriptorBudget descriptors, Consumer<TokenBook> endRevoked) {
    this.tokens = tokens;
    this.descriptors = descriptors;
    this.endRevoked = endRevoked;
  }

  public void start() {
    changes = tokens.directory().map(AccessWatch::watched).orElse(null);
    thread.setDaemon(true);
    thread.start();
  }

  private static WatchService watched(Path directory) {
    try {
      WatchService service = FileSystems.getDefault().newWatchService();
      try {
        directory.register(
            service, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY);
        return service;
      } catch (IOException e) {
        service.close();
        throw e;
      }
    } catch (IOException e) { // the system has no more of them
      LOG.debug("changes of {} are not reported", directory, e);
      return null;
    }
  }

  private void run() {
    try {
      while (true) {
        awaitChange();
        look();
      }
    } catch (InterruptedException | ClosedWatchServiceException e) {
      LOG.debug("tokens are no longer followed");
    }
  }

  private void awaitChange() throws InterruptedException {
    if (isUnconfirmed) {
      TimeUnit.MILLISECONDS.sleep(CONFIRM_MILLIS);
      return;
    }
    if (changes == null) {
      TimeUnit.MILLISECONDS.sleep(PERIOD_MILLIS);
      return;
    }
    TimeUnit.MILLISECONDS.sleep(LEAST_PAUSE_MILLIS);
    WatchKey key = changes.poll(PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    if (key != null) {
      key.pollEvents();
      key.reset();
    }
  }

  private void look() {
    try {
      reload();
    } catch (RuntimeException | Error e) { // or it would be the last look
      LOG.error("defect while tokens are read", e);
    }
  }

  private void reload() {
    ErrorCode failure = null;
    isUnconfirmed = false;
    try {
      isUnconfirmed = !tokens.reload();
      if (lastFailure != null) {
        LOG.info("tokens can be read again");
      }
    } catch (FdtException e) {
      failure = e.code();
      if (failure != lastFailure) {
        LOG.warn(
            "tokens cannot be read, new clients are refused reason={} holders={}",
            e.getMessage(),
            descriptors.holders());
      }
    }
    lastFailure = failure;
    endRevoked.accept(tokens);
  }

  @Override
  public void close() {
    thread.interrupt();
    if (changes != null) {
      try {
        changes.close();
      } catch (IOException e) {
        LOG.warn("cannot close the watch of tokens", e);
      }
    }
    tokens.close();
  }
}
