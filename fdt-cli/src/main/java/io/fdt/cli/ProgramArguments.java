package io.fdt.cli;

import com.sun.jna.Function;
import com.sun.jna.Pointer;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.PathStyle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The arguments of this process as {@link ByteText}.
 *
 * <p>In the POSIX locale, or outside of Windows' code page, the JVM replaces characters. Linux
 * keeps them in /proc/self/cmdline, Windows in its own command line: the arguments are its last
 * items.
 */
final class ProgramArguments {
  private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");

  private ProgramArguments() {}

  /** The bytes of the arguments that {@code main} was given. */
  static List<String> of(String[] given) {
    boolean nothingToLose = true;
    for (String argument : given) {
      nothingToLose &= isAscii(argument) && argument.indexOf('?') < 0;
    }
    if (nothingToLose) {
      return List.of(given);
    }
    try {
      return match(
          given,
          BytePath.STYLE == PathStyle.WINDOWS
              ? commandLineOfWindows()
              : Files.readAllBytes(COMMAND_LINE));
    } catch (IOException | LinkageError e) {
      return List.of(given);
    }
  }

  /** In the form of /proc/self/cmdline. */
  private static byte[] commandLineOfWindows() {
    Pointer line = Function.getFunction("kernel32", "GetCommandLineW").invokePointer(new Object[0]);
    int[] count = new int[1];
    Pointer items =
        Function.getFunction("shell32", "CommandLineToArgvW")
            .invokePointer(new Object[] {line, count});
    return ByteText.encode(String.join("\0", items.getWideStringArray(0, count[0])) + "\0");
  }

  /**
   * The last items of a command line; {@code given} itself if the two do not match, as when the
   * launcher expanded an argument file.
   */
  static List<String> match(String[] given, byte[] commandLine) {
    List<byte[]> items = items(commandLine);
    if (items.size() <= given.length) {
      return List.of(given);
    }
    List<String> arguments = new ArrayList<>();
    for (int i = 0; i < given.length; i++) {
      String argument = ByteText.decode(items.get(items.size() - given.length + i));
      if (isAscii(argument) && !argument.equals(given[i])) {
        return List.of(given);
      }
      arguments.add(argument);
    }
    return List.copyOf(arguments);
  }

  /** The items of a command line, which end in NUL; none if the last one does not. */
  static List<byte[]> items(byte[] commandLine) {
    List<byte[]> items = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < commandLine.length; i++) {
      if (commandLine[i] == 0) {
        items.add(Arrays.copyOfRange(commandLine, start, i));
        start = i + 1;
      }
    }
    return start == commandLine.length ? items : List.of();
  }

  private static boolean isAscii(String text) {
    return text.chars().allMatch(c -> c < 0x80);
  }
}
