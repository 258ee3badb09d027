package io.fdt.cli.monitor;

import com.sun.jna.Function;
import java.io.IOException;

/**
 * The settings of the terminal at standard input, as termios(3) has them. JLine would lose the
 * settings that it does not know.
 */
final class TerminalMode {
  private static final int STANDARD_INPUT = 0;

  /** Changes the settings after all output has been written. */
  private static final int TCSADRAIN = 1;

  /** More than the size of struct termios in any C library on Linux, 60 bytes. */
  private static final int LENGTH = 256;

  private final byte[] settings;

  private TerminalMode(byte[] settings) {
    this.settings = settings;
  }

  /**
   * The settings now.
   *
   * @throws IOException standard input is not a terminal
   */
  static TerminalMode now() throws IOException {
    byte[] settings = new byte[LENGTH];
    int result =
        Function.getFunction("c", "tcgetattr").invokeInt(new Object[] {STANDARD_INPUT, settings});
    if (result != 0) {
      throw new IOException("standard input is no terminal");
    }
    return new TerminalMode(settings);
  }

  /** Restores the settings, if the terminal still exists. */
  void restore() {
    Function.getFunction("c", "tcsetattr")
        .invokeInt(new Object[] {STANDARD_INPUT, TCSADRAIN, settings});
  }
}
