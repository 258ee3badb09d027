package io.fdt.cli.output.json;

import io.fdt.cli.output.OutputFile;
import io.fdt.core.error.FdtException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * The outcome of each file of a transfer, as JSON: written during the transfer by a thread of its
 * own. The file gets its name when it is complete.
 *
 * <p>{@link #add} may be called on any thread; it waits when the disk is far behind. All other
 * methods are for one thread.
 */
public final class ReportFile implements AutoCloseable {
  /** Lines that wait for the disk. Memory: about 300 bytes each. */
  private static final int MAX_WAITING = 4096;

  private static final String END = "";

  private final OutputFile file;
  private final BufferedWriter writer;
  private final BlockingQueue<String> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final Thread thread = new Thread(this::write, "fdt-report");
  private volatile IOException failure;
  private boolean ended;

  private ReportFile(OutputFile file) {
    this.file = file;
    this.writer = new BufferedWriter(new OutputStreamWriter(file.stream(), StandardCharsets.UTF_8));
  }

  /**
   * Begins a report.
   *
   * @param start the first event
   * @throws FdtException USAGE when nothing can be written there
   */
  public static ReportFile create(Path path, String start) throws FdtException {
    ReportFile report = new ReportFile(OutputFile.create("--report", path));
    report.thread.setDaemon(true);
    report.thread.start();
    report.add("{\"start\":" + start + ",\n\"files\":[");
    return report;
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
   * @param summary the summary of the transfer, a JSON object
   * @throws FdtException the report is missing or incomplete
   */
  public void finish(String summary) throws FdtException, InterruptedException {
    stop();
    writeOrFail("\n],\n\"summary\":" + summary + "}\n");
    try {
      writer.flush();
    } catch (IOException e) {
      failure = failure == null ? e : failure;
    }
    file.finish(failure);
  }

  private void stop() throws InterruptedException {
    if (!ended) {
      ended = true;
      waiting.put(END);
      thread.join();
    }
  }

  /** Removes an unfinished report. Idempotent. */
  @Override
  public void close() {
    try {
      stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    file.close();
  }
}
