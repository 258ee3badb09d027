package io.fdt.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.Main;
import io.fdt.cli.output.Screen;
import io.fdt.cli.run.ExitHooks;
import io.fdt.cli.run.Interruption;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What only a process of its own can show: arguments as bytes, and signals. */
@EnabledOnOs(OS.LINUX)
class ProcessTest {
  private static final long DEADLINE_SECONDS = 30;

  /**
   * A process that is interruptible until a signal comes; its argument is how it says that it was
   * interrupted.
   */
  static final class Interruptible {
    private Interruptible() {}

    public static void main(String[] arguments) throws InterruptedException {
      Screen screen = Screen.ofProcess();
      try (Interruption interruption =
          Interruption.arm(() -> screen.line(arguments[0]), ExitHooks.OF_PROCESS)) {
        screen.line("armed " + interruption.hasHappened());
        new CountDownLatch(1).await(DEADLINE_SECONDS, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void namesArriveAsBytesInThePosixLocale() throws Exception {
    Process process = start("C", Main.class, "ls", "$'\\xff\\xc3\\xbc?'");

    assertThat(errorOf(process)).startsWith("fdt: ls: '\\xffü?' is on this machine");
    assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(2);
  }

  @Test
  void aListWithAnyNameIsReadInThePosixLocale(@TempDir Path directory) throws Exception {
    String command = "cd " + directory + " && echo 'a / ../b' > $'\\xff\\xc3\\xbc' && exec ";
    Process process = startAfter(command, "C", Main.class, "-c", "h", "-fl", "$'\\xff\\xc3\\xbc'");

    assertThat(errorOf(process)).contains("ü line 1: name that leads elsewhere");
    assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aSignalRunsTheActionAndIsTheExitStatus() throws Exception {
    assertThat(statusAfter("INT")).isEqualTo(130);
    assertThat(statusAfter("TERM")).isEqualTo(143);
  }

  private static int statusAfter(String signal) throws Exception {
    Process process = start("C.UTF-8", Interruptible.class, "told");
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      assertThat(lines.readLine()).isEqualTo("armed false");
      Process kill =
          new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
              .inheritIO()
              .start();
      assertThat(kill.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(lines.readLine()).isEqualTo("told");
    }
    assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private static String errorOf(Process process) throws IOException {
    return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static Process start(String locale, Class<?> main, String... words) throws IOException {
    return startAfter("exec ", locale, main, words);
  }

  /**
   * Starts a JVM through a shell, which alone can make arguments of any bytes; the words are its
   * source text.
   */
  private static Process startAfter(String before, String locale, Class<?> main, String... words)
      throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    String command =
        before + "\"$0\" -cp \"$1\" '" + main.getName() + "' " + String.join(" ", words);
    // Whoever runs the tests in the background may have SIGINT ignored, which children inherit.
    ProcessBuilder builder =
        new ProcessBuilder("env", "--default-signal=INT", "bash", "-c", command, java, classPath);
    builder.environment().put("LC_ALL", locale);
    return builder.start();
  }
}
