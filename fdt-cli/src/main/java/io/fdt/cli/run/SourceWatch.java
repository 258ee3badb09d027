package io.fdt.cli.run;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Hears of changes of files of this machine (inotify). Links beneath a source are not followed. For
 * one thread, but for {@link #close}.
 */
final class SourceWatch implements AutoCloseable {
  private static final WatchEvent.Kind<?>[] KINDS = {
    StandardWatchEventKinds.ENTRY_CREATE,
    StandardWatchEventKinds.ENTRY_DELETE,
    StandardWatchEventKinds.ENTRY_MODIFY
  };

  private final WatchService service;
  private final List<Path> sources;

  /** Directories of which only these names matter: those that sources are in. */
  private final Map<Path, Set<Path>> parents = new HashMap<>();

  private boolean isWhole;

  private SourceWatch(WatchService service, List<Path> sources) {
    this.service = service;
    this.sources = sources;
  }

  /**
   * Watches sources; with none of them it only waits.
   *
   * @throws FdtException RESOURCES when the system has no room for another watch
   */
  static SourceWatch open(List<Path> sources) throws FdtException {
    try {
      return new SourceWatch(FileSystems.getDefault().newWatchService(), sources);
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.RESOURCES,
          "no room for another inotify instance; raise fs.inotify.max_user_instances",
          e);
    }
  }

  /**
   * Watches all directories that there are now; those that are watched already stay so. A source
   * that is replaced by another one of its name is seen from the directory that it is in.
   *
   * @return whether all sources are watched: one that is not there is not
   * @throws FdtException RESOURCES when there are more directories than watches
   */
  boolean register() throws FdtException {
    isWhole = true;
    for (Path source : sources) {
      register(source);
    }
    return isWhole;
  }

  private void register(Path source) throws FdtException {
    try {
      if (!Files.exists(source)) {
        isWhole = false;
        return;
      }
      Path real = source.toRealPath();
      if (real.getParent() != null) {
        parents.computeIfAbsent(real.getParent(), p -> new HashSet<>()).add(real.getFileName());
        real.getParent().register(service, KINDS);
      }
      if (Files.isDirectory(real)) {
        registerTree(real);
      }
    } catch (NoSuchFileException e) {
      isWhole = false;
    } catch (IOException e) {
      throw cannot(source, e);
    }
  }

  private static FdtException cannot(Path source, IOException cause) {
    if (cause instanceof AccessDeniedException) {
      return new FdtException(
          ErrorCode.PERMISSION,
          "'%s' cannot be watched: permission denied; allow reading it".formatted(source),
          cause);
    }
    return new FdtException(
        ErrorCode.RESOURCES,
        "'%s' cannot be watched: it may have more directories than fs.inotify.max_user_watches"
                .formatted(source)
            + " allows; raise that",
        cause);
  }

  private void registerTree(Path directory) throws IOException {
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path found, BasicFileAttributes attributes)
              throws IOException {
            try {
              found.register(service, KINDS);
            } catch (NoSuchFileException e) {
              return FileVisitResult.SKIP_SUBTREE; // gone again, which its parent tells
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path found, IOException cause) {
            return FileVisitResult.CONTINUE; // the copy tells of what cannot be read
          }
        });
  }

  /**
   * Waits for a change, or until the time has passed.
   *
   * @return whether something has changed
   * @throws FdtException as {@link #register}, of directories that are new
   */
  boolean await(Duration most) throws FdtException, InterruptedException {
    try {
      WatchKey key = service.poll(most.toNanos(), TimeUnit.NANOSECONDS);
      boolean hasChanged = false;
      while (key != null) {
        hasChanged |= take(key);
        key = service.poll();
      }
      return hasChanged;
    } catch (ClosedWatchServiceException e) {
      return false;
    }
  }

  private boolean take(WatchKey key) throws FdtException {
    Path directory = (Path) key.watchable();
    List<WatchEvent<?>> events = key.pollEvents();
    boolean hasChanged = !key.reset();
    for (WatchEvent<?> event : events) {
      hasChanged |= event.context() == null || matters(directory, (Path) event.context());
      if (event.kind() == StandardWatchEventKinds.ENTRY_CREATE && hasChanged) {
        watchNew(directory.resolve((Path) event.context()));
      }
    }
    return hasChanged;
  }

  private boolean matters(Path directory, Path name) {
    Set<Path> names = parents.get(directory);
    return names == null || names.contains(name) || isBeneathSource(directory);
  }

  /** Whether a directory that a source is in is watched itself. */
  private boolean isBeneathSource(Path directory) {
    for (Path parent = directory; parent.getParent() != null; parent = parent.getParent()) {
      Set<Path> names = parents.get(parent.getParent());
      if (names != null && names.contains(parent.getFileName())) {
        return true;
      }
    }
    return false;
  }

  private void watchNew(Path found) throws FdtException {
    try {
      if (Files.isDirectory(found, LinkOption.NOFOLLOW_LINKS)) {
        registerTree(found);
      }
    } catch (IOException e) {
      throw cannot(found, e);
    }
  }

  /** Wakes who waits. Any thread; idempotent. */
  @Override
  public void close() {
    try {
      service.close();
    } catch (IOException e) {
      throw new IllegalStateException("inotify cannot be closed", e);
    }
  }
}
