package io.fdt.cli.output;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * The outcome of each file of a transfer, as JSON: written as it becomes known, by a thread of its
 * own, and under its name only when it is complete.
 *
 * <p>{@link #add} may be called on any thread; it waits when the disk is far behind. The rest is
 * for one thread.
 */
public final class ReportFile implements AutoCloseable {
  /** Files that wait for the disk. Memory: about 300 bytes each. */
  private static final int MAX_WAITING = 4096;

  private static final String END = "";

  private final Path path;
  private final Path unfinished;
  private final BufferedWriter writer;
  private final BlockingQueue<String> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final Thread thread = new Thread(this::write, "fdt-report");
  private volatile IOException failure;
  private boolean ended;

  private ReportFile(Path path, Path unfinished, BufferedWriter writer) {
    this.path = path;
    this.unfinished = unfinished;
    this.writer = writer;
  }

  /**
   * Begins a report.
   *
   * @param start what was asked for, a JSON object
   * @throws FdtException USAGE when nothing can be written there
   */
  public static ReportFile create(Path path, String start) throws FdtException {
    if (path.toString().isEmpty() || Files.isDirectory(path)) {
      throw new FdtException(ErrorCode.USAGE, "--report '" + path + "': not a valid file name");
    }
    Path unfinished =
        path.resolveSibling(path.getFileName() + ".part-" + ProcessHandle.current().pid());
    try {
      ReportFile report =
          new ReportFile(
              path, unfinished, Files.newBufferedWriter(unfinished, StandardCharsets.UTF_8));
      report.thread.setDaemon(true);
      report.thread.start();
      report.add("{\"start\":" + start + ",\n\"files\":[");
      return report;
    } catch (IOException e) {
      throw new FdtException(ErrorCode.USAGE, "--report " + path + ": " + reason(e), e);
    }
  }

  private static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "the directory does not exist; make it, or choose another one";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied; choose another place";
    }
    return e instanceof FileSystemException f && f.getReason() != null
        ? f.getReason()
        : String.valueOf(e.getMessage());
  }

  /** Adds the outcome of one file, a JSON object. */
  public void add(String line) {
    try {
      waiting.put(line);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void write() {
    try {
      String separator = "";
      int lines = 0;
      for (String line = waiting.take(); !line.equals(END); line = waiting.take()) {
        if (failure == null) {
          separator = lines < 2 ? "\n" : ",\n";
          writeOrFail(lines == 0 ? line : separator + line);
          lines++;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void writeOrFail(String text) {
    try {
      writer.write(text);
    } catch (IOException e) {
      failure = e;
    }
  }

  /**
   * Writes the end, and gives the report its name.
   *
   * @param summary how the transfer ended, a JSON object
   * @throws FdtException it is not there, or not whole
   */
  public void finish(String summary) throws FdtException, InterruptedException {
    stop();
    writeOrFail("\n],\n\"summary\":" + summary + "}\n");
    try {
      writer.close();
      if (failure != null) {
        throw failure;
      }
      Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new FdtException(ErrorCode.IO, "--report " + path + ": " + reason(e), e);
    }
  }

  private void stop() throws InterruptedException {
    if (!ended) {
      ended = true;
      waiting.put(END);
      thread.join();
    }
  }

  /** Removes what did not become a report. Idempotent. */
  @Override
  public void close() {
    try {
      stop();
      writer.close();
      Files.deleteIfExists(unfinished);
    } catch (IOException e) {
      failure = e; // the report did not come about, which was told before
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
