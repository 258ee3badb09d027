package io.fdt.client;

import com.google.protobuf.ByteString;
import io.fdt.client.remote.RefusedException;
import io.fdt.client.remote.RemoteConnection;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Timestamp;
import io.fdt.core.node.Dialer;
import io.fdt.core.wire.ChecksumCoding;
import io.fdt.core.wire.ManifestCoding;
import io.fdt.core.wire.control.ChangeAttributes;
import io.fdt.core.wire.control.Depth;
import io.fdt.core.wire.control.Digests;
import io.fdt.core.wire.control.Look;
import io.fdt.core.wire.control.MakeDirectory;
import io.fdt.core.wire.control.Measure;
import io.fdt.core.wire.control.ReadFile;
import io.fdt.core.wire.control.Remove;
import io.fdt.core.wire.control.Rename;
import io.fdt.core.wire.control.Request;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The files of a server: lists, creates, renames and removes them, over one connection opened on
 * demand. Links are never followed.
 *
 * <pre>{@code
 * try (RemoteFiles files = client.files()) {
 *   files.makeDirectory(BytePath.of("/data/done"), false);
 *   files.rename(BytePath.of("/data/run42"), BytePath.of("/data/done/run42"));
 * }
 * }</pre>
 *
 * <p>One request at a time: not thread-safe. Interrupting the thread cancels its request, at the
 * server too; completed changes stay.
 *
 * <p>All methods throw FdtException with the server's error (NOT_FOUND, WRONG_KIND, PERMISSION;
 * FORBIDDEN by the export or the token; ...), or UNREACHABLE, TIMEOUT, UNTRUSTED, UNAUTHENTICATED
 * without a usable server. A failed request does not affect others.
 */
public final class RemoteFiles implements AutoCloseable {
  /** Most names of a complete listing. Memory: about 300 bytes each. */
  public static final int MAX_NAMES = 2_000_000;

  private static final RemoteVisitor NOTHING_ELSE =
      (path, code, message) -> {
        throw new IllegalStateException("no such answer to this request: " + path);
      };

  private final Dialer dialer;
  private RemoteConnection connection;
  private long lastId;

  RemoteFiles(Dialer dialer) {
    this.dialer = dialer;
  }

  /**
   * Lists a directory, sorted by name; or the file itself.
   *
   * @throws FdtException also RESOURCES when it has more than two million names
   */
  public List<RemoteFile> list(BytePath path) throws FdtException, InterruptedException {
    List<RemoteFile> files = new ArrayList<>();
    list(path, false, collector(files));
    files.sort(Comparator.comparing(f -> f.name().bytes(), Arrays::compareUnsigned));
    return List.copyOf(files);
  }

  /** Thrown by a visitor that collects names beyond {@link #MAX_NAMES}: ends the listing. */
  public static final class TooMany extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private static RemoteVisitor collector(List<RemoteFile> files) {
    return new RemoteVisitor() {
      @Override
      public void file(RemoteFile file) {
        if (files.size() >= MAX_NAMES) {
          throw new TooMany();
        }
        files.add(file);
      }

      @Override
      public void problem(String path, ErrorCode code, String message) {
        NOTHING_ELSE.problem(path, code, message);
      }
    };
  }

  /**
   * The content of a directory, in bounded memory; for anything else, the path itself. The names of
   * a directory come in the order of the server's file system; in a tree its subdirectories follow,
   * sorted, each with its content.
   *
   * @param recursive with all beneath it; names are then paths beneath {@code path}
   * @throws FdtException also RESOURCES when the visitor throws {@link TooMany}
   */
  public RemoteTotals list(BytePath path, boolean recursive, RemoteVisitor visitor)
      throws FdtException, InterruptedException {
    Look look =
        Look.newBuilder()
            .setPath(bytes(path))
            .setDepth(recursive ? Depth.TREE : Depth.CONTENTS)
            .build();
    try {
      return ask(Request.newBuilder().setLook(look), visitor);
    } catch (TooMany e) {
      close();
      throw new FdtException(
          ErrorCode.RESOURCES,
          "the listing has more than %d names: list a subdirectory, or do not sort"
              .formatted(MAX_NAMES),
          e);
    }
  }

  /** The file, directory or link at a path; its name is that path. */
  public RemoteFile stat(BytePath path) throws FdtException, InterruptedException {
    List<RemoteFile> files = new ArrayList<>();
    Look look = Look.newBuilder().setPath(bytes(path)).setDepth(Depth.ITSELF).build();
    ask(Request.newBuilder().setLook(look), collector(files));
    if (files.size() != 1) {
      close();
      throw new FdtException(
          ErrorCode.PROTOCOL, "%d replies to a stat, expected 1".formatted(files.size()));
    }
    return files.get(0);
  }

  /**
   * Makes a directory.
   *
   * @param parents whether to create missing parents; then an existing directory is not an error
   */
  public void makeDirectory(BytePath path, boolean parents)
      throws FdtException, InterruptedException {
    ask(
        Request.newBuilder()
            .setMakeDirectory(MakeDirectory.newBuilder().setPath(bytes(path)).setParents(parents)),
        NOTHING_ELSE);
  }

