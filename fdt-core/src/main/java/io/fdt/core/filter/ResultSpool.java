package io.fdt.core.filter;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.PathText;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * The outcomes of the files of one transfer, kept in a temporary file until filters have seen them.
 * Confined to one thread at a time: that of the session, then that of the filters.
 */
public final class ResultSpool implements AutoCloseable {
  private final Path file;
  private final DataOutputStream out;
  private IOException failure;

  private ResultSpool(Path file) throws IOException {
    this.file = file;
    this.out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), 64 << 10));
  }

  static ResultSpool create() throws IOException {
    return new ResultSpool(Files.createTempFile("fdt-results-", ""));
  }

  /**
   * Adds a outcome.
   *
   * @param path for people, as {@link PathText#escape} writes it
   */
  public void add(
      FileResult.FileOutcome outcome, String path, long size, String digest, String message) {
    if (failure != null) {
      return;
    }
    try {
      out.writeUTF(outcome.name());
      write(PathText.unescape(path));
      out.writeLong(size);
      out.writeUTF(digest);
      out.writeUTF(message.length() > 1000 ? message.substring(0, 1000) : message);
    } catch (IOException e) {
      failure = e;
    }
  }

  private void write(byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /**
   * What was added, once all is.
   *
   * @throws IOException not all of it could be kept
   */
  Iterable<FileResult> results() throws IOException {
    out.close();
    if (failure != null) {
      throw failure;
    }
    return () -> {
      try {
        return new Results(
            new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 64 << 10)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }

  /** Closes its file at its end; one that is not walked through is closed with the process. */
  private static final class Results implements Iterator<FileResult> {
    private final DataInputStream in;
    private FileResult next;

    Results(DataInputStream in) {
      this.in = in;
      read();
    }

    private void read() {
      try {
        FileResult.FileOutcome outcome = FileResult.FileOutcome.valueOf(in.readUTF());
        BytePath path = BytePath.of(in.readNBytes(in.readInt()));
        next = new FileResult(outcome, path, in.readLong(), in.readUTF(), in.readUTF());
      } catch (EOFException e) {
        next = null;
        close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void close() {
      try {
        in.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public boolean hasNext() {
      return next != null;
    }

    @Override
    public FileResult next() {
      FileResult result = next;
      if (result == null) {
        throw new NoSuchElementException();
      }
      read();
      return result;
    }
  }

  /** Removes what nobody will want. */
  public void discard() {
    try {
      close();
    } catch (IOException e) {
      failure = e; // it stays where temporary files are removed
    }
  }

  /** Removes the file. Idempotent. */
  @Override
  public void close() throws IOException {
    out.close();
    Files.deleteIfExists(file);
  }
}
