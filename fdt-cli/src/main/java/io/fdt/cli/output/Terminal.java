package io.fdt.cli.output;

import com.sun.jna.Function;
import com.sun.jna.NativeLong;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.PathStyle;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntSupplier;

/**
 * The terminal of a command. Any thread.
 *
 * @param isShown whether standard error is a terminal that can redraw a line
 * @param canType whether a person can type at standard input
 * @param width characters in a line; the window may change at any time
 * @param input standard input
 */
record Terminal(boolean isShown, boolean canType, IntSupplier width, InputStream input) {
  private static final int DEFAULT_COLUMNS = 80;
  private static final int STANDARD_ERROR = 2;
  private static final boolean IS_WINDOWS = BytePath.STYLE == PathStyle.WINDOWS;

  /**
   * Linux on x86 and ARM: asks a terminal for its rows and columns (two shorts each, see
   * ioctl_tty(2)).
   */
  private static final long TIOCGWINSZ = 0x5413;

  /**
   * The terminal of this process. System.console() refers to standard input and output, and since
   * JDK 22 may exist without a terminal.
   */
  static Terminal ofProcess() {
    boolean isShown =
        !"dumb".equals(System.getenv("TERM"))
            && (IS_WINDOWS ? WindowsConsole.prepare() : isTerminal(STANDARD_ERROR));
    return new Terminal(isShown, isShown && isTerminal(0), Terminal::columnsOfProcess, System.in);
  }

  /** A terminal of 80 columns without input. */
  static Terminal readOnly(boolean isShown) {
    return new Terminal(isShown, false, () -> DEFAULT_COLUMNS, InputStream.nullInputStream());
  }

  private static boolean isTerminal(int descriptor) {
    if (IS_WINDOWS) {
      return WindowsConsole.isAt(descriptor);
    }
    try {
      String device = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return device.startsWith("/dev/pts/")
          || device.startsWith("/dev/tty")
          || device.equals("/dev/console");
    } catch (IOException e) {
      return false; // no Linux: plain lines
    }
  }

  /** Whether standard output is a terminal, possibly another one than that of standard error. */
  static boolean isStandardOutputTerminal() {
    return isTerminal(1);
  }

  private static int columnsOfProcess() {
    int columns = IS_WINDOWS ? WindowsConsole.columns() : columnsOfWindow();
    return columns > 0 ? columns : columnsOfEnvironment(System.getenv("COLUMNS"));
  }

  static int columnsOfEnvironment(String value) {
    boolean number = value != null && value.matches("[1-9][0-9]{0,3}");
    return number ? Integer.parseInt(value) : DEFAULT_COLUMNS;
  }

  /** The width of the window; 0 if it is unknown. */
  private static int columnsOfWindow() {
    try {
      byte[] window = new byte[8];
      Function ioctl = Function.getFunction("c", "ioctl");
      int result =
          ioctl.invokeInt(new Object[] {STANDARD_ERROR, new NativeLong(TIOCGWINSZ), window});
      return result == 0 ? ByteBuffer.wrap(window).order(ByteOrder.nativeOrder()).getShort(2) : 0;
    } catch (LinkageError e) {
      return 0; // native code cannot be loaded here
    }
  }
}
