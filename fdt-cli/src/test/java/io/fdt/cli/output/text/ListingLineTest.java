package io.fdt.cli.output.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.RemoteFile;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Timestamp;
import java.util.Optional;
import org.junit.jupiter.api.Test;

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
    assertThat(ListingLine.detailed(file("a", EntryKind.FILE, 0640, ""), false, 6))
        .isEqualTo("-rw-r-----   1234 2026-11-21T12:57:00Z a");
    assertThat(ListingLine.detailed(file("l", EntryKind.SYMLINK, 0777, "to/x"), false, 4))
        .isEqualTo("lrwxrwxrwx 1234 2026-11-21T12:57:00Z l -> to/x");
  }

  @Test
  void specialBitsAreShownAsLsDoes() {
    assertThat(ListingLine.detailed(file("a", EntryKind.DIRECTORY, 07777, ""), false, 1))
        .startsWith("drwsrwsrwt ");
    assertThat(ListingLine.detailed(file("a", EntryKind.FILE, 07000, ""), false, 1))
        .startsWith("---S--S--T ");
    assertThat(
            ListingLine.detailed(
                new RemoteFile(
                    BytePath.of("fifo"), Optional.empty(), 0, 0600, TIME, BytePath.EMPTY),
                false,
                1))
        .startsWith("?rw------- 0 ");
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

    assertThat(ListingLine.detailed(file, false, 1)).contains("@9223372036854775807");
  }

  private static RemoteFile file(String name, EntryKind kind, int mode, String target) {
    return new RemoteFile(
        BytePath.of(name), Optional.of(kind), 1234, mode, TIME, BytePath.of(target));
  }
}
