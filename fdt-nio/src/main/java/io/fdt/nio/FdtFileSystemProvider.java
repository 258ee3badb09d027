package io.fdt.nio;

import io.fdt.core.model.EntryKind;
import io.fdt.nio.server.FdtUri;
import io.fdt.nio.server.RemoteAttributes;
import io.fdt.nio.server.ServerFileStore;
import io.fdt.nio.server.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.LinkOption;
import java.nio.file.NotLinkException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.spi.FileSystemProvider;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The file systems of FDT servers: {@code fdt://host[:port]/path}.
 *
 * <p>{@code Path.of(URI)} works without settings: it uses the token and the known servers of the
 * user's home, like the command. {@code FileSystems.newFileSystem(URI, Map)} takes settings: {@code
 * fdt.home}, {@code fdt.token} or {@code fdt.tokenFile}, {@code fdt.fingerprint} or {@code
 * fdt.acceptNew=true}, {@code fdt.encrypt=true}, {@code fdt.streams=4}.
 *
 * <p>Written files appear complete when they are closed. Links are followed and read, but cannot be
 * created. The time of modification and permissions can be set; owners cannot. docs/NIO.md lists
 * the cost of each operation. Any thread.
 */
public final class FdtFileSystemProvider extends FileSystemProvider {
  private record Server(String host, int port) {}

  private final Map<Server, FdtFileSystem> fileSystems = new ConcurrentHashMap<>();

  /** For {@link java.util.ServiceLoader}; programs use {@link Path#of(URI)}. */
  public FdtFileSystemProvider() {}

  @Override
  public String getScheme() {
    return FdtUri.SCHEME;
  }

  private static Server server(URI uri) {
    FdtUri parsed = FdtUri.parse(uri);
    return new Server(parsed.host(), parsed.port());
  }

  private FdtFileSystem make(Server server, Map<String, ?> settings) {
    return new FdtFileSystem(
        this, server.host(), server.port(), new Settings(settings, System.getenv()));
  }

