package io.fdt.cli.run.copy;

import io.fdt.cli.output.OutputFile;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.ByteText;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Optional;

/** Writes a list of digests, which gets its name when it is complete. Not thread-safe. */
final class SumsWriter implements AutoCloseable {
  /** The file of the list; null without a list. */
  private final OutputFile file;

  private final OutputStream out;
  private IOException failure;

  private SumsWriter(OutputFile file, OutputStream out) {
    this.file = file;
    this.out = out;
  }

  /**
   * Begins a list.
   *
   * @param path of the list; empty for none
   * @throws FdtException USAGE when nothing can be written there
   */
  static SumsWriter of(Optional<Path> path) throws FdtException {
    if (path.isEmpty()) {
      return new SumsWriter(null, OutputStream.nullOutputStream());
    }
    OutputFile file = OutputFile.create("--manifest", path.get());
    return new SumsWriter(file, new BufferedOutputStream(file.stream()));
  }

  /** Adds a line, without its end. */
  void line(String text) {
    try {
      out.write(ByteText.encode(text + "\n"));
    } catch (IOException e) {
      failed(e);
    }
  }

  private void failed(IOException e) {
    failure = failure == null ? e : failure;
  }

  /**
   * Gives the list its name.
   *
   * @throws FdtException the list is missing or incomplete
   */
  void finish() throws FdtException {
    try {
      out.flush();
    } catch (IOException e) {
      failed(e);
    }
    if (file != null) {
      file.finish(failure);
    }
  }

  /** Removes an unfinished list. Idempotent. */
  @Override
  public void close() {
    if (file != null) {
      file.close();
    }
  }
}
