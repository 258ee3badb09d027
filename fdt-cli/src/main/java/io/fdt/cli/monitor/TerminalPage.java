package io.fdt.cli.monitor;

import io.fdt.cli.output.Screen;
import io.fdt.cli.process.Daemon;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.PosixSysTerminal;
import org.jline.terminal.impl.jna.JnaTerminalProvider;
import org.jline.terminal.spi.Pty;
import org.jline.terminal.spi.SystemStream;
import org.jline.utils.AttributedString;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.NonBlockingReader;
import org.jline.utils.ShutdownHooks;

/**
 * The terminal of this process with a page on it. A thread of its own draws the page twice a second
 * and after each key, in the size that the window has then.
 *
 * <p>Keys arrive one by one without echo; Ctrl-C is a signal as before, Ctrl-Z does nothing. Any
 * thread may close it.
 */
final class TerminalPage implements Screen.Page {
  private static final long REDRAW_MILLIS = 500;
  private static final int DEFAULT_COLUMNS = 80;
  private static final int DEFAULT_ROWS = 24;

  /** Makes the page. */
  @FunctionalInterface
  interface Content {
    /** The lines for a window of this size. */
    List<AttributedString> lines(int columns, int rows);
  }

  /** Without JLine's shutdown hook: the command's own hook closes the page before it writes. */
  private static final class SystemTerminal extends PosixSysTerminal {
    SystemTerminal(String type, Pty pty) throws IOException {
      super("fdt", type, pty, StandardCharsets.UTF_8, false, SignalHandler.SIG_DFL);
      ShutdownHooks.remove(closer);
    }
  }

  private final Terminal terminal;
  private final Content content;
  private final IntConsumer keys;
  private final Consumer<Exception> failure;
  private final TerminalMode before;
  private final Display display;
  private int columns;
  private int rows;
  private volatile boolean closed;

  private TerminalPage(
      Terminal terminal,
      TerminalMode before,
      Content content,
      IntConsumer keys,
      Consumer<Exception> failure) {
    this.failure = failure;
    this.terminal = terminal;
    this.content = content;
    this.keys = keys;
    this.before = before;
    terminal.enterRawMode();
    Attributes raw = terminal.getAttributes();
    raw.setControlChar(Attributes.ControlChar.VSUSP, 0);
    terminal.setAttributes(raw);
    this.display = new Display(terminal, true);
    terminal.puts(Capability.enter_ca_mode);
    terminal.puts(Capability.cursor_invisible);
    terminal.flush();
  }

  /**
   * Covers the terminal at standard input and standard error.
   *
   * @param type as in TERM
   * @param content called on the thread of the page
   * @param keys called on the thread of the page with each character that is typed
   * @param failure called on the thread of the page when drawing fails, which ends the page
   * @throws IOException when the terminal cannot show a page
   */
  static TerminalPage open(
      String type, Content content, IntConsumer keys, Consumer<Exception> failure)
      throws IOException {
    TerminalMode before;
    Terminal terminal;
    try {
      before = TerminalMode.now();
      terminal = new SystemTerminal(type, new JnaTerminalProvider().current(SystemStream.Error));
    } catch (LinkageError e) {
      throw new IOException("native code cannot be loaded here: " + e.getMessage(), e);
    }
    if (terminal.getStringCapability(Capability.cursor_address) == null
        || terminal.getStringCapability(Capability.clear_screen) == null) {
      terminal.close();
      throw new IOException("a terminal of type '" + type + "' has no page");
    }
    try {
      TerminalPage page = new TerminalPage(terminal, before, content, keys, failure);
      Daemon.start("fdt-monitor", page::run);
      return page;
    } catch (RuntimeException | OutOfMemoryError e) { // the terminal may be raw already
      terminal.puts(Capability.cursor_normal);
      terminal.puts(Capability.exit_ca_mode);
      terminal.close();
      before.restore();
      throw new IOException("the page cannot be opened: " + e.getMessage(), e);
    }
  }

  private void run() {
    try {
      NonBlockingReader reader = terminal.reader();
      draw();
      while (!closed) {
        int key = reader.read(REDRAW_MILLIS);
        if (key >= 0) {
          keys.accept(key);
        } else if (key == NonBlockingReader.EOF) {
          return; // the terminal has gone: SIGHUP ends the command
        }
        draw();
      }
    } catch (IOException | RuntimeException e) {
      if (!closed) { // closing it is an error of whatever it does then
        failure.accept(e);
      }
    }
  }

  private void draw() {
    Size size = terminal.getSize();
    int nowColumns = size.getColumns() > 0 ? size.getColumns() : DEFAULT_COLUMNS;
    int nowRows = size.getRows() > 0 ? size.getRows() : DEFAULT_ROWS;
    List<AttributedString> lines = content.lines(nowColumns, nowRows); // not while others wait
    synchronized (this) {
      if (closed) {
        return;
      }
      if (columns != nowColumns || rows != nowRows) {
        columns = nowColumns;
        rows = nowRows;
        display.resize(rows, columns);
        display.clear();
      }
      display.update(lines, 0);
    }
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    terminal.puts(Capability.cursor_normal);
    terminal.puts(Capability.exit_ca_mode);
    terminal.flush();
    try {
      terminal.close();
    } catch (IOException e) {
      // The terminal is no longer needed.
    }
    before.restore();
  }
}
