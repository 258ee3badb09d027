package io.fdt.cli.output;

import com.sun.jna.Function;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The console of Windows at the standard streams, by kernel32. Without native code there is none.
 * Any thread.
 */
final class WindowsConsole {
  /** Has the console obey escape sequences. */
  private static final int ENABLE_VIRTUAL_TERMINAL_PROCESSING = 4;

  private static final int UTF_8 = 65001;

  // CONSOLE_SCREEN_BUFFER_INFO: shorts, of which these are the first and last column shown.
  private static final int INFO_LENGTH = 22;
  private static final int LEFT = 10;
  private static final int RIGHT = 14;

  private WindowsConsole() {}

  /**
   * Whether a standard stream is a console.
   *
   * @param descriptor 0 for input, 1 for output, 2 for errors
   */
  static boolean isAt(int descriptor) {
    try {
      return call("GetConsoleMode", handle(descriptor), new int[1]) != 0;
    } catch (LinkageError e) {
      return false;
    }
  }

  /**
   * Has the console at standard error show UTF-8 and obey escape sequences until the process ends.
   *
   * @return whether there is one that does
   */
  static boolean prepare() {
    if (!isAt(2)) {
      return false;
    }
    Pointer console = handle(2);
    int[] mode = new int[1];
    call("GetConsoleMode", console, mode);
    int before = call("GetConsoleOutputCP");
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  call("SetConsoleMode", console, mode[0]);
                  call("SetConsoleOutputCP", before);
                },
                "fdt-console"));
    return call("SetConsoleOutputCP", UTF_8) != 0
        && call("SetConsoleMode", console, mode[0] | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
  }

  /** The width of the window; 0 if it is unknown. */
  static int columns() {
    byte[] info = new byte[INFO_LENGTH];
    if (call("GetConsoleScreenBufferInfo", handle(2), info) == 0) {
      return 0;
    }
    ByteBuffer fields = ByteBuffer.wrap(info).order(ByteOrder.LITTLE_ENDIAN);
    return fields.getShort(RIGHT) - fields.getShort(LEFT) + 1;
  }

  private static Pointer handle(int descriptor) {
    return Function.getFunction("kernel32", "GetStdHandle")
        .invokePointer(new Object[] {-10 - descriptor});
  }

  private static int call(String name, Object... arguments) {
    return Function.getFunction("kernel32", name).invokeInt(arguments);
  }
}