  /**
   * Renames a file, directory or link within its file system. Never replaces anything: an existing
   * path is WRONG_KIND, as is another file system.
   */
  public void rename(BytePath from, BytePath to) throws FdtException, InterruptedException {
    rename(from, to, false);
  }

  /**
   * Renames a file, directory or link within its file system.
   *
   * @param replace whether to replace a file, a link or an empty directory at the new path,
   *     atomically
   */
  public void rename(BytePath from, BytePath to, boolean replace)
      throws FdtException, InterruptedException {
    ask(
        Request.newBuilder()
            .setRename(
                Rename.newBuilder().setFrom(bytes(from)).setTo(bytes(to)).setReplace(replace)),
        NOTHING_ELSE);
  }

  /** Removes a file, a link or an empty directory; WRONG_KIND for a directory with contents. */
  public void removeOne(BytePath path) throws FdtException, InterruptedException {
    ask(
        Request.newBuilder()
            .setRemove(Remove.newBuilder().setPath(bytes(path)).setEmptyDirectory(true)),
        NOTHING_ELSE);
  }

  /**
   * Changes the modification time, or the permissions; the time also of a link itself.
   *
   * @param modified empty to keep it
   * @param mode permission bits, at most 0777; empty to keep them
   */
  public void change(BytePath path, Optional<Timestamp> modified, OptionalInt mode)
      throws FdtException, InterruptedException {
    ChangeAttributes.Builder change = ChangeAttributes.newBuilder().setPath(bytes(path));
    modified.ifPresent(time -> change.setModified(ManifestCoding.encode(time)));
    mode.ifPresent(bits -> change.setModePlusOne(bits + 1));
    ask(Request.newBuilder().setChangeAttributes(change), NOTHING_ELSE);
  }

  /**
   * Reads a range of a file until the buffer is full. Memory: the buffer, and half a megabyte.
   *
   * @param identity of the file, or SOURCE_CHANGED; 0 for any
   * @param offset of the first byte
   * @return bytes read; fewer than requested only at the end of the file
   */
  public int read(BytePath path, long identity, long offset, ByteBuffer target)
      throws FdtException, InterruptedException {
    int before = target.position();
    ReadFile range =
        ReadFile.newBuilder()
            .setPath(bytes(path))
            .setIdentity(identity)
            .setOffset(offset)
            .setLength(target.remaining())
            .build();
    answered(
        (open, id) -> {
          open.read(Request.newBuilder().setId(id).setReadFile(range).build(), target);
          return target;
        });
    return target.position() - before;
  }

  /**
   * Removes a file or a link.
   *
   * @param recursive also a directory with its contents; names that cannot be removed are reported
   *     to the visitor
   */
  public RemoteTotals remove(BytePath path, boolean recursive, RemoteVisitor visitor)
      throws FdtException, InterruptedException {
    return ask(
        Request.newBuilder()
            .setRemove(Remove.newBuilder().setPath(bytes(path)).setRecursive(recursive)),
        visitor);
  }

  /** Digests in the construction of transfers. */
  public RemoteTotals checksum(
      BytePath path, boolean recursive, Checksum checksum, RemoteVisitor visitor)
      throws FdtException, InterruptedException {
    return checksum(path, recursive, checksum, false, visitor);
  }

  /**
   * Digests of files, read by the server, which caches those of unchanged files.
   *
   * @param recursive of all files beneath a directory
   * @param plain as sha256sum and xxhsum compute them; otherwise as a transfer does, of chunks of 1
   *     MiB
   */
  public RemoteTotals checksum(
      BytePath path, boolean recursive, Checksum checksum, boolean plain, RemoteVisitor visitor)
      throws FdtException, InterruptedException {
    return ask(
        Request.newBuilder()
            .setDigests(
                Digests.newBuilder()
                    .setPath(bytes(path))
                    .setRecursive(recursive)
                    .setPlain(plain)
                    .setChecksum(ChecksumCoding.encode(checksum))),
        visitor);
  }

  /** Totals of all beneath a directory, without itself; or of the file itself. */
  public RemoteTotals measure(BytePath path, RemoteVisitor visitor)
      throws FdtException, InterruptedException {
    return ask(Request.newBuilder().setMeasure(Measure.newBuilder().setPath(bytes(path))), visitor);
  }

  private static ByteString bytes(BytePath path) {
    return ByteString.copyFrom(path.bytes());
  }

  private RemoteTotals ask(Request.Builder request, RemoteVisitor visitor)
      throws FdtException, InterruptedException {
    return answered((open, id) -> open.ask(request.setId(id).build(), visitor));
  }

  private interface Call<T> {
    T on(RemoteConnection open, long id)
        throws FdtException, RefusedException, InterruptedException;
  }

  private <T> T answered(Call<T> call) throws FdtException, InterruptedException {
    if (connection == null || connection.isClosed()) {
      connection = RemoteConnection.open(dialer);
    }
    boolean answered = false;
    try {
      T result = call.on(connection, ++lastId);
      answered = true;
      return result;
    } catch (RefusedException e) {
      answered = true;
      throw e.cause();
    } finally {
      if (!answered) {
        close();
      }
    }
  }

  /** Whether the open connection serves the next request. */
  public boolean isConnected() {
    return connection != null && !connection.isClosed();
  }

  /** Closes the connection. Idempotent; the next request opens another one. */
  @Override
  public void close() {
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }
}
