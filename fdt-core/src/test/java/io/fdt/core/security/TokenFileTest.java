package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens on disk. */
class TokenFileTest {
  private static final Instant TIME = Instant.parse("2026-11-21T10:00:00Z");

  @TempDir Path directory;

  @Test
  void whatATokenAllowsIsKeptAndTheTokenIsNot() throws Exception {
    TokenFile file = file();
    Grant grant =
        new Grant(
            "alice@site",
            TIME,
            Optional.of(TIME.plusSeconds(60)),
            true,
            Set.of(FileName.of("data, = %"), FileName.of(new byte[] {(byte) 0xff, '+'})),
            List.of("192.0.2.0/24", "2001:db8::/32"),
            false,
            true,
            new RelayGrant(true, List.of("10.0.0.0/8"), 1_000_000, 1 << 30));

    String token = file.create(grant);

    assertThat(token).matches("fdt_[A-Za-z0-9_-]{43}");
    assertThat(file.list(new ArrayList<>())).hasSize(1);
    Grant read = file.list(new ArrayList<>()).get(0);
    assertThat(read.exports()).isEqualTo(grant.exports());
    assertThat(read.expires()).isEqualTo(grant.expires());
    assertThat(read.readOnly()).isTrue();
    assertThat(read.relay().allowed()).isTrue();
    assertThat(read.relay().to()).hasToString("[10.0.0.0/8]");
    assertThat(read.relay().bytesPerSecond()).isEqualTo(1_000_000);
    assertThat(read.relay().spoolBytes()).isEqualTo(1 << 30);
    assertThat(read.addresses()).hasToString("[192.0.2.0/24, 2001:db8::/32]");
    assertThat(text()).doesNotContain(token).contains(Tokens.hash(token));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(tokens())))
        .isEqualTo("rw-------");
  }

  @Test
  void namesAreUniqueUntilTheyAreRevoked() throws Exception {
    TokenFile file = file();
    file.create(Grant.unlimited("alice", TIME));
    file.create(Grant.unlimited("ali", TIME));

    assertThatThrownBy(() -> file.create(Grant.unlimited("alice", TIME)))
        .hasMessageContaining("there is a token 'alice' already");
    file.revoke("alice");
    assertThat(file.list(new ArrayList<>())).extracting(Grant::name).containsExactly("ali");
    assertThatThrownBy(() -> file.revoke("alice"))
        .extracting(e -> ((FdtException) e).code())
        .isEqualTo(ErrorCode.NOT_FOUND);
    file.create(Grant.unlimited("alice", TIME));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a\nb", "own:1", "a=b", "ü"})
  void otherNamesAreRefused(String name) {
    assertThatThrownBy(() -> file().create(Grant.unlimited(name, TIME)))
        .extracting(e -> ((FdtException) e).code())
        .isEqualTo(ErrorCode.USAGE);
  }

  /** What is not understood could be a limit. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "until=tomorrow",
        "access=rx",
        "expires=soon",
        "addresses=192.0.2.0/33",
        "exports=",
        "name=bob",
        "spool=0",
        "only-on-sundays"
      })
  void aLineThatIsNotUnderstoodLetsNobodyIn(String more) throws Exception {
    TokenFile file = file();
    file.create(Grant.unlimited("alice", TIME));
    Files.writeString(tokens(), text().strip() + " " + more + "\n");
    List<String> flaws = new ArrayList<>();

    assertThat(file.grants(flaws)).isEmpty();
    assertThat(flaws).singleElement().asString().contains("line 1 is ignored");
  }

  @Test
  void theOwnTokenIsMadeOnceAndAnotherOneIsAnotherGrant() throws Exception {
    TokenFile file = file();
    assertThat(file.ownTokenIfThere()).isEmpty();
    String own = file.ownToken();
    assertThat(file.ownToken()).isEqualTo(own);
    Grant before = file.grants(new ArrayList<>()).get(Tokens.hash(own));

    Files.delete(directory.resolve("fdt/token"));
    String next = file.ownToken();

    assertThat(next).isNotEqualTo(own);
    assertThat(file.grants(new ArrayList<>()).get(Tokens.hash(next))).isNotEqualTo(before);
    assertThat(file.list(new ArrayList<>())).isEmpty();
  }

  @Test
  void anEmptyTokenFileLetsNobodyIn() throws Exception {
    TokenFile file = file();
    file.ownToken();
    Files.writeString(directory.resolve("fdt/token"), "", StandardOpenOption.TRUNCATE_EXISTING);

    assertThat(file.grants(new ArrayList<>())).isEmpty();
  }

  private TokenFile file() {
    return new TokenFile(new HomeDirectory(directory.resolve("fdt")));
  }

  private Path tokens() {
    return directory.resolve("fdt/tokens");
  }

  private String text() throws Exception {
    return Files.readString(tokens());
  }
}
