package io.fdt.cli.process;

import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Gives the signals that end a process back to the kernel before the process gets another image.
 *
 * <p>A JVM catches them: its handler notes the signal, the thread "Signal Dispatcher" reads the
 * note, and a thread "SIGTERM handler" ends the process. An execv in between loses the signal. So
 * from {@link #release} on they end the process at once, unless they were ignored, and {@link
 * #areSettled} tells whether every signal that the JVM has caught before has ended the process.
 *
 * <p>Not thread-safe; the mask is that of the calling thread.
 */
final class ProcessSignals {
  private static final int[] ENDING = {1, 2, 15}; // SIGHUP, SIGINT, SIGTERM

  /** Larger than struct sigaction and sigset_t of any C library. */
  private static final int STRUCT_BYTES = 256;

  private static final int SIG_SETMASK = 2;
  private static final long SIG_IGN = 1;
  private static final Path TASKS = Path.of("/proc/self/task");

  /** Names of threads as the kernel keeps them, cut after 15 bytes. */
  private static final String DISPATCHER = "Signal Dispatch";

  private final NativeLibrary process = NativeLibrary.getProcess();
  private final Memory[] earlier = new Memory[ENDING.length];
  private final Memory earlierMask = cleared();

  /** Lets the kernel act on the signals that end a process; ignored ones stay ignored. */
  void release() {
    Memory byDefault = cleared();
    for (int i = 0; i < ENDING.length; i++) {
      Memory found = cleared();
      if (call("sigaction", ENDING[i], null, found) == 0 && found.getLong(0) != SIG_IGN) {
        call("sigaction", ENDING[i], byDefault, null);
        earlier[i] = found;
      }
    }
  }

  /**
   * Whether no thread handles a signal that the JVM has caught. When this stays false, the process
   * is ending.
   */
  boolean areSettled(int milliseconds) throws IOException {
    for (int waited = 0; waited < milliseconds; waited++) {
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
        // A new thread has the name of the one that made it until it gives itself another.
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

  /** Gives the calling thread the mask that the process was started with. */
  void restoreMask() throws IOException {
    // The first thread only waits for the others; the JVM has changed the masks of those.
    Path first = TASKS.resolve(Long.toString(ProcessHandle.current().pid()));
    Memory mask = cleared();
    mask.setLong(0, Long.parseUnsignedLong(field(status(first), "SigBlk:"), 16));
    call("pthread_sigmask", SIG_SETMASK, mask, earlierMask);
  }

  /** Undoes {@link #release} and {@link #restoreMask}, for a process that keeps its image. */
  void takeBack() {
    for (int i = 0; i < ENDING.length; i++) {
      if (earlier[i] != null) {
        call("sigaction", ENDING[i], earlier[i], null);
      }
    }
  }

  /** Gives the calling thread its mask back. */
  void takeBackMask() {
    call("pthread_sigmask", SIG_SETMASK, earlierMask, null);
  }

  private int call(String function, int first, Pointer changed, Pointer found) {
    return process.getFunction(function).invokeInt(new Object[] {first, changed, found});
  }

  /** What /proc says of a thread; nothing of one that has just ended. */
  private static String status(Path task) throws IOException {
    try {
      return new String(Files.readAllBytes(task.resolve("status")), StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      return "";
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

  private static Memory cleared() {
    Memory memory = new Memory(STRUCT_BYTES);
    memory.clear();
    return memory;
  }
}
