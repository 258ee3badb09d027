package io.fdt.nio;

import io.fdt.client.FdtClient;
import io.fdt.core.error.FdtException;
import io.fdt.nio.server.Connections;
import io.fdt.nio.server.FdtUri;
import io.fdt.nio.server.FileErrors;
import io.fdt.nio.server.Settings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.regex.Pattern;

/**
 * The exports of one server. Connects on first use; its threads do not keep a program running. Any
 * thread.
 */
final class FdtFileSystem extends FileSystem {
  private final FdtFileSystemProvider provider;
  private final String host;
  private final int port;
  private final Settings settings;
  private final Remote remote = new Remote(this);
  private final FileTransfers transfers;

  /** Open channels and streams; weak, so that abandoned ones are collected. */
  private final Set<Opened> opened = Collections.newSetFromMap(new WeakHashMap<>());

  // Guarded by this.
  private FdtClient client;
  private Connections connections;
  private boolean closed;

  FdtFileSystem(FdtFileSystemProvider provider, String host, int port, Settings settings) {
    this.provider = provider;
    this.host = host;
    this.port = port;
    this.settings = settings;
    this.transfers = new FileTransfers(this, settings.streams());
  }

  Remote remote() {
    return remote;
  }

  FileTransfers transfers() {
    return transfers;
  }

  /** A channel or stream that is closed with its file system. */
  interface Opened {
    /** Ends reading and writing; drops incomplete files. Any thread. */
    void fileSystemClosed();
  }

  /**
   * Checks that the file system is open.
   *
   * @throws ClosedFileSystemException otherwise
   */
  synchronized void checkOpen() {
    if (closed) {
      throw new ClosedFileSystemException();
    }
  }

  /** Registers a channel or stream, which is closed with this file system. */
  <T extends Opened> T opened(T thing) {
    synchronized (this) {
      if (!closed) {
        opened.add(thing);
        return thing;
      }
    }
    thing.fileSystemClosed();
    throw new ClosedFileSystemException();
  }

  /** Unregisters a channel or stream. */
  synchronized void closed(Opened thing) {
    opened.remove(thing);
  }

  /** The client, created on first use. */
  synchronized FdtClient client(Path path) throws IOException {
    checkOpen();
    if (client == null) {
      try {
        client = settings.client(host, port);
      } catch (FdtException e) {
        throw FileErrors.of(e, path);
      }
      connections = new Connections(client);
    }
    return client;
  }

  synchronized Connections connections(Path path) throws IOException {
    FdtClient unused = client(path);
    return connections;
  }

  URI uriOf(String absolutePath) {
    return new FdtUri(host, port, absolutePath).toUri();
  }

  @Override
  public FdtFileSystemProvider provider() {
    return provider;
  }

  @Override
  public void close() {
    FdtClient open;
    Connections waiting;
    List<Opened> things;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      open = client;
      waiting = connections;
      things = List.copyOf(opened);
    }
    provider.forget(this);
    things.forEach(Opened::fileSystemClosed);
    if (open != null) {
      waiting.close();
      open.close();
    }
  }

  @Override
  public synchronized boolean isOpen() {
    return !closed;
  }

  @Override
  public boolean isReadOnly() {
    return false; // an export may be: see checkAccess
  }

  @Override
  public String getSeparator() {
    return "/";
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    return List.of(getPath("/"));
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return List.of();
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return Set.of("basic", "posix", "owner");
  }

  @Override
  public FdtPath getPath(String first, String... more) {
    StringBuilder text = new StringBuilder(first);
    for (String name : more) {
      if (!name.isEmpty()) {
        text.append(text.length() > 0 ? "/" : "").append(name);
      }
    }
    return FdtPath.of(this, text.toString());
  }

  @Override
  public PathMatcher getPathMatcher(String syntaxAndPattern) {
    int colon = syntaxAndPattern.indexOf(':');
    if (colon <= 0) {
      throw new IllegalArgumentException(
          "'" + syntaxAndPattern + "' is not of the form glob:PATTERN or regex:PATTERN");
    }
    String text = syntaxAndPattern.substring(colon + 1);
    Pattern pattern =
        switch (syntaxAndPattern.substring(0, colon).toLowerCase(java.util.Locale.ROOT)) {
          case "glob" -> GlobPattern.of(text);
          case "regex" -> Pattern.compile(text);
          default ->
              throw new UnsupportedOperationException(
                  "'" + syntaxAndPattern + "': there are glob and regex");
        };
    return path -> pattern.matcher(path.toString()).matches();
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    throw new UnsupportedOperationException("users of a server are numbers, and not looked up");
  }

  @Override
  public WatchService newWatchService() {
    throw new UnsupportedOperationException("files of a server cannot be watched: list them again");
  }

  @Override
  public String toString() {
    return uriOf("/").toString();
  }
}
