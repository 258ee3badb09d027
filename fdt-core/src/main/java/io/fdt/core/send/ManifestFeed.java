package io.fdt.core.send;

import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Root;
import io.fdt.core.session.ReceiverSession;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.SourceTree.SourceFile;
import io.fdt.core.wire.MessageText;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Walks the source on a thread of its own and hands what it finds to the session in batches, never
 * further ahead than the window: that bounds the memory of both ends for any number of files.
 *
 * <p>Thread-safe: {@link #release} and {@link #stop} may be called on any thread.
 */
public final class ManifestFeed {
  /** Takes what the walk finds; called on the session's event loop. */
  interface Target {
    void roots(List<Root> roots);

    void batch(Batch batch);

    /** The walk is over; {@code failure} is null unless it broke off. */
    void ended(FdtException failure);
  }

  /** What was found since the last batch. */
  public record Batch(
      List<Entry> entries,
      List<SourceFile> files,
      List<Long> endedDirectories,
      List<SkippedEntry> skippedEntries) {
    static Batch empty() {
      return new Batch(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }

    int size() {
      return entries.size() + endedDirectories.size() + skippedEntries.size();
    }
  }

  /** Something that will not arrive. */
  public record SkippedEntry(String path, FdtException failure, String skipReason) {}

  /** The weight of entries that were found but whose outcome is not known yet. */
  public static final int WINDOW = ReceiverSession.WINDOW;

  /** Large enough that the cost of one message is shared by many entries. */
  private static final int MAX_BATCH = 512;

  /**
   * Names, targets of links and texts of one batch: with three bytes a character, a third of the
   * longest message.
   */
  private static final int MAX_BATCH_CHARS = 64 << 10;

  /** The first batches are small, so that data flows as soon as the walk has found anything. */
  private static final int FIRST_BATCH = 16;

  private final SourceTree source;
  private final SessionLoop loop;
  private final Target target;
  private final Semaphore window = new Semaphore(WINDOW);
  private final Thread thread;
  private Batch batch = Batch.empty();
  private int batchLimit = FIRST_BATCH;
  private int batchChars;

  ManifestFeed(String name, SourceTree source, SessionLoop loop, Target target) {
    this.source = source;
    this.loop = loop;
    this.target = target;
    this.thread = new Thread(this::run, name + "-walk");
    this.thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** The outcome of entries of this weight is known; of most it is 1. */
  void release(int entries) {
    window.release(entries);
  }

  void stop() {
    thread.interrupt();
  }

  private void run() {
    FdtException failure = null;
    try {
      List<Root> roots = source.roots();
      loop.post(() -> target.roots(roots));
      source.walk(new Collector());
      flush();
    } catch (InterruptedException e) {
      return; // the session has ended: nobody listens any more
    } catch (RuntimeException | Error e) {
      failure = FdtException.unforeseen("walking the source failed", e);
    }
    FdtException end = failure;
    loop.post(() -> target.ended(end));
  }

  private void added(int chars) {
    batchChars += chars;
    if (batch.size() >= batchLimit || batchChars >= MAX_BATCH_CHARS) {
      flush();
    }
  }

  private void flush() {
    if (batch.size() == 0) {
      return;
    }
    Batch full = batch;
    batch = Batch.empty();
    batchChars = 0;
    batchLimit = Math.min(MAX_BATCH, batchLimit * 2);
    loop.post(() -> target.batch(full));
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
      batch.entries().add(entry);
      batch.files().add(file);
      added(
          entry.name().length() + entry.linkTarget().length() + entry.metadata().attributeBytes());
    }

    @Override
    public void directoryEnd(long id) {
      batch.endedDirectories().add(id);
      added(0);
    }

    @Override
    public void skipped(String path, String reason) {
      skippedEntry(new SkippedEntry(path, null, reason));
    }

    @Override
    public void failed(String path, FdtException reason) {
      skippedEntry(new SkippedEntry(path, reason, null));
    }

    private void skippedEntry(SkippedEntry skippedEntry) {
      batch.skippedEntries().add(skippedEntry);
      FdtException failure = skippedEntry.failure();
      String text = failure == null ? skippedEntry.skipReason() : failure.getMessage();
      added(Math.min(2 * MessageText.MAX_CHARS, skippedEntry.path().length() + text.length()));
    }
  }
}
