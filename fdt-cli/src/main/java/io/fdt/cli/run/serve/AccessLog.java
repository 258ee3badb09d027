package io.fdt.cli.run.serve;

import io.fdt.cli.output.Screen;
import io.fdt.cli.output.json.JsonEvent;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.core.filter.FileAccess;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.PathStyle;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The access log of a server: a JSON line for each file, written by a thread of its own.
 *
 * <p>{@link #accept} may be called on any thread; it waits when the disk is far behind, so that no
 * line is lost. A file that was moved away, as by logrotate, is opened again under its name.
 */
final class AccessLog implements Consumer<FileAccess>, AutoCloseable {
  static final String OPTION = "--access-log";
  static final String STANDARD_OUTPUT = "-";

  /** Entries that wait for the disk. Memory: about 500 bytes each, more with long paths. */
  private static final int MOST_WAITING = 1024;

  /** A new file; on Windows it has the access list of its directory. */
  private static final FileAttribute<?>[] NEW =
      BytePath.STYLE == PathStyle.WINDOWS
          ? new FileAttribute<?>[0]
          : new FileAttribute<?>[] {
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----"))
          };

  private static final Logger LOG = LoggerFactory.getLogger(AccessLog.class);

  private interface Target {
    /** Writes whole lines. */
    void write(String lines) throws IOException;

    default void close() throws IOException {}
  }

  private final String name;
  private final Target target;
  private final BlockingQueue<Optional<FileAccess>> waiting =
      new ArrayBlockingQueue<>(MOST_WAITING);
  private final Thread thread = new Thread(this::run, "fdt-access-log");

  /** Entries since the last one that was written. */
  private long lost;

  private AccessLog(String name, Target target) {
    this.name = name;
    this.target = target;
  }

  /**
   * Opens it.
   *
   * @param name of the file; "-" for standard output
   * @throws FdtException USAGE when it cannot be written
   */
  static AccessLog open(String name, Path workingDirectory, Screen screen) throws FdtException {
    AccessLog log =
        new AccessLog(
            name,
            name.equals(STANDARD_OUTPUT)
                ? lines -> lines.lines().forEach(screen::text)
                : file(name, workingDirectory.resolve(name)));
    log.thread.setDaemon(true);
    log.thread.start();
    return log;
  }

  private static Target file(String name, Path path) throws FdtException {
    try {
      return new LogFile(path);
    } catch (IOException e) {
      String reason =
          e instanceof NoSuchFileException ? "the directory does not exist" : IoReason.of(e);
      throw new FdtException(
          ErrorCode.USAGE, "%s '%s': %s; choose another place".formatted(OPTION, name, reason), e);
    }
  }

  @Override
  public void accept(FileAccess access) {
    put(Optional.of(access));
  }

  private void put(Optional<FileAccess> access) {
    try {
      waiting.put(access);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    List<Optional<FileAccess>> some = new ArrayList<>();
    try {
      do {
        some.clear();
        some.add(waiting.take());
        waiting.drainTo(some);
        write(some.stream().flatMap(Optional::stream).toList());
      } while (some.get(some.size() - 1).isPresent());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void write(List<FileAccess> entries) {
    StringBuilder lines = new StringBuilder();
    entries.forEach(entry -> lines.append(line(entry)).append('\n'));
    try {
      target.write(lines.toString());
      if (lost > 0) {
        LOG.warn("access log is written again file={} lost={}", name, lost);
        lost = 0;
      }
    } catch (IOException e) {
      if (lost == 0) {
        LOG.warn("access log is not written file={} reason={}", name, IoReason.of(e));
      }
      lost += entries.size();
    }
  }

  private static String line(FileAccess access) {
    FileAccess.Client client = access.client();
    JsonEvent line =
        new JsonEvent("access")
            .with("time", access.time())
            .with("session", Optional.of(client.session()).filter(id -> !id.isEmpty()))
            .with("token", client.token())
            .with("peer", client.peer())
            .with("direction", client.direction())
            .with("export", client.export())
            .with("fate", access.fateText())
            .withPath(access.path())
            .with("bytes", access.bytes());
    if (!access.newPath().isEmpty()) {
      line.withPath("new_path", access.newPath());
    }
    if (!access.digest().isEmpty()) {
      line.with("checksum", access.checksum()).with("digest", access.digest());
    }
    access.failure().ifPresent(code -> line.withError(code, access.message()));
    return line.line();
  }

  /** Writes all that was accepted before. */
  @Override
  public void close() {
    put(Optional.empty());
    try {
      thread.join();
      target.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      lost++;
    }
    if (lost > 0) {
      LOG.warn("access log is not complete file={} lost={}", name, lost);
    }
  }

  /** A file that is appended to, and opened again when its name leads to another one. */
  private static final class LogFile implements Target {
    private final Path path;
    private FileChannel channel;
    private Object key;

    /** The last write left a part of a line. */
    private boolean isTorn;

    LogFile(Path path) throws IOException {
      this.path = path;
      open();
    }

    private void open() throws IOException {
      channel =
          FileChannel.open(path, Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND), NEW);
      key = keyOfName();
    }

    private Object keyOfName() throws IOException {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    private boolean wasMoved() throws IOException {
      try {
        return !key.equals(keyOfName());
      } catch (NoSuchFileException e) {
        return true;
      }
    }

    @Override
    public void write(String lines) throws IOException {
      if (!channel.isOpen() || wasMoved()) {
        channel.close();
        open();
        isTorn = false;
      }
      ByteBuffer bytes =
          ByteBuffer.wrap(((isTorn ? "\n" : "") + lines).getBytes(StandardCharsets.UTF_8));
      try {
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        isTorn = false;
      } catch (IOException e) {
        isTorn = isTorn || bytes.position() > 0;
        throw e;
      }
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
