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
 * The outcomes of the files of one transfer, in a temporary file until the filters have run.
 * Confined to one thread at a time: the session's, then the filters'.
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
   * Adds an outcome.
   *
   * @param path as {@link PathText#escape} writes it
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
   * The outcomes, once all are added.
   *
   * @throws IOException some could not be kept
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

  /**
   * Closes the file at its end; an iterator that is not exhausted keeps it open until the process
   * ends.
   */
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

  /** Removes the file, ignoring failures. */
  public void discard() {
    try {
      close();
    } catch (IOException e) {
      failure = e; // the file remains in the directory of temporary files
    }
  }

  /** Removes the file. Idempotent. */
  @Override
  public void close() throws IOException {
    out.close();
    Files.deleteIfExists(file);
  }
}
