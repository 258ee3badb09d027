package io.fdt.cli.process;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.fdt.core.model.ByteText;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Replaces the program of this process by another one (execv).
 *
 * <p>The new program has the signal mask that the process was started with, and no signal that ends
 * a process is lost. A JVM catches those: its handler notes the signal, the thread "Signal
 * Dispatcher" reads the note, and a thread "SIGTERM handler" ends the process. An execv in between
 * would lose it. So the default actions of these signals are restored first, and execv waits until
 * no thread handles a signal that the JVM has caught before.
 *
 * <p>Functions are called by name: to bind methods to them JNA would load 60 classes more and read
 * their annotations, a fifth of the time of {@code -V}.
 */
public final class ProcessImage {
  private static final int[] ENDING = {1, 2, 15}; // SIGHUP, SIGINT, SIGTERM
  private static final long SIG_IGN = 1;
  private static final int SIG_SETMASK = 2;

  /** Larger than struct sigaction and sigset_t of any C library. */
  private static final int STRUCT_BYTES = 256;

  /** Maximum wait for a JVM that is exiting: more than it needs on a busy machine. */
  private static final int SETTLING_MILLISECONDS = 10_000;

  private static final Path TASKS = Path.of("/proc/self/task");

  /** The name of the thread as the kernel keeps it, cut after 15 bytes. */
  private static final String DISPATCHER = "Signal Dispatch";

  private ProcessImage() {}

  /** The jar of this program; null if it runs from classes. */
  public static Path jar() throws IOException, URISyntaxException {
    CodeSource source = ProcessImage.class.getProtectionDomain().getCodeSource();
    Path place = source == null ? null : Path.of(source.getLocation().toURI()).toRealPath();
    return place != null && Files.isRegularFile(place) ? place : null;
  }

  /** Whether {@link #replace} works on this system: it needs /proc. */
  public static boolean canReplace() {
    return Files.isDirectory(TASKS);
  }

  /** The Java that runs this program. */
  public static String java() throws IOException {
    return canReplace()
        ? Files.readSymbolicLink(Path.of("/proc/self/exe")).toString()
        : Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /**
   * Runs another Java program in this process, as execv(3) does: on success this does not return.
   *
   * @param arguments the first is the name of the program; bytes without NUL
   * @throws IOException if /proc cannot be read
   */
  public static void replace(List<byte[]> arguments) throws IOException {
    String program = java();
    Memory[] handlers = new Memory[ENDING.length];
    for (int i = 0; i < ENDING.length; i++) {
      Memory found = cleared();
      if (call("sigaction", ENDING[i], null, found) == 0 && found.getLong(0) != SIG_IGN) {
        call("sigaction", ENDING[i], cleared(), null); // the default action
        handlers[i] = found;
      }
    }
    try {
      if (areSignalsHandled()) {
        // The first thread only waits for the others; the JVM has changed the masks of those.
        Path first = TASKS.resolve(Long.toString(ProcessHandle.current().pid()));
        Memory mask = cleared();
        mask.setLong(0, Long.parseUnsignedLong(field(status(first), "SigBlk:"), 16));
        Memory own = cleared();
        call("pthread_sigmask", SIG_SETMASK, mask, own);
        execute(program, arguments);
        call("pthread_sigmask", SIG_SETMASK, own, null);
      }
    } finally {
      for (int i = 0; i < ENDING.length; i++) {
        if (handlers[i] != null) {
          call("sigaction", ENDING[i], handlers[i], null);
        }
      }
    }
  }

  /** Waits until no thread handles a signal; false if the process is ending. */
  private static boolean areSignalsHandled() throws IOException {
    for (int waited = 0; waited < SETTLING_MILLISECONDS; waited++) {
      if (areAllThreadsQuiet()) {
        return true;
      }
      try {
        TimeUnit.MILLISECONDS.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return false;
  }

  private static boolean areAllThreadsQuiet() throws IOException {
    int dispatchers = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      for (Path task : tasks) {
        String status = status(task);
        String name = field(status, "Name:");
        // A new thread has the name of its creator until it sets its own: the dispatcher may be
        // creating one.
        if (name.equals(DISPATCHER)) {
          dispatchers++;
          if (!field(status, "State:").startsWith("S")) {
            return false;
          }
        } else if (name.startsWith("SIG") && name.endsWith(" handler")) {
          return false;
        }
      }
    }
    return dispatchers <= 1; // none with -Xrs
  }

  /** The status of a thread in /proc; empty if it has just ended. */
  private static String status(Path task) throws IOException {
    try {
      return new String(Files.readAllBytes(task.resolve("status")), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      // ESRCH: it ended between open and read.
      if (Files.exists(task)) {
        throw e;
      }
      return "";
    }
  }

  private static String field(String status, String name) {
    int at = status.indexOf(name);
    int end = at < 0 ? -1 : status.indexOf('\n', at);
    return end < 0 ? "" : status.substring(at + name.length(), end).strip();
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

  private static int call(String function, int first, Pointer changed, Pointer found) {
    return NativeLibrary.getProcess()
        .getFunction(function)
        .invokeInt(new Object[] {first, changed, found});
  }

  private static Memory cleared() {
    Memory memory = new Memory(STRUCT_BYTES);
    memory.clear();
    return memory;
  }
}
