package io.fdt.cli.output;

import io.fdt.cli.process.Daemon;
import io.fdt.cli.process.StandardOutput;
import io.fdt.core.error.Setting;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.LineText;
import io.fdt.core.unit.NumberText;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/**
 * Standard output and standard error of one run of the command, in UTF-8 whatever the locale, with
 * at most one status line at the bottom of a terminal. Any thread; each line is written whole.
 */
public final class Screen {
  private static final int HELP_COLUMNS = 80;
  private static final String ERASE_LINE = "\r\u001b[K";

  /** Maximum number of lines kept while a page is shown. Terminals keep no more. */
  private static final int MOST_HELD = 1000;

  /** Covers the terminal until it is closed. */
  public interface Page {
    /** Restores the terminal, and stops drawing. Idempotent, quick. */
    void close();
  }

  /**
   * A line for a page's end.
   *
   * @param isProse whether the line is broken between words
   */
  private record Held(PrintStream stream, String text, boolean isProse) {}

  private final PrintStream out;
  private final PrintStream err;
  private final Terminal terminal;
  private final boolean toPipe;
  private final boolean outIsTerminal;
  private final boolean outMayDriveTerminal;
  private String status = "";
  private boolean statusEnded;

  /** The page that covers the terminal; null for none. */
  private Page page;

  private final ArrayDeque<Held> held = new ArrayDeque<>();
  private long heldOut;

  /** Whether a question waits for its answer. */
  private boolean asking;

  private boolean questionsEnded;

  private Optional<String> answer = Optional.empty();

  /**
   * A screen on two streams.
   *
   * @param terminal whether a person watches {@code err}
   */
  public Screen(OutputStream out, OutputStream err, boolean terminal) {
    this(out, err, Terminal.readOnly(terminal), false);
  }

  Screen(OutputStream out, OutputStream err, Terminal terminal, boolean toPipe) {
    this.toPipe = toPipe;
    this.outMayDriveTerminal = Terminal.isStandardOutputTerminal();
    this.outIsTerminal = terminal.isShown() && outMayDriveTerminal;
    this.out = new PrintStream(out, false, StandardCharsets.UTF_8);
    this.err = new PrintStream(err, false, StandardCharsets.UTF_8);
    this.terminal = terminal;
  }

  /** The screen of this process. */
  public static Screen ofProcess() {
    return new Screen(
        new FileOutputStream(FileDescriptor.out),
        new FileOutputStream(FileDescriptor.err),
        Terminal.ofProcess(),
        StandardOutput.isPipe());
  }

  /** The same with standard error in place of standard output. */
  public Screen withoutOutput() {
    return new Screen(err, err, terminal, false);
  }

  /** Whether standard error is a terminal. */
  public boolean isTerminal() {
    return terminal.isShown();
  }

  /** Characters in a line of the terminal now. */
  public int columns() {
    return terminal.width().getAsInt();
  }

  /** Whether a person can answer. */
  public boolean canAsk() {
    return terminal.canType();
  }

  /**
   * Asks the person at the terminal; other output waits.
   *
   * @return empty if the input has ended, or {@link #endQuestions} was called
   */
  public synchronized Optional<String> ask(String question) {
    if (questionsEnded) {
      return Optional.empty();
    }
    uncover();
    eraseStatus();
    for (String line : question.split("(?<=\n)")) {
      String shown = wrapped(err, LineText.clean(line.stripTrailing()));
      err.print(shown + (line.endsWith("\n") ? "\n" : " "));
    }
    err.flush();
    answer = Optional.empty();
    asking = true;
    // A read cannot be interrupted; a wait for another thread can.
    Daemon.start("fdt-answer", () -> answered(readLine()));
    awaitAnswer();
    return answer;
  }

  /** Ends an unanswered question, and any later one, because the command ends. */
  public synchronized void endQuestions() {
    questionsEnded = true;
    if (asking) {
      err.print("\n");
      err.flush();
      answered(Optional.empty());
    }
  }

  private synchronized void answered(Optional<String> typed) {
    if (asking) {
      answer = typed;
      asking = false;
      notifyAll();
    }
  }

