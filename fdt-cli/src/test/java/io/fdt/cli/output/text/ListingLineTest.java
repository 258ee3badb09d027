package io.fdt.cli.output.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.output.FilesView;
import io.fdt.client.RemoteFile;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Timestamp;
import io.fdt.core.unit.NumberText;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListingLineTest {
  private static final Timestamp TIME = new Timestamp(1_795_265_820L, 5);

  @Test
  void namesAloneAreEscapedAndDirectoriesEndInASlash() {
    assertThat(ListingLine.name(file("a\nb", EntryKind.FILE, 0644, ""))).isEqualTo("a\\nb");
    assertThat(ListingLine.name(file("d", EntryKind.DIRECTORY, 0755, ""))).isEqualTo("d/");
    assertThat(ListingLine.name(file("l", EntryKind.SYMLINK, 0777, "t"))).isEqualTo("l");
    assertThat(
            ListingLine.name(
                new RemoteFile(
                    BytePath.of(new byte[] {(byte) 0xFF}),
                    Optional.empty(),
                    0,
                    0,
                    TIME,
                    BytePath.EMPTY)))
        .isEqualTo("\\xff");
  }

  @Test
  void detailsAreInColumns() {
    String time = NumberText.time(Instant.ofEpochSecond(1_795_265_820L), ZoneId.systemDefault());
    assertThat(ListingLine.cells(file("a", EntryKind.FILE, 0640, ""), false))
        .containsExactly("-rw-r-----", "1234", time, "a");
    assertThat(ListingLine.cells(file("l", EntryKind.SYMLINK, 0777, "to/x"), true))
        .containsExactly("lrwxrwxrwx", "1.21 KiB", time, "l -> to/x");
  }

  @Test
  void specialBitsAreShownAsLsDoes() {
    assertThat(ListingLine.cells(file("a", EntryKind.DIRECTORY, 07777, ""), false))
        .contains("drwsrwsrwt");
    assertThat(ListingLine.cells(file("a", EntryKind.FILE, 07000, ""), false))
        .contains("---S--S--T");
  }

  @ParameterizedTest
  @CsvSource({"010600, p, fifo", "0140600, s, socket", "020600, c, device", "060600, b, device"})
  void aFifoASocketAndADeviceHaveTheLetterOfLs(String mode, String letter, String kind) {
    RemoteFile file =
        new RemoteFile(
            BytePath.of("x"), Optional.empty(), 0, Integer.parseInt(mode, 8), TIME, BytePath.EMPTY);

    assertThat(ListingLine.cells(file, false)).contains(letter + "rw-------", "0");
    assertThat(FilesView.kind(file)).isEqualTo(kind);
  }

  @Test
  void aTimeBeyondAllCalendarsIsANumber() {
    RemoteFile file =
        new RemoteFile(
            BytePath.of("a"),
            Optional.of(EntryKind.FILE),
            1,
            0600,
            new Timestamp(Long.MAX_VALUE, 0),
            BytePath.EMPTY);

    assertThat(ListingLine.cells(file, false)).contains("@9223372036854775807");
  }

  private static RemoteFile file(String name, EntryKind kind, int mode, String target) {
    return new RemoteFile(
        BytePath.of(name), Optional.of(kind), 1234, mode, TIME, BytePath.of(target));
  }
}
