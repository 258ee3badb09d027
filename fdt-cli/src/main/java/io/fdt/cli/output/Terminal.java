package io.fdt.cli.output;

import com.sun.jna.Function;
import com.sun.jna.NativeLong;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** What is known of the terminal behind standard error. Any thread. */
final class Terminal {
  private static final int DEFAULT_COLUMNS = 80;
  private static final int STANDARD_ERROR = 2;

  /**
   * Linux on x86 and ARM: asks a terminal for its rows and columns (two shorts each, see
   * ioctl_tty(2)).
   */
  private static final long TIOCGWINSZ = 0x5413;

  private Terminal() {}

  /**
   * Whether standard error is a terminal that can redraw a line. The JVM's console is no answer: it
   * is about standard input and output, and since JDK 22 may exist without a terminal.
   */
  static boolean isStandardError() {
    if ("dumb".equals(System.getenv("TERM"))) {
      return false;
    }
    return isTerminal("/proc/self/fd/2");
  }

  private static boolean isTerminal(String descriptor) {
    try {
      String device = Files.readSymbolicLink(Path.of(descriptor)).toString();
      return device.startsWith("/dev/pts/")
          || device.startsWith("/dev/tty")
          || device.equals("/dev/console");
    } catch (IOException e) {
      return false; // no Linux: plain lines
    }
  }

  /** Whether a person can type at standard input. */
  static boolean isStandardInput() {
    return isTerminal("/proc/self/fd/0");
  }

  /** Whether standard output is a pipe or socket, which somebody reads, or has stopped to. */
  static boolean isStandardOutputPipe() {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
      return target.startsWith("pipe:") || target.startsWith("socket:");
    } catch (IOException e) {
      return false; // no Linux: what is lost is told
    }
  }

  /** Characters in a line now; the window may change at any time. */
  static int columns() {
    int columns = columnsOfWindow();
    return columns > 0 ? columns : columnsOfEnvironment(System.getenv("COLUMNS"));
  }

  static int columnsOfEnvironment(String value) {
    boolean number = value != null && value.matches("[1-9][0-9]{0,3}");
    return number ? Integer.parseInt(value) : DEFAULT_COLUMNS;
  }

  /** 0 when the operating system does not say. */
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
