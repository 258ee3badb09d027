package io.fdt.client;

import io.fdt.core.engine.FileDigests;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.EntryKind;
import io.fdt.core.storage.ListedFile;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.storage.Storage;
import io.fdt.storage.Storages;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Digests of local files, several at a time, reported in the order of directory listings. Links are
 * not followed. Not thread-safe; close it.
 */
public final class LocalDigests implements AutoCloseable {
  /** Open files that wait for a thread; a quarter of the usual limit on descriptors. */
  private static final int MAX_WAITING = 256;

  private static final long REPORT_MILLIS = 500;

  /** A file whose digest is being computed. */
  private record Waiting(BytePath path, long size, Future<byte[]> digest) {}

  private final Checksum checksum;
  private final boolean plain;
  private final ExecutorService threads;
  private final FileDigests digests;
  private final ThreadLocal<FileDigests.Reader> readers;
  private final AtomicLong bytes = new AtomicLong();
  private long files;

  /**
   * @param checksum not NONE
   * @param plain as sha256sum and xxhsum compute them; otherwise as a transfer does, of chunks of 1
   *     MiB
   */
  public LocalDigests(Checksum checksum, boolean plain) {
    int processors = Runtime.getRuntime().availableProcessors();
    this.checksum = checksum;
    this.plain = plain;
    this.digests = new FileDigests(PooledByteBufAllocator.DEFAULT, processors, processors);
    this.readers = ThreadLocal.withInitial(() -> digests.reader(checksum, plain));
    this.threads =
        Executors.newFixedThreadPool(
            processors,
            work -> {
              Thread thread = new Thread(work, "fdt-digests");
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Computes the digest of a file, or of all files beneath a directory.
   *
   * @param visitor receives digests, problems and progress
   * @throws FdtException NOT_FOUND, PERMISSION, WRONG_KIND for the path itself
   */
  public void run(BytePath path, boolean recursive, RemoteVisitor visitor)
      throws FdtException, InterruptedException {
    if (!recursive) {
      Storages.of(path).list(path, Storage.Depth.ITSELF, item -> requireFile(item, path));
    }
    Storages.of(path).list(path, Storage.Depth.TREE, new Walk(visitor));
  }

  private static void requireFile(ListingVisitor.Item item, BytePath path) throws FdtException {
    if (!item.attributes().is(EntryKind.FILE)) {
      throw new FdtException(
          ErrorCode.WRONG_KIND,
          item.attributes().is(EntryKind.DIRECTORY)
              ? "'%s' is a directory; add %s for the files in it"
                  .formatted(path, Setting.DIGEST_TREE)
              : "'" + path + "' is not a file; links are not followed: name what it leads to");
    }
  }

  private final class Walk implements ListingVisitor {
    private final RemoteVisitor visitor;
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    Walk(RemoteVisitor visitor) {
      this.visitor = visitor;
    }

    @Override
    public void item(ListingVisitor.Item item) throws FdtException, InterruptedException {
      if (!item.attributes().is(EntryKind.FILE)) {
        return;
      }
      Future<byte[]> digest = threads.submit(() -> digest(item.opener()));
      waiting.add(new Waiting(item.name(), item.attributes().size(), digest));
      if (waiting.size() >= MAX_WAITING) {
        reportNext();
      }
    }

    @Override
    public void failed(BytePath name, FdtException cause) {
      visitor.problem(name.toString(), cause.code(), cause.getMessage());
    }

    @Override
    public void ended() throws InterruptedException {
      while (!waiting.isEmpty()) {
        reportNext();
      }
    }

    private void reportNext() throws InterruptedException {
      Waiting next = waiting.remove();
      try {
        byte[] digest = await(next.digest());
        files++;
        visitor.digest(
            new RemoteDigest(
                next.path(),
                next.size(),
                RemoteDigest.construction(checksum, plain),
                HexFormat.of().formatHex(digest)));
      } catch (ExecutionException e) {
        FdtException cause =
            e.getCause() instanceof FdtException known
                ? known
                : FdtException.unforeseen("reading failed", e.getCause());
        visitor.problem(next.path().toString(), cause.code(), cause.getMessage());
      }
    }

    private byte[] await(Future<byte[]> digest) throws InterruptedException, ExecutionException {
      while (true) {
        try {
          return digest.get(REPORT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
          visitor.working(files, bytes.get());
        }
      }
    }
  }

  private byte[] digest(ListingVisitor.Opener opener) throws FdtException, InterruptedException {
    try (ListedFile file = opener.open()) {
      return readers.get().digest(file, bytes::addAndGet);
    }
  }

  /** Stops reading. */
  @Override
  public void close() {
    threads.shutdownNow();
    try {
      if (!threads.awaitTermination(1, TimeUnit.MINUTES)) {
        return; // a device does not answer; the threads are daemons
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
