package io.fdt.cli.run.watch;

import io.fdt.client.Cleanup;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.ByteText;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Watches files of this machine (inotify). Links beneath a source are not followed. For one thread,
 * except {@link #close}.
 */
final class SourceWatch implements AutoCloseable {
  private static final WatchEvent.Kind<?>[] KINDS = {
    StandardWatchEventKinds.ENTRY_CREATE,
    StandardWatchEventKinds.ENTRY_DELETE,
    StandardWatchEventKinds.ENTRY_MODIFY
  };

  private final WatchService service;
  private final List<Path> sources;

  /** The parents of sources, with the names that matter in them. */
  private final Map<Path, Set<Path>> parents = new HashMap<>();

  /** The first identity of each source. */
  private final Map<Path, Identity> identities = new HashMap<>();

  private Optional<String> gap = Optional.empty();

  /**
   * The identity of a directory. A file has no device and inode here: editors replace files.
   *
   * @param link the target if the source is a link; otherwise null
   */
  private record Identity(Path link, Object device, Object inode) {}

  private SourceWatch(WatchService service, List<Path> sources) {
    this.service = service;
    this.sources = sources;
  }

  /**
   * Watches sources; without sources it only waits.
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
   * Watches all directories. The parent of a source is watched for its replacement or creation; for
   * a link, the parent of its target, too.
   *
   * @return why not everything is watched, as one line; empty if it is
   */
  Optional<String> register() {
    gap = Optional.empty();
    for (Path source : sources) {
      register(source.toAbsolutePath());
    }
    return gap;
  }

  /**
   * The first source that is missing or another directory than before: its file system was
   * unmounted or mounted over, or it was replaced. A link with a new target counts as a new source;
   * a source that never existed does not count.
   */
  Optional<Path> replaced() {
    Optional<Path> replaced = Optional.empty();
    for (Path source : sources) {
      Identity now = identity(source);
      Identity first = identities.get(source);
      if (now != null && (first == null || !Objects.equals(first.link(), now.link()))) {
        identities.put(source, now);
      } else if (first != null && !first.equals(now) && replaced.isEmpty()) {
        replaced = Optional.of(source);
      }
    }
    return replaced;
  }

  /** Whether a source is an empty directory. */
  boolean hasEmpty() {
    return sources.stream().anyMatch(SourceWatch::isEmpty);
  }

  private static boolean isEmpty(Path source) {
    try (DirectoryStream<Path> names = Files.newDirectoryStream(source)) {
      return !names.iterator().hasNext();
    } catch (IOException e) {
      return false; // a file; or the copy reports why
    }
  }

  private static Identity identity(Path source) {
    try {
      Map<String, Object> found = Files.readAttributes(source, "unix:dev,ino");
      Path link = Files.isSymbolicLink(source) ? Files.readSymbolicLink(source) : null;
      return Files.isDirectory(source)
          ? new Identity(link, found.get("dev"), found.get("ino"))
          : new Identity(link, null, null);
    } catch (IOException e) {
      return null; // the copy reports why
    }
  }

  private void register(Path source) {
    try {
      boolean isInDirectory = source.getParent() != null && Files.isDirectory(source.getParent());
      if (isInDirectory) {
        watchName(source.getParent().toRealPath(), source.getFileName());
      }
      if (!Files.exists(source)) {
        if (!isInDirectory) {
          gap = Optional.of("'" + source + "' is missing");
        }
        return;
      }
      Path real = source.toRealPath();
      if (real.getParent() != null) {
        watchName(real.getParent(), real.getFileName());
      }
      if (Files.isDirectory(real)) {
        watchTree(real);
      }
    } catch (IOException e) {
      gap = Optional.of("'" + source + "' cannot be watched"); // the copy reports why
    }
  }

  private void watchName(Path directory, Path name) {
    parents.computeIfAbsent(directory, p -> new HashSet<>()).add(name);
    watch(directory);
  }

  private void watchTree(Path directory) throws IOException {
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path found, BasicFileAttributes attributes) {
            return watch(found) ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path found, IOException cause) {
            return FileVisitResult.CONTINUE; // the copy reports it
          }

          @Override
          public FileVisitResult postVisitDirectory(Path found, IOException cause) {
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** Watches one directory; false if it does not exist or cannot be watched. */
  private boolean watch(Path directory) {
    try {
      directory.register(service, KINDS);
      return true;
    } catch (FileSystemException e) {
      // Removed, replaced, or unreadable: an event of its parent, or the copy, reports that.
      return false;
    } catch (IOException e) {
      gap =
          Optional.of(
              "'%s' cannot be watched: there are more directories than fs.inotify.max_user_watches"
                      .formatted(directory)
                  + " allows; raise that");
      return false;
    }
  }

  /**
   * Waits for a change, or until the time has passed.
   *
   * @return whether something may have changed
   */
  boolean await(Duration most) throws InterruptedException {
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

  private boolean take(WatchKey key) {
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
    if (Cleanup.isTemporary(ByteText.path(name.toString()))) {
      return false; // another transfer writes there; the final name comes
    }
    Set<Path> names = parents.get(directory);
    return names == null || names.contains(name) || isBeneathSource(directory);
  }

  /** Whether the parent of a source is itself within a watched source. */
  private boolean isBeneathSource(Path directory) {
    for (Path parent = directory; parent.getParent() != null; parent = parent.getParent()) {
      Set<Path> names = parents.get(parent.getParent());
      if (names != null && names.contains(parent.getFileName())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Watches a new directory. Files created before the watch have no events; the copy finds them.
   */
  private void watchNew(Path found) {
    try {
      if (Files.isDirectory(found, LinkOption.NOFOLLOW_LINKS)) {
        watchTree(found);
      }
    } catch (IOException e) {
      gap = Optional.of("'" + found + "' cannot be watched");
    }
  }

  /** Ends {@link #await}. Any thread; idempotent. */
  @Override
  public void close() {
    try {
      service.close();
    } catch (IOException e) {
      throw new IllegalStateException("inotify cannot be closed", e);
    }
  }
}
