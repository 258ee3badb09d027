package io.fdt.cli.output;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Standard output and standard error of one run of the command, in UTF-8 whatever the locale, with
 * at most one status line at the bottom of a terminal. Any thread; each line is written whole.
 */
public final class Screen {
  private static final String ERASE_LINE = "\r\u001b[K";

  private final PrintStream out;
  private final PrintStream err;
  private final boolean terminal;
  private String status = "";
  private boolean statusEnded;

  /**
   * A screen on two streams.
   *
   * @param terminal whether a person watches {@code err}
   */
  public Screen(OutputStream out, OutputStream err, boolean terminal) {
    this.out = new PrintStream(out, false, StandardCharsets.UTF_8);
    this.err = new PrintStream(err, false, StandardCharsets.UTF_8);
    this.terminal = terminal;
  }

  /** The screen of this process. */
  public static Screen ofProcess() {
    return new Screen(
        new FileOutputStream(FileDescriptor.out),
        new FileOutputStream(FileDescriptor.err),
        Terminal.isStandardError());
  }

  /** The same, with all that would go to standard output on standard error. */
  public Screen withoutOutput() {
    return new Screen(err, err, terminal);
  }

  /** Whether a person watches. */
  boolean isTerminal() {
    return terminal;
  }

  /** Whether there is somebody to ask. */
  public boolean canAsk() {
    return terminal && Terminal.isStandardInput();
  }

  /** Asks the person at the terminal; everything else that is to be written waits meanwhile. */
  public synchronized String ask(String question) {
    eraseStatus();
    for (String line : question.split("(?<=\n)")) {
      err.print(LineText.clean(line.stripTrailing()) + (line.endsWith("\n") ? "\n" : " "));
    }
    err.flush();
    StringBuilder answer = new StringBuilder();
    try {
      for (int c = System.in.read(); c >= 0 && c != '\n'; c = System.in.read()) {
        answer.append((char) c);
      }
    } catch (IOException e) {
      return "";
    }
    return answer.toString().strip();
  }

  /** Writes one line of result to standard output. */
  public void line(String text) {
    write(out, LineText.clean(text));
  }

  /** Writes text of several lines of our own to standard output. */
  public void text(String text) {
    write(out, text.stripTrailing());
  }

  /** Writes one line about what went wrong to standard error. */
  public void problem(String text) {
    write(err, "fdt: " + LineText.clean(text));
  }

  /** Writes one line that is no result to standard error. */
  public void note(String text) {
    write(err, LineText.clean(text));
  }

  /** Replaces the status line. */
  public synchronized void status(String text) {
    if (terminal && !statusEnded) {
      status = LineText.clean(text);
      err.print(ERASE_LINE + status);
      err.flush();
    }
  }

  /** Takes the status line away for good. */
  public synchronized void endStatus() {
    eraseStatus();
    status = "";
    statusEnded = true;
  }

  /** Flushes; false when something that was written to standard output did not get there. */
  public boolean flush() {
    err.flush();
    return !out.checkError();
  }

  private synchronized void write(PrintStream stream, String text) {
    eraseStatus();
    stream.print(text + "\n");
    stream.flush();
    if (!status.isEmpty()) {
      err.print(status);
      err.flush();
    }
  }

  private void eraseStatus() {
    if (!status.isEmpty()) {
      err.print(ERASE_LINE);
      err.flush();
    }
  }
}
