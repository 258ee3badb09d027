package io.fdt.server;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.security.HomeDirectory;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.export.ExportEdit;
import io.fdt.core.storage.os.ExportedRoots;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Delivery;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a relay keeps on its disk for other servers: in {@code data/ID} the files of each request,
 * and in {@code records/ID} what is to be done with them. Thread-safe.
 *
 * @param directory of both
 * @param size how much the files may take together
 */
record Spool(Path directory, ByteSize size) {
  /** The export that clients copy to. */
  static final FileName EXPORT = FileName.of(".spool");

  private static final Logger LOG = LoggerFactory.getLogger(Spool.class);

  /**
   * Makes its directories, which nobody else may look into.
   *
   * @throws FdtException they cannot be made
   */
  void make() throws FdtException {
    for (String name : List.of("data", "records")) {
      try {
        Files.createDirectories(directory.resolve(name));
        Files.setPosixFilePermissions(
            directory.resolve(name), PosixFilePermissions.fromString("rwx------"));
      } catch (IOException e) {
        throw new FdtException(
            ErrorCode.IO,
            "cannot make the spool %s: %s".formatted(directory, HomeDirectory.reason(e)),
            e);
      }
    }
  }

  /** What clients copy to; beneath it, each request has a directory. */
  Export export() {
    return new Export(
        EXPORT, BytePath.of(directory.toAbsolutePath().resolve("data")), Export.Access.READ_WRITE);
  }

  /** The path of a request, as clients see it. */
  static BytePath path(SessionId id) {
    return BytePath.of("/" + EXPORT + "/" + id);
  }

  /** What the files of all requests take; the sum of their sizes. Reads all of the tree. */
  long bytes() {
    return bytes(directory.resolve("data"));
  }

  /** What the files of one request take. */
  long bytes(SessionId id) {
    return bytes(directory.resolve("data").resolve(id.toString()));
  }

  private static long bytes(Path root) {
    AtomicLong sum = new AtomicLong();
    try {
      Files.walkFileTree(
          root,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes found) {
              sum.addAndGet(found.isRegularFile() ? found.size() : 0);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
              return FileVisitResult.CONTINUE; // it has gone meanwhile
            }
          });
    } catch (IOException e) {
      LOG.warn("the spool cannot be measured reason={}", HomeDirectory.reason(e));
    }
    return sum.get();
  }

  /** Removes the files of a request. */
  void removeFiles(ExportedRoots roots, SessionId id) throws InterruptedException {
    try {
      ExportEdit.remove(
          roots,
          path(id),
          true,
          new ExportEdit.Removal() {
            @Override
            public void removed(Attributes what) {}

            @Override
            public void failed(String path, FdtException cause) {
              LOG.warn("spool keeps path={} reason={}", path, cause.getMessage());
            }
          });
    } catch (FdtException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        LOG.warn("spool keeps id={} reason={}", id, e.getMessage());
      }
    }
  }

  private HomeDirectory records() {
    return new HomeDirectory(directory.resolve("records"));
  }

  /** Stores what is to be done, or what was; it survives a loss of power. */
  void keep(SessionId id, Delivery delivery) throws FdtException {
    records().replace(id.toString(), delivery.toByteArray());
  }

  void forget(SessionId id) {
    try {
      Files.deleteIfExists(records().file(id.toString()));
    } catch (IOException e) {
      LOG.warn("spool keeps record={} reason={}", id, HomeDirectory.reason(e));
    }
  }

  /** All that is stored. What cannot be read is told and left. */
  List<Delivery> deliveries() throws FdtException {
    List<Delivery> all = new ArrayList<>();
    for (Path file : files("records")) {
      try {
        byte[] bytes = records().readIfThere(file.getFileName().toString());
        if (bytes != null && isId(file)) {
          all.add(Delivery.parseFrom(bytes));
        }
      } catch (InvalidProtocolBufferException e) {
        LOG.error("no record of a delivery file={}", file);
      }
    }
    return all;
  }

  /** The requests whose files were last touched before a time. */
  List<SessionId> untouchedSince(Instant time) throws FdtException {
    List<SessionId> old = new ArrayList<>();
    for (Path directory : files("data")) {
      try {
        if (isId(directory) && Files.getLastModifiedTime(directory).toInstant().isBefore(time)) {
          old.add(id(directory));
        }
      } catch (IOException e) {
        LOG.debug("gone meanwhile: {}", directory);
      }
    }
    return old;
  }

  private List<Path> files(String name) throws FdtException {
    try (Stream<Path> files = Files.list(directory.resolve(name))) {
      return files.toList();
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.IO, "cannot read the spool " + directory + ": " + HomeDirectory.reason(e), e);
    }
  }

  private static boolean isId(Path file) {
    return file.getFileName().toString().matches("[0-9a-f]{" + 2 * SessionId.LENGTH + "}");
  }

  private static SessionId id(Path file) {
    return SessionId.of(HexFormat.of().parseHex(file.getFileName().toString()));
  }
}
