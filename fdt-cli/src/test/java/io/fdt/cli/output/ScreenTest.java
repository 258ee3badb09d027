package io.fdt.cli.output;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.ByteText;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ScreenTest {
  private static final String ERASE = "\r\u001b[K";

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void resultsAndProblemsGoTheirOwnWaysInUtf8() {
    Screen screen = new Screen(out, err, false);

    screen.line("Größe");
    screen.problem("測定");
    screen.note("note");

    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("Größe\n");
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("fdt: 測定\nnote\n");
  }

  @Test
  void aLineIsOneLine() {
    Screen screen = new Screen(out, err, false);

    screen.line("a\nb");
    screen.problem("a\u001b[2Jb");
    screen.note("a\u001b[2Jb");

    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("a\\nb\n");
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("fdt: a\\u001b[2Jb\na\\u001b[2Jb\n");
  }

  @Test
  void linesAreBrokenBetweenWordsAtATerminal() {
    for (int columns = 1; columns < 100; columns++) {
      int width = columns;
      err.reset();
      Screen screen =
          new Screen(out, err, new Terminal(true, false, () -> width, System.in), false);
      String text = "'/data/run42' is a directory; add -r to remove it with 測定 that it holds";

      screen.problem(text);

      String shown = err.toString(UTF_8);
      assertThat(shown.strip().split("\\s+")).containsExactly(("fdt: " + text).split(" "));
      assertThat(shown.lines())
          .allSatisfy(
              line ->
                  assertThat(TerminalText.width(line) <= width || !line.strip().contains(" "))
                      .as(line)
                      .isTrue());
    }
  }

  @Test
  void aLineForProgramsIsNotBroken() {
    Screen screen = new Screen(out, err, new Terminal(true, false, () -> 10, System.in), false);

    screen.text("{\"event\": \"start\", \"x\": 1}");
    new Screen(out, err, false).problem("a message without a terminal");

    assertThat(out.toString(UTF_8)).isEqualTo("{\"event\": \"start\", \"x\": 1}\n");
    assertThat(err.toString(UTF_8)).isEqualTo("fdt: a message without a terminal\n");
  }

  @Test
  void aListForProgramsHasTheBytesOfNames() {
    Screen screen = new Screen(out, err, false);
    byte[] name = {'t', '\t', 0x1b, (byte) 0xff, (byte) 0xc3, (byte) 0xa9, '\n'};

    screen.listLine(ByteText.decode(Arrays.copyOf(name, name.length - 1)));

    assertThat(out.toByteArray()).isEqualTo(name);
  }

  @Test
  void aProblemPushesTheStatusDown() {
    Screen screen = new Screen(out, err, true);

    screen.status("50%");
    screen.problem("x");
    screen.endStatus();
    screen.status("too late");

    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualTo(ERASE + "50%" + ERASE + "fdt: x\n" + "50%" + ERASE);
  }

  /** It warns of each connection that is reset in the wrong moment, with a stack trace. */
  @Test
  void warningsOfTheNetworkLibraryAreForWhoAsksForDetails() {
    String pipeline = "io.netty.channel.DefaultChannelPipeline";
    Screen screen = new Screen(out, err, false);
    try (Logging logging = Logging.start(screen, 1)) {
      LoggerFactory.getLogger(pipeline).warn("reached at the tail of the pipeline");
      LoggerFactory.getLogger("io.fdt").warn("of our own");
      assertThat(logging.isStarted()).isTrue();
    }
    try (Logging logging = Logging.start(screen, 2)) {
      LoggerFactory.getLogger(pipeline).warn("in detail");
      assertThat(logging.isStarted()).isTrue();
    }
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("of our own")
        .contains("in detail")
        .doesNotContain("tail of the pipeline");
  }

  @Test
  void withoutATerminalThereIsNoStatus() {
    Screen screen = new Screen(out, err, false);

    screen.status("50%");
    screen.endStatus();

    assertThat(err.size()).isZero();
  }

  @Test
  void knowsWhenItsOutputIsLost() {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("No space left on device");
          }
        };
    Screen screen = new Screen(full, err, false);

    assertThat(screen.flush()).isTrue();
    screen.line("lost");
    assertThat(screen.flush()).isFalse();
  }

  @Test
  void logEventsReachTheScreenFromTheirLevelOn() {
    Logging warnings = Logging.start(new Screen(out, err, false), 0);
    LoggerFactory.getLogger("x").info("not told");
    LoggerFactory.getLogger("x").warn("told\n", new IllegalStateException("why"));
    assertThat(err.toString(StandardCharsets.UTF_8))
        .containsOnlyOnce("\n")
        .matches("\\S+Z WARN  told\\\\n: java.lang.IllegalStateException: why\n");

    warnings.close();

    err.reset();
    Logging details = Logging.start(new Screen(out, err, false), 2);
    LoggerFactory.getLogger("x").debug("told", new IllegalStateException("why"));
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("DEBUG told: java.lang.IllegalStateException: why\n")
        .contains("at io.fdt.cli.output.ScreenTest.logEventsReachTheScreenFromTheirLevelOn(");
    details.close();
  }

  @Test
  void commandsOfOneProcessDoNotSeeEachOthersLines() throws Exception {
    ByteArrayOutputStream other = new ByteArrayOutputStream();
    Logging details = Logging.start(new Screen(out, err, false), 2);
    Thread command =
        new Thread(
            () -> {
              Logging warnings = Logging.start(new Screen(other, other, false), 0);
              LoggerFactory.getLogger("x").info("not told");
              LoggerFactory.getLogger("x").warn("theirs");
              warnings.close();
            });
    command.start();
    command.join();
    Thread ofDetails = new Thread(() -> LoggerFactory.getLogger("x").debug("mine"));
    ofDetails.start();
    ofDetails.join();
    details.close();
    LoggerFactory.getLogger("x").warn("after the end");

    assertThat(other.toString(StandardCharsets.UTF_8)).matches("\\S+Z WARN  theirs\n");
    assertThat(err.toString(StandardCharsets.UTF_8)).matches("\\S+Z DEBUG mine\n");
  }

  @Test
  void theWidthOfTheEnvironmentIsChecked() {
    assertThat(Terminal.columnsOfEnvironment("132")).isEqualTo(132);
    assertThat(Terminal.columnsOfEnvironment(null)).isEqualTo(80);
    assertThat(Terminal.columnsOfEnvironment("wide")).isEqualTo(80);
    assertThat(Terminal.columnsOfEnvironment("0")).isEqualTo(80);
  }

  @Test
  void anAnswerIsOneLineAndTheEndOfTheInputIsNone() throws Exception {
    InputStream typed = new ByteArrayInputStream(" yes \n\n".getBytes(StandardCharsets.UTF_8));
    Screen screen = asking(typed);

    assertThat(screen.ask("sure? ")).contains("yes");
    assertThat(screen.ask("sure? ")).contains("");
    assertThat(screen.ask("sure? ")).isEmpty();

    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("sure? sure? sure? ");
  }

  /** Whoever ends the command at a question must not have to answer it first. */
  @Test
  void aQuestionCanBeEndedWithoutAnAnswer() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (PipedInputStream silent = new PipedInputStream(new PipedOutputStream())) {
      Screen screen = asking(silent);
      Future<Optional<String>> answer = threads.submit(() -> screen.ask("sure? "));
      while (err.size() == 0) {
        Thread.sleep(1);
      }
      Future<?> problem = threads.submit(() -> screen.problem("meanwhile"));
      screen.status("50%");

      screen.endQuestions();

      assertThat(answer.get(30, TimeUnit.SECONDS)).isEmpty();
      problem.get(30, TimeUnit.SECONDS);
      assertThat(screen.ask("and now? ")).isEmpty();
    } finally {
      threads.shutdownNow();
    }

    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("sure? \nfdt: meanwhile\n");
  }

  @Test
  void whatIsWrittenWhileAPageCoversTheTerminalFollows() throws IOException {
    Screen screen = new Screen(out, err, true);
    screen.status("50%");
    assertThat(screen.cover(() -> () -> err.writeBytes("<closed>".getBytes(UTF_8)))).isTrue();
    err.reset();

    screen.problem("a");
    screen.note("b");
    screen.status("60%");
    assertThat(screen.cover(() -> Assertions.fail("there is a page"))).isTrue();
    assertThat(err.size()).isZero();
    assertThat(screen.heldLines(1)).containsExactly("b");
    screen.endStatus();
    screen.endStatus();
    screen.note("c");

    assertThat(err.toString(UTF_8)).isEqualTo("<closed>fdt: a\nb\nc\n");
    assertThat(screen.cover(() -> Assertions.fail("it has ended"))).isFalse();
  }

  @Test
  void ofManyLinesTheLastFollowAPage() throws IOException {
    Screen screen = new Screen(out, err, true);
    assertThat(screen.cover(() -> () -> {})).isTrue();
    for (int i = 0; i < 3000; i++) {
      screen.note("line " + i);
    }
    screen.uncover();

    assertThat(err.toString(UTF_8).lines()).hasSize(1001);
    assertThat(err.toString(UTF_8)).startsWith("(2,000 earlier lines left out)\nline 2000\n");
  }

  @Test
  void aQuestionTakesThePageAway() throws IOException {
    Screen screen = asking(new ByteArrayInputStream("yes\n".getBytes(UTF_8)));
    assertThat(screen.cover(() -> () -> err.writeBytes("<closed>".getBytes(UTF_8)))).isTrue();
    screen.note("a");

    assertThat(screen.ask("sure? ")).contains("yes");

    assertThat(err.toString(UTF_8)).isEqualTo("<closed>a\nsure? ");
  }

  /** A screen at whose terminal this is typed. */
  private Screen asking(InputStream typed) {
    return new Screen(out, err, new Terminal(true, true, () -> 80, typed), false);
  }
}
