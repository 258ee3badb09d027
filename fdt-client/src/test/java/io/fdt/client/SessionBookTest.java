package io.fdt.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionBookTest {
  private static final Instant NOW = Instant.parse("2026-11-23T10:00:00Z");

  @TempDir Path directory;

  private SessionBook book;

  @BeforeEach
  void open() {
    book = new SessionBook(directory.resolve("home"));
  }

  private static DetachedSession session(String start, Instant left) {
    return new DetachedSession(
        start + "0".repeat(32 - start.length()),
        left,
        "storage1",
        54321,
        true,
        Optional.of("SHA256:abc"),
        Optional.of(Path.of("/home/alice/a token")));
  }

  @Test
  void whatWasRememberedIsFoundByTheStartOfItsId() throws Exception {
    DetachedSession first = session("01234567", NOW);
    DetachedSession second =
        new DetachedSession(
            "f".repeat(32), NOW, "::1", 7, false, Optional.empty(), Optional.empty());
    book.add(first);
    book.add(second);

    assertThat(book.find("01234567", NOW)).contains(first);
    assertThat(book.find("FFFFFFFF", NOW)).contains(second);
    assertThat(book.find("00000000", NOW)).isEmpty();
    assertThat(book.all(NOW)).containsExactly(first, second);
  }

  @Test
  void onlyItsOwnerReadsTheFileAndNoSecretIsInIt() throws Exception {
    book.add(session("1", NOW));

    Path file = directory.resolve("home/sessions");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(Files.readString(file)).hasLineCount(1).doesNotContain("fdt_");
  }

  @Test
  void oldOnesAndTooManyAreForgotten() throws Exception {
    book.add(session("aaaaaaaa", NOW.minus(SessionBook.KEPT_FOR).minus(Duration.ofSeconds(1))));
    assertThat(book.all(NOW)).isEmpty();
    for (int i = 0; i < SessionBook.MOST + 3; i++) {
      book.add(session("%08x".formatted(i), NOW));
    }

    assertThat(book.all(NOW)).hasSize(SessionBook.MOST);
    assertThat(book.find("00000002", NOW)).isEmpty();
    assertThat(book.find("00000003", NOW)).isPresent();
    assertThat(Files.readString(directory.resolve("home/sessions"))).doesNotContain("aaaaaaaa");
  }

  @Test
  void anAmbiguousStartIsAnError() throws Exception {
    book.add(session("0123456700", NOW));
    book.add(session("0123456711", NOW));

    assertThat(catchThrowableOfType(FdtException.class, () -> book.find("01234567", NOW)).code())
        .isEqualTo(ErrorCode.USAGE);
    assertThat(book.find("0123456711", NOW)).isPresent();
  }

  @Test
  void linesThatMakeNoSenseAreAsIfTheyWereNotThere() throws Exception {
    book.add(session("1", NOW));
    Path file = directory.resolve("home/sessions");
    Files.writeString(file, Files.readString(file) + "\n\t\nid\tx\n" + "\t".repeat(6) + "\n");

    assertThat(book.all(NOW)).hasSize(1);
    book.add(session("2", NOW));
    assertThat(Files.readString(file)).hasLineCount(2);
  }
}