  private synchronized void awaitAnswer() {
    boolean wasInterrupted = false;
    while (asking) {
      try {
        wait();
      } catch (InterruptedException e) {
        wasInterrupted = true; // the person still thinks
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private Optional<String> readLine() {
    InputStream in = terminal.input();
    StringBuilder line = new StringBuilder();
    try {
      int c = in.read();
      if (c < 0) {
        return Optional.empty();
      }
      for (; c >= 0 && c != '\n'; c = in.read()) {
        line.append((char) c);
      }
      return Optional.of(line.toString().strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Writes one line of result to standard output. */
  public void line(String text) {
    write(out, LineText.clean(text), true);
  }

  /**
   * Writes one line of a list to standard output: names as raw bytes for other programs, escaped on
   * a terminal.
   */
  public void listLine(String text) {
    write(out, outMayDriveTerminal ? LineText.clean(text) : text, false);
  }

  /** Writes one line of tab-separated values, which need no escaping, to standard output. */
  public void values(String line) {
    write(out, line, false);
  }

  /** Writes several lines to standard output without escaping. */
  public void text(String text) {
    write(out, text.stripTrailing(), false);
  }

  /** Writes a help to standard output; on a narrow terminal, without breaking words. */
  public void help(String text) {
    text(outIsTerminal && columns() < HELP_COLUMNS ? TerminalText.narrow(text, columns()) : text);
  }

  /** Writes one line about an error to standard error. */
  public void problem(String text) {
    write(err, "fdt: " + LineText.clean(Setting.asOptions(text)), true);
  }

  /** Writes one line other than a result to standard error. */
  public void note(String text) {
    write(err, LineText.clean(Setting.asOptions(text)), true);
  }

  /** Replaces the status line. */
  public synchronized void status(String text) {
    if (terminal.isShown() && !statusEnded && !asking && page == null) {
      // A terminal that wraps when its last column is written keeps one free.
      status = TerminalText.cut(LineText.clean(text), columns() - 1);
      err.print(ERASE_LINE + status);
      err.flush();
    }
  }

  /**
   * Covers the terminal with a page until the status line ends or a question is asked. Later, the
   * last 1,000 lines for the terminal are written.
   *
   * @param opening opens the page, if it can
   * @return false without a page
   * @throws IOException of {@code opening}
   */
  public synchronized boolean cover(Opening opening) throws IOException {
    if (statusEnded || asking || questionsEnded || page != null) {
      return page != null;
    }
    eraseStatus();
    status = "";
    page = opening.open();
    return true;
  }

  /** Opens a page. */
  @FunctionalInterface
  public interface Opening {
    Page open() throws IOException;
  }

  /** The last lines that wait for the end of a page, the oldest first. */
  public synchronized List<String> heldLines(int most) {
    return held.stream().skip(Math.max(0, held.size() - most)).map(Held::text).toList();
  }

  /** Closes a page, and writes the lines that it has held back. */
  public synchronized void uncover() {
    if (page == null) {
      return;
    }
    page.close();
    page = null;
    if (heldOut > 0) {
      err.print("(" + NumberText.count(heldOut, "earlier line") + " left out)\n");
    }
    for (Held line : held) {
      line.stream.print((line.isProse ? wrapped(line.stream, line.text) : line.text) + "\n");
      line.stream.flush();
    }
    held.clear();
    heldOut = 0;
  }

  /** Removes the status line, or the page, permanently. */
  public synchronized void endStatus() {
    uncover();
    eraseStatus();
    status = "";
    statusEnded = true;
  }

  /** Allows a status line again, for another part of the command. */
  public synchronized void restartStatus() {
    statusEnded = false;
  }

  /** Flushes; false when a write to standard output has failed. */
  public boolean flush() {
    err.flush();
    return !out.checkError();
  }

  /** Whether output was lost because the reader of a pipe has closed it. */
  public boolean isReaderGone() {
    return toPipe && out.checkError();
  }

  private synchronized void write(PrintStream stream, String text, boolean isProse) {
    awaitAnswer();
    if (page != null && (stream == err || outIsTerminal)) {
      held.add(new Held(stream, text, isProse));
      if (held.size() > MOST_HELD) {
        held.remove();
        heldOut++;
      }
      return;
    }
    eraseStatus();
    byte[] line = ByteText.encode((isProse ? wrapped(stream, text) : text) + "\n");
    stream.write(line, 0, line.length);
    stream.flush();
    if (!status.isEmpty()) {
      err.print(status);
      err.flush();
    }
  }

  /** The text in as many lines as it takes at a terminal. */
  private String wrapped(PrintStream stream, String text) {
    boolean isShown = stream == err ? terminal.isShown() : outIsTerminal;
    return isShown ? String.join("\n", TerminalText.wrap(text, columns())) : text;
  }

  private void eraseStatus() {
    if (!status.isEmpty()) {
      err.print(ERASE_LINE);
      err.flush();
    }
  }
}
