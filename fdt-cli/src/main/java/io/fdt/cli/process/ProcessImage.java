package io.fdt.cli.process;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import io.fdt.core.model.ByteText;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;

/**
 * The program that this process runs.
 *
 * <p>The new image has the signal mask that the process was started with. No signal that ends a
 * process is lost: {@link ProcessSignals} says how.
 *
 * <p>execv is called by its name: to bind a method to it JNA would load 60 classes more and look
 * through their annotations, a fifth of the time that {@code -V} takes.
 */
public final class ProcessImage {
  private ProcessImage() {}

  /** For a JVM that is ending; longer than its end takes on a busy machine. */
  private static final int SETTLING_MILLISECONDS = 10_000;

  /**
   * Runs another program in this process, as execv(3) does: on success this does not return.
   *
   * @param program its absolute path
   * @param arguments with the program's own name first; bytes without NUL
   * @throws IOException if /proc cannot be read
   */
  public static void replace(String program, List<byte[]> arguments) throws IOException {
    ProcessSignals signals = new ProcessSignals();
    signals.release();
    try {
      if (signals.areSettled(SETTLING_MILLISECONDS)) {
        signals.restoreMask();
        execute(program, arguments);
        signals.takeBackMask();
      }
    } finally {
      signals.takeBack();
    }
  }

  /** The jar that this program is in; null outside of one. */
  public static Path jar() throws IOException, URISyntaxException {
    CodeSource source = ProcessImage.class.getProtectionDomain().getCodeSource();
    Path place = source == null ? null : Path.of(source.getLocation().toURI()).toRealPath();
    return place != null && Files.isRegularFile(place) ? place : null;
  }

  private static void execute(String program, List<byte[]> arguments) {
    int bytes = 0;
    for (byte[] argument : arguments) {
      bytes += argument.length + 1;
    }
    byte[] path = ByteText.encode(program);
    try (Memory table = new Memory((arguments.size() + 1L) * Native.POINTER_SIZE);
        Memory text = new Memory(bytes + path.length + 1L)) {
      int at = put(path, text, 0);
      for (int i = 0; i < arguments.size(); i++) {
        table.setPointer((long) i * Native.POINTER_SIZE, text.share(at));
        at = put(arguments.get(i), text, at);
      }
      table.setPointer((long) arguments.size() * Native.POINTER_SIZE, null);
      NativeLibrary.getProcess().getFunction("execv").invokeInt(new Object[] {text, table});
    }
  }

  private static int put(byte[] item, Memory text, int at) {
    text.write(at, item, 0, item.length);
    text.setByte(at + (long) item.length, (byte) 0);
    return at + item.length + 1;
  }
}