  /**
   * A file system with its own settings. Does not connect yet.
   *
   * @throws IllegalArgumentException the URI or a setting is invalid
   */
  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> settings) {
    Server server = server(uri);
    FdtFileSystem made = make(server, settings);
    if (fileSystems.putIfAbsent(server, made) != null) {
      throw new FileSystemAlreadyExistsException(made + " is in use: close it first");
    }
    return made;
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    FdtFileSystem known = fileSystems.get(server(uri));
    if (known == null) {
      throw new FileSystemNotFoundException(uri + " is not in use; Path.of(URI) opens it");
    }
    return known;
  }

  /** The path of a URI; its file system is created if necessary, with the user's settings. */
  @Override
  public Path getPath(URI uri) {
    FdtFileSystem fileSystem =
        fileSystems.computeIfAbsent(server(uri), server -> make(server, Map.of()));
    return fileSystem.getPath(FdtUri.parse(uri).path());
  }

  void forget(FdtFileSystem fileSystem) {
    fileSystems.values().remove(fileSystem);
  }

  private static Remote remote(FdtPath path) {
    return path.getFileSystem().remote();
  }

  /** {@inheritDoc} From 4 MiB on, the file is read by a verified transfer with parallel streams. */
  @Override
  public InputStream newInputStream(Path path, OpenOption... options) throws IOException {
    return Opening.input(FdtPath.of(path), options);
  }

  /** {@inheritDoc} The complete file appears when the stream is closed. */
  @Override
  public OutputStream newOutputStream(Path path, OpenOption... options) throws IOException {
    return Opening.output(FdtPath.of(path), options);
  }

  /** {@inheritDoc} The written bytes are sent when the channel is closed. */
  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return Opening.channel(FdtPath.of(path), options, attributes);
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
    FdtPath path = FdtPath.of(directory);
    return path.getFileSystem().opened(new EntryStream(remote(path).list(path), filter));
  }

  @Override
  public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
    FdtPath path = FdtPath.of(directory);
    var mode = Opening.mode(attributes);
    remote(path).createDirectory(path);
    if (mode.isPresent()) {
      remote(path).change(path, java.util.Optional.empty(), mode);
    }
  }

  @Override
  public void delete(Path path) throws IOException {
    remote(FdtPath.of(path)).delete(FdtPath.of(path));
  }

  /** {@inheritDoc} The bytes pass through this machine. */
  @Override
  public void copy(Path source, Path target, CopyOption... options) throws IOException {
    Moves.copy(FdtPath.of(source), FdtPath.of(target), new HashSet<>(List.of(options)));
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    Moves.move(FdtPath.of(source), FdtPath.of(target), new HashSet<>(List.of(options)));
  }

  @Override
  public boolean isSameFile(Path path, Path other) throws IOException {
    if (path.equals(other)) {
      return true;
    }
    if (!(other instanceof FdtPath) || !path.getFileSystem().equals(other.getFileSystem())) {
      return false;
    }
    Remote.Found one = remote(FdtPath.of(path)).find(FdtPath.of(path), true);
    Remote.Found two = remote(FdtPath.of(other)).find(FdtPath.of(other), true);
    return one.path().equals(two.path())
        || (one.file().identity() != 0 && one.file().identity() == two.file().identity());
  }

  @Override
  public boolean isHidden(Path path) {
    Path name = path.getFileName();
    return name != null && name.toString().startsWith(".");
  }

  @Override
  public FileStore getFileStore(Path path) throws IOException {
    FdtPath own = FdtPath.of(path);
    Remote.Found found = remote(own).find(own, true);
    return new ServerFileStore(
        own.getFileSystem().toString(), remote(own).isWritable(found.path()));
  }

  /**
   * {@inheritDoc} Read access is tested for files only; write access means that the export is
   * writable for this client. The server may still lack permission in its file system.
   */
  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    FdtPath own = FdtPath.of(path);
    Remote.Found found = remote(own).find(own, true);
    for (AccessMode mode : modes) {
      switch (mode) {
        case READ -> {
          if (found.file().is(EntryKind.FILE)) {
            int unused = remote(own).read(found, 0, java.nio.ByteBuffer.allocate(0));
          }
        }
        case WRITE -> {
          if (!remote(own).isWritable(found.path())) {
            throw new AccessDeniedException(
                path.toString(), null, "the export is read-only for this token");
          }
        }
        case EXECUTE -> {
          if ((found.file().mode() & 0111) == 0) {
            throw new AccessDeniedException(path.toString(), null, "it is not executable");
          }
        }
      }
    }
  }

  @Override
  public <V extends FileAttributeView> V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    boolean isBasic = type == BasicFileAttributeView.class;
    if (!isBasic && type != PosixFileAttributeView.class && type != FileOwnerAttributeView.class) {
      return null;
    }
    String name = isBasic ? "basic" : type == PosixFileAttributeView.class ? "posix" : "owner";
    return type.cast(new RemoteAttributeView(FdtPath.of(path), LinkOptions.follows(options), name));
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    if (type != BasicFileAttributes.class && type != PosixFileAttributes.class) {
      throw new UnsupportedOperationException("no " + type.getSimpleName() + " of a server");
    }
    FdtPath own = FdtPath.of(path);
    return type.cast(
        new RemoteAttributes(remote(own).find(own, LinkOptions.follows(options)).file()));
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options)
      throws IOException {
    return new RemoteAttributeView(FdtPath.of(path), LinkOptions.follows(options), "posix")
        .read(attributes);
  }

  @Override
  public void setAttribute(Path path, String attribute, Object value, LinkOption... options)
      throws IOException {
    new RemoteAttributeView(FdtPath.of(path), LinkOptions.follows(options), "posix")
        .set(attribute, value);
  }

  @Override
  public Path readSymbolicLink(Path link) throws IOException {
    FdtPath path = FdtPath.of(link);
    Remote.Found found = remote(path).find(path, false);
    if (!found.file().is(EntryKind.SYMLINK)) {
      throw new NotLinkException(link.toString());
    }
    return FdtPath.of(
        path.getFileSystem(), io.fdt.core.model.ByteText.decode(found.file().linkTarget().bytes()));
  }
}
