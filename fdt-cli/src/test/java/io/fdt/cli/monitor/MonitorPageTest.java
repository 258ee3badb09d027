package io.fdt.cli.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.output.TerminalText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.jline.utils.AttributedString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is on the page of a monitor, in windows of any size. */
class MonitorPageTest {
  private static final String TITLE = "storage1:54321:/data/run42 to /scratch/run42";

  private static String page(MonitorState state, int width, int height, boolean unicode) {
    return MonitorPage.lines(state, width, height, false, unicode).stream()
        .map(line -> line.toString().stripTrailing() + "\n")
        .collect(Collectors.joining());
  }

  private static String golden(String name) throws IOException {
    try (InputStream in = MonitorPageTest.class.getResourceAsStream(name + ".txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aUsualTerminalShowsAll() throws IOException {
    assertThat(page(MonitorStates.of(4, TITLE), 80, 24, true)).isEqualTo(golden("80x24"));
  }

  @Test
  void aLargeTerminalShowsMoreStreamsAndMessages() throws IOException {
    MonitorState state = MonitorStates.of(64, TITLE, "one", "two \u001b[2J\n", "測定");
    assertThat(page(state, 200, 60, true)).isEqualTo(golden("200x60"));
  }

  @Test
  void aSmallTerminalShowsWhatMattersMost() {
    assertThat(page(MonitorStates.of(4, TITLE), 40, 10, false))
        .isEqualTo(
            """
            storage1:54321:/data/run42 to /sc.. 0:31
            [====>        ] 37% 57.2 MiB/s 0:45 left
            rate 57.2 MiB/s, mean 49.2 MiB/s, high..
             57.2 MiB/s |  ........:::::::||||||||##
            limited by the sender's TCP buffer for..
            errors 1; 1,536 blocks, 2 sent again; ..
                      processor   FDT   memory
            sender         35 %  12 %  210 MiB
            receiver       25 %  20 %  180 MiB
            q: end the transfer
            """);
    assertThat(page(MonitorStates.asking(MonitorStates.ofStart()), 24, 3, false))
        .isEqualTo(
            """
            h:1:/a to b         0:31
            [======>           ] 37%
            End the transfer? (y/n)
            """);
  }

  @Test
  void aNameOfWideCharactersTakesTwoColumnsForEach() {
    String page = page(MonitorStates.of(2, "h:1:/測定/測定測定/データ測定測定測定測定 to b"), 40, 3, false);
    assertThat(page.lines().findFirst()).contains("h:1:/測定/測定測定/データ測定測定.. 0:31");
    String odd = page(MonitorStates.of(2, "測定測定測定測定測定測定測定測定測定測定測定測定"), 39, 3, false);
    assertThat(odd.lines().findFirst()).contains("測定測定測定測定測定測定測定測定.. 0:31");
  }

  @Test
  void anOlderPeerSaysNothingOfItself() {
    assertThat(page(MonitorStates.ofOldPeer(), 80, 12, false))
        .contains(
            "limited by the sender's TCP buffer for 1:05\n",
            "errors 1; files 12 done, 3 unchanged; 1.50 GiB\n",
            "sender         30 %    -       -       -            -\n",
            "receiver       25 %    -       -       -            -\n");
    assertThat(page(MonitorStates.ofStart(), 80, 12, false))
        .contains("limited by: not known yet\n", "sender            -    - ");
  }

  @Test
  void everyWindowIsFilledAndNoLineIsWider() {
    List<MonitorState> states =
        List.of(
            MonitorStates.ofStart(),
            MonitorStates.ofOldPeer(),
            MonitorStates.of(4, TITLE, "a message"),
            MonitorStates.asking(MonitorStates.of(64, "測定\u001b[2J\r\n\t測定", "\u202e", "b\nb")));
    for (MonitorState state : states) {
      for (int width = 1; width <= 130; width++) {
        for (int height = 1; height <= 100; height += height < 40 ? 1 : 19) {
          List<AttributedString> lines = MonitorPage.lines(state, width, height, true, true);
          assertThat(lines).hasSize(height);
          for (AttributedString line : lines) {
            String text = line.toString();
            assertThat(TerminalText.width(text)).as(text).isLessThanOrEqualTo(width);
            assertThat(text).doesNotContainPattern("[\\p{Cntrl}\u202e]");
          }
        }
      }
    }
  }

  @Test
  void coloursAreThereOnlyWhereTheyAreWanted() {
    MonitorState state = MonitorStates.of(4, TITLE);
    assertThat(MonitorPage.lines(state, 80, 24, true, true))
        .anyMatch(line -> line.toAnsi().contains("\u001b["));
    assertThat(MonitorPage.lines(state, 80, 24, false, true))
        .noneMatch(line -> line.toAnsi().contains("\u001b["));
    assertThat(page(state, 80, 24, false)).matches("\\p{ASCII}*");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 9})
  void aTextIsCutToItsColumns(int columns) {
    for (String text : List.of("", "a", "測", "a測定b", "測定測定測定", "e\u0301\u0301abcdefgh")) {
      assertThat(TerminalText.width(TerminalText.cut(text, columns))).isLessThanOrEqualTo(columns);
      assertThat(TerminalText.width(TerminalText.left(text, columns))).isEqualTo(columns);
      assertThat(TerminalText.width(TerminalText.right(text, columns))).isEqualTo(columns);
    }
    assertThat(TerminalText.cut("測定測定", 7)).isEqualTo("測定..");
  }
}
