package io.fdt.nio.server;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;

/** The export of a path on a server. Its space is unknown. */
public final class ServerFileStore extends FileStore {
  private final String name;
  private final boolean writable;

  /**
   * @param name the URI of the server
   */
  public ServerFileStore(String name, boolean writable) {
    this.name = name;
    this.writable = writable;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String type() {
    return FdtUri.SCHEME;
  }

  @Override
  public boolean isReadOnly() {
    return !writable;
  }

  private static UnsupportedOperationException unknown() {
    return new UnsupportedOperationException("the space of an FDT server is unknown");
  }

  @Override
  public long getTotalSpace() throws IOException {
    throw unknown();
  }

  @Override
  public long getUsableSpace() throws IOException {
    throw unknown();
  }

  @Override
  public long getUnallocatedSpace() throws IOException {
    throw unknown();
  }

  @Override
  public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
    return type == BasicFileAttributeView.class
        || type == PosixFileAttributeView.class
        || type == FileOwnerAttributeView.class;
  }

  @Override
  public boolean supportsFileAttributeView(String view) {
    return view.equals("basic") || view.equals("posix") || view.equals("owner");
  }

  @Override
  public <V extends FileStoreAttributeView> V getFileStoreAttributeView(Class<V> type) {
    return null;
  }

  @Override
  public Object getAttribute(String attribute) throws IOException {
    throw new UnsupportedOperationException("no attribute '" + attribute + "' of an export");
  }
}
