package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One process that was started from the built jar; what it prints goes to two files. Any thread.
 */
public final class CommandProcess implements RunningCommand {
  private final Process process;
  private final Path out;
  private final Path err;
  private final long startNanos = System.nanoTime();

  private CommandProcess(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /** Starts it; {@code out} and {@code err} are files to make. */
  public static CommandProcess start(ProcessBuilder builder, Path out, Path err) {
    try {
      builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
      builder.redirectOutput(out.toFile()).redirectError(err.toFile());
      return new CommandProcess(builder.start(), out, err);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Outcome end(Duration deadline) {
    try {
      boolean ended = process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS);
      assertThat(ended).as("ended within %s; %s", deadline, this).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for " + this, e);
    }
    Duration elapsed = Duration.ofNanos(System.nanoTime() - startNanos);
    return new Outcome(process.exitValue(), out(), err(), elapsed);
  }

  /** The words of the program that the process runs now. */
  public List<String> commandLine() {
    try {
      Path line = Path.of("/proc", Long.toString(process.pid()), "cmdline");
      return List.of(Files.readString(line, StandardCharsets.ISO_8859_1).split("\0"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the kernel says of the process, by the name of a line in its status. */
  public String status(String line) {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    try (Stream<String> lines = Files.lines(status, StandardCharsets.ISO_8859_1)) {
      return lines.filter(l -> l.startsWith(line + ":")).findFirst().orElseThrow().split("\\s+")[1];
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether the process has this file in memory. */
  public boolean hasMapped(Path file) {
    Path maps = Path.of("/proc", Long.toString(process.pid()), "maps");
    try (Stream<String> lines = Files.lines(maps, StandardCharsets.ISO_8859_1)) {
      return lines.anyMatch(line -> line.endsWith(" " + file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The files of shared libraries that the process has in memory. */
  public Set<Path> mappedLibraries() {
    Path maps = Path.of("/proc", Long.toString(process.pid()), "maps");
    try (Stream<String> lines = Files.lines(maps, StandardCharsets.ISO_8859_1)) {
      return lines
          .filter(line -> line.endsWith(".so"))
          .map(line -> Path.of(line.substring(line.indexOf('/'))))
          .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void signal(String name) {
    List<String> kill = List.of("kill", "-" + name, Long.toString(process.pid()));
    try {
      Process sent = new ProcessBuilder(kill).inheritIO().start();
      assertThat(sent.waitFor()).as("%s", kill).isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public boolean isAlive() {
    return process.isAlive();
  }

  public long pid() {
    return process.pid();
  }

  @Override
  public void kill() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void stop() {
    kill();
  }

  @Override
  public String out() {
    return text(out);
  }

  @Override
  public String err() {
    return text(err);
  }

  private static String text(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return "process %d; out: %s; err: %s".formatted(process.pid(), out(), err());
  }
}
