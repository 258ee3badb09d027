package io.fdt.cli.output;

import io.fdt.client.RemoteFile;
import io.fdt.client.RemoteFiles;
import io.fdt.client.RemoteVisitor;
import io.fdt.core.error.ErrorCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Sorts the names of each directory of a tree, which arrives directory by directory. Memory: one
 * directory, 300 bytes for each name, of at most {@link RemoteFiles#MAX_NAMES}. Not thread-safe.
 */
public final class SortedTree implements RemoteVisitor {
  private static final Comparator<RemoteFile> BY_NAME =
      Comparator.comparing(file -> file.name().bytes(), Arrays::compareUnsigned);

  private final RemoteVisitor sink;
  private final List<RemoteFile> directory = new ArrayList<>();

  public SortedTree(RemoteVisitor sink) {
    this.sink = sink;
  }

  @Override
  public void file(RemoteFile file) {
    if (!directory.isEmpty() && !isBeside(directory.get(0), file)) {
      flush();
    }
    if (directory.size() >= RemoteFiles.MAX_NAMES) {
      throw new RemoteFiles.TooMany();
    }
    directory.add(file);
  }

  @Override
  public void problem(String path, ErrorCode code, String message) {
    flush();
    sink.problem(path, code, message);
  }

  /** The last directory is complete. */
  public void flush() {
    directory.sort(BY_NAME);
    directory.forEach(sink::file);
    directory.clear();
  }

  private static boolean isBeside(RemoteFile one, RemoteFile other) {
    byte[] first = one.name().bytes();
    byte[] second = other.name().bytes();
    int length = lengthOfParent(first);
    return length == lengthOfParent(second) && Arrays.equals(first, 0, length, second, 0, length);
  }

  private static int lengthOfParent(byte[] path) {
    int end = path.length;
    while (end > 0 && path[end - 1] != '/') {
      end--;
    }
    return end;
  }
}
