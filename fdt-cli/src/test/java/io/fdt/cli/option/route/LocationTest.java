package io.fdt.cli.option.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.PathStyle;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LocationTest {
  private static final int DEFAULT_PORT = 54321;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "fdt://h/a/b           | h         | 54321 | /a/b",
        "fdt://h:1/a/          | h         | 1     | /a/",
        "fdt://h               | h         | 54321 | /",
        "fdt://h:2             | h         | 2     | /",
        "fdt://h//a            | h         | 54321 | //a",
        "fdt://[::1]:3/x       | ::1       | 3     | /x",
        "fdt://[fe80::1%eth0]/ | fe80::1%eth0 | 54321 | /",
        "fdt://[fe80::1%25v1]:4/x | fe80::1%v1 | 4 | /x",
        "[fe80::1%25v1]:/x     | fe80::1%v1 | 54321 | /x",
        "fdt://h/a:b?c#d       | h         | 54321 | /a:b?c#d",
        "fdt://h/%2525%2f%41   | h         | 54321 | /%25/A",
        "h:/a                  | h         | 54321 | /a",
        "h:a/b                 | h         | 54321 | /a/b",
        "h:                    | h         | 54321 | /",
        "h:/a%20b              | h         | 54321 | /a%20b",
        "h:/a:b                | h         | 54321 | /a:b",
        "10.0.0.1:x            | 10.0.0.1  | 54321 | /x",
        "[::1]:/x              | ::1       | 54321 | /x",
        "[::1]:                | ::1       | 54321 | /",
        "h:46001:/a            | h         | 46001 | /a",
        "h:46001:              | h         | 46001 | /",
        "h:46001:a:b           | h         | 46001 | /a:b",
        "h:46001::a            | h         | 46001 | /a",
        "[::1]:46001:/x        | ::1       | 46001 | /x",
        "h:7/a                 | h         | 54321 | /7/a",
        "h:20260101/a          | h         | 54321 | /20260101/a",
        "h:/46001/a            | h         | 54321 | /46001/a"
      })
  void isOnAServer(String text, String host, int port, String path) throws UsageException {
    assertThat(Location.parse(text, DEFAULT_PORT))
        .isEqualTo(new Location.Remote(new ServerAddress(host, port), BytePath.of(path)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "u@h:/a            | u   | h   | -1 | /a",
        "u@h:a/b           | u   | h   | -1 | a/b",
        "u@h:              | u   | h   | -1 | ''",
        "u@h:~/a           | u   | h   | -1 | ~/a",
        "u@h:./~b          | u   | h   | -1 | ./~b",
        "u@[::1]:/a:b      | u   | ::1 | -1 | /a:b",
        "a@b@h:/x          | a@b | h   | -1 | /x",
        "u@h:22/a          | u   | h   | -1 | 22/a",
        "ssh://h/a         |     | h   | -1 | /a",
        "ssh://u@h:22/a%20 | u   | h   | 22 | '/a '",
        "ssh://[::1]:22/   |     | ::1 | 22 | /",
        "ssh://[fe80::1%25v1]/ | | fe80::1%v1 | -1 | /",
        "ssh://h           |     | h   | -1 | ''"
      })
  void isOneOfSsh(String text, String user, String host, int port, String path)
      throws UsageException {
    assertThat(Location.parse(text, DEFAULT_PORT)).isEqualTo(ssh(user, host, port, path));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "h:46001/a b   | h:46001:/a b   | h:/46001/a b",
        "h:46001       | h:46001:/      | h:/46001",
        "[::1]:22/     | [::1]:22:/     | [::1]:/22/"
      })
  void aNumberAfterTheHostIsAPortOrADirectory(String text, String port, String directory) {
    assertThatThrownBy(() -> Location.parse(text, DEFAULT_PORT))
        .isInstanceOf(UsageException.class)
        .hasMessage(
            "'%s': for a port write %s, for a directory of this name %s", text, port, directory);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "h               | h   | 54321 | /",
        "h:1             | h   | 1     | /",
        "h:              | h   | 54321 | /",
        "h:/a            | h   | 54321 | /a",
        "h:1:/a          | h   | 1     | /a",
        "[::1]:1:/       | ::1 | 1     | /",
        "fe80::          | fe80:: | 54321 | /",
        "FDT://h:1/a     | h   | 1     | /a"
      })
  void aServerMayBeWrittenAsALocation(String text, String host, int port, String path)
      throws UsageException {
    assertThat(Location.server(text, DEFAULT_PORT))
        .isEqualTo(new Location.Remote(new ServerAddress(host, port), BytePath.of(path)));
  }

  private static Location ssh(String user, String host, int port, String path) {
    return new Location.Ssh(
        new SshHost(
            Optional.ofNullable(user), host, port < 0 ? OptionalInt.empty() : OptionalInt.of(port)),
        BytePath.of(path));
  }

  @Test
  void aHostWithoutAUserMayBeOneOfSsh() throws UsageException {
    assertThat(Location.parse("h:a", DEFAULT_PORT, true)).isEqualTo(ssh(null, "h", -1, "a"));
    assertThat(Location.parse("fdt://h/a", DEFAULT_PORT, true)).isInstanceOf(Location.Remote.class);
    assertThat(Location.parse("./h:a", DEFAULT_PORT, true)).isInstanceOf(Location.Local.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "u@-oProxyCommand=x:/a",
        "-l@h:/a",
        "@h:/a",
        "u@:/a",
        "u@h;x:/a",
        "ssh://-x/a",
        "ssh://h:0/a",
        "ssh:///a",
        "u@h:~bob/a"
      })
  void isNoHostForSsh(String text) {
    assertThatThrownBy(() -> Location.parse(text, DEFAULT_PORT)).isInstanceOf(UsageException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a", "./a:b", "/a:b", "a/b:c", "a b", "[::1]", "[x]/y:z", "..", "-", "a%20b"})
  void isOnThisMachine(String text) throws UsageException {
    assertThat(Location.parse(text, DEFAULT_PORT)).isEqualTo(new Location.Local(BytePath.of(text)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "C:\\data              | /C:/data",
        "c:/data/x             | /c:/data/x",
        "C:\\                  | /C:/",
        "/C:/data              | /C:/data",
        "\\\\server\\share\\a  | //server/share/a",
        "\\\\?\\C:\\long       | /C:/long",
        "\\\\?\\UNC\\s\\share  | //s/share",
        "\\data                | /data",
        "data\\a:b             | data/a:b",
        ".\\h:a                | ./h:a",
        "..\\a                 | ../a"
      })
  void aPathOfWindowsIsOnThisMachineThere(String text, String path) throws UsageException {
    assertThat(Location.parse(text, DEFAULT_PORT, false, PathStyle.WINDOWS))
        .isEqualTo(new Location.Local(BytePath.of(path)));
    assertThat(Location.parse("hh:" + text, DEFAULT_PORT, false, PathStyle.WINDOWS))
        .isInstanceOf(Location.Remote.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"C:46001:/x | C | 46001 | /x", "hh:/x | hh | 54321 | /x", "hh:x | hh | 54321 | /x"})
  void aHostOfOneLetterNeedsItsPortOnWindows(String text, String host, int port, String path)
      throws UsageException {
    assertThat(Location.parse(text, DEFAULT_PORT, false, PathStyle.WINDOWS))
        .isEqualTo(new Location.Remote(new ServerAddress(host, port), BytePath.of(path)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"C:data", "C:", "c:46001"})
  void aPathThatDependsOnTheDirectoryOfADriveIsRefused(String text) {
    assertThatThrownBy(() -> Location.parse(text, DEFAULT_PORT, false, PathStyle.WINDOWS))
        .isInstanceOf(UsageException.class)
        .hasMessage(
            "'%s' is relative on its drive; write %s\\%s, or for a host %sPORT:/PATH",
            text, text.substring(0, 2), text.substring(2), text.substring(0, 2));
  }

  @Test
  void everyByteCanBeWrittenInAUri() throws UsageException {
    for (int b = 1; b < 256; b++) {
      String uri = String.format("fdt://h/x%%%02xy", b);

      Location.Remote location = (Location.Remote) Location.parse(uri, DEFAULT_PORT);

      assertThat(location.path().bytes()).isEqualTo(new byte[] {'/', 'x', (byte) b, 'y'});
    }
  }

  @Test
  void bytesThatAreNoTextStayInEveryForm() throws UsageException {
    byte[] expected = {'/', (byte) 0xFF};

    assertThat(((Location.Remote) Location.parse("h:\udcff", 1)).path().bytes())
        .isEqualTo(expected);
    assertThat(((Location.Remote) Location.parse("fdt://h/\udcff", 1)).path().bytes())
        .isEqualTo(expected);
    assertThat(((Location.Local) Location.parse("/\udcff", 1)).path().bytes()).isEqualTo(expected);
  }

  @Test
  void aFingerprintMayFollowThePath() throws Exception {
    String fingerprint = "SHA256:-_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSs";

    assertThat(Location.parse("fdt://h/a%3Fb?fingerprint=" + fingerprint, DEFAULT_PORT))
        .isEqualTo(
            new Location.Remote(
                new ServerAddress("h", DEFAULT_PORT),
                BytePath.of("/a?b"),
                Optional.of(fingerprint)));
    assertThatThrownBy(() -> Location.parse("fdt://h/a?fingerprint=x", DEFAULT_PORT))
        .hasMessageContaining("'x' is not a fingerprint");
  }
}
