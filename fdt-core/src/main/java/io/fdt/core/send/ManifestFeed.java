package io.fdt.core.send;

import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.SessionRuntime;
import io.fdt.core.engine.TransferThreads;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Root;
import io.fdt.core.session.receiver.ReceiverMachine;
import io.fdt.core.session.sender.ManifestPart;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.SourceTree.SourceFile;
import io.fdt.core.wire.MessageText;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Walks the source on its own thread and passes entries to the session in batches, up to the
 * window: this bounds the memory of both ends for any number of files.
 *
 * <p>Thread-safe: {@link #release} and {@link #stop} may be called on any thread.
 */
public final class ManifestFeed {
  /** Receives the results of the walk; called on the session's event loop. */
  interface Target {
    void roots(List<Root> roots);

    void part(ManifestPart<SourceFile> part);

    /** The walk has ended; {@code failure} is null if it is complete. */
    void ended(FdtException failure);
  }

  /** The maximum weight of found entries without an outcome. */
  public static final int WINDOW = ReceiverMachine.WINDOW;

  /** The most entries of a batch: enough to make the cost of a message negligible. */
  private static final int MAX_BATCH = 512;

  /**
   * The most characters of names, link targets and texts in one batch; with three bytes per
   * character, a third of the longest message.
   */
  private static final int MAX_BATCH_CHARS = 64 << 10;

  /** The size of the first batches, which are small so that data flows early. */
  private static final int FIRST_BATCH = 16;

  private final SourceTree source;
  private final SessionLoop loop;
  private final Target target;
  private final Semaphore window = new Semaphore(WINDOW);
  private final TransferThreads threads;
  private final String name;

  /** The thread of the walk, while it runs. */
  private Thread thread;

  private boolean stopped;
  private ManifestPart<SourceFile> part = ManifestPart.empty();
  private int batchLimit = FIRST_BATCH;
  private int batchChars;

  ManifestFeed(SessionRuntime runtime, SourceTree source, Target target) {
    this.name = runtime.name() + "-walk";
    this.loop = runtime.loop();
    this.threads = runtime.threads();
    this.source = source;
    this.target = target;
  }

  void start() {
    threads.run(name, this::run);
  }

  /**
   * Releases this weight in the window, after the outcome of an entry; the weight of most entries
   * is 1.
   */
  void release(int entries) {
    window.release(entries);
  }

  /** Ends the walk early. */
  synchronized void stop() {
    stopped = true;
    if (thread != null) {
      thread.interrupt();
    }
  }

  private synchronized boolean begin() {
    thread = Thread.currentThread();
    return !stopped;
  }

  private synchronized void end() {
    thread = null;
  }

  private void run() {
    if (!begin()) {
      return;
    }
    FdtException failure = null;
    try {
      List<Root> roots = source.roots();
      loop.post(() -> target.roots(roots));
      source.walk(new Collector());
      flush();
    } catch (InterruptedException e) {
      return; // the session has ended
    } catch (RuntimeException | Error e) {
      failure = FdtException.unforeseen("walking the source failed", e);
    } finally {
      end();
    }
    FdtException end = failure;
    loop.post(() -> target.ended(end));
  }

  private void added(int chars) {
    batchChars += chars;
    if (part.size() >= batchLimit || batchChars >= MAX_BATCH_CHARS) {
      flush();
    }
  }

  private void flush() {
    if (part.size() == 0) {
      return;
    }
    ManifestPart<SourceFile> full = part;
    part = ManifestPart.empty();
    batchChars = 0;
    batchLimit = Math.min(MAX_BATCH, batchLimit * 2);
    loop.post(() -> target.part(full));
  }

  /** Runs on the walk's thread. */
  private final class Collector implements SourceTree.Visitor {
    @Override
    public void entry(Entry entry, SourceFile file) throws InterruptedException {
      int weight = entry.metadata().weight();
      if (!window.tryAcquire(weight)) {
        flush();
        window.acquire(weight);
      }
      part.entries().add(entry);
      part.files().add(file);
      added(
          entry.name().length() + entry.linkTarget().length() + entry.metadata().attributeBytes());
    }

    @Override
    public void directoryEnd(long id) {
      part.endedDirectories().add(id);
      added(0);
    }

    @Override
    public void skipped(String path, String reason) {
      skippedEntry(new ManifestPart.Skipped(path, null, reason));
    }

    @Override
    public void failed(String path, FdtException reason) {
      skippedEntry(new ManifestPart.Skipped(path, reason, null));
    }

    private void skippedEntry(ManifestPart.Skipped one) {
      part.skipped().add(one);
      String text = one.failure() == null ? one.reason() : one.failure().getMessage();
      added(Math.min(2 * MessageText.MAX_CHARS, one.path().length() + text.length()));
    }
  }
}
