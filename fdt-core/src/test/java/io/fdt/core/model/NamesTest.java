package io.fdt.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link FileName}, {@link BytePath} and {@link PathText}: names are bytes. */
class NamesTest {
  @Test
  void everySingleByteButSlashNulAndDotIsAName() {
    for (int b = 1; b < 256; b++) {
      byte[] bytes = {(byte) b};
      if (b == '/' || b == '.') {
        assertThat(FileName.flawOf(bytes)).isNotNull();
      } else {
        assertThat(FileName.of(bytes).bytes()).as("byte %d", b).isEqualTo(bytes);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', empty name: ''",
    "., name that leads elsewhere: '.'",
    ".., name that leads elsewhere: '..'",
    "a/b, name with a slash: 'a/b'",
    "/, name with a slash: '/'",
    "../x, name with a slash: '../x'"
  })
  void namesThatCouldLeadElsewhereAreRefused(String text, String message) {
    assertThatThrownBy(() -> FileName.of(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void nulIsRefusedAnywhereInNamesAndPaths() {
    for (String text : new String[] {"\0", "\0a", "a\0", "a\0b"}) {
      assertThatThrownBy(() -> FileName.of(text)).hasMessageContaining("NUL");
      assertThatThrownBy(() -> BytePath.of(text))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("NUL");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"...", ".a", "..a", "a..", " ", "-rf", "a\nb", "~", "C:\\x", "ä"})
  void strangeNamesAreNames(String text) {
    assertThat(FileName.of(text).bytes()).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void namesHaveAtMost255Bytes() {
    assertThat(FileName.of("x".repeat(255)).length()).isEqualTo(255);
    assertThatThrownBy(() -> FileName.of("x".repeat(256)))
        .hasMessageContaining("name of 256 bytes (at most 255)");
    assertThatThrownBy(() -> FileName.of("ä".repeat(128))).hasMessageContaining("256 bytes");
  }

  @Test
  void namesAndPathsDoNotChangeWithTheArraysThatTheyCameFromOrGave() {
    byte[] bytes = {'a', 'b'};
    FileName name = FileName.of(bytes);
    BytePath path = BytePath.of(bytes);
    bytes[0] = '/';
    name.bytes()[1] = '/';
    path.bytes()[1] = 0;
    assertThat(name).isEqualTo(FileName.of("ab")).hasSameHashCodeAs(FileName.of("ab"));
    assertThat(path).isEqualTo(BytePath.of("ab")).hasSameHashCodeAs(BytePath.of("ab"));
  }

  @Test
  void namesAreOrderedByUnsignedBytes() {
    assertThat(FileName.of("a")).isLessThan(FileName.of("b"));
    assertThat(FileName.of("a")).isLessThan(FileName.of("aa"));
    assertThat(FileName.of("z")).isLessThan(FileName.of(new byte[] {(byte) 0x80}));
  }

  @Test
  void copyToPutsTheBytesWhereTheyBelong() {
    byte[] target = new byte[5];
    FileName.of("abc").copyTo(target, 1);
    assertThat(target).containsExactly(0, 'a', 'b', 'c', 0);
  }

  @ParameterizedTest
  @CsvSource({
    "a, b, a/b",
    "a/, b, a/b",
    "/, b, /b",
    "'', b, b",
    "a, '', a",
    "'', '', ''",
    "a, /b, /b",
    "a/b, c/d, a/b/c/d"
  })
  void pathsResolveWithOneSlashBetween(String base, String other, String joined) {
    assertThat(BytePath.of(base).resolve(BytePath.of(other))).isEqualTo(BytePath.of(joined));
  }

  @Test
  void componentsComeWithoutEmptyOnesAndDots() {
    assertThat(BytePath.of("//a/./b//c/").names())
        .containsExactly(FileName.of("a"), FileName.of("b"), FileName.of("c"));
    assertThat(BytePath.of("/").names()).isEmpty();
    assertThat(BytePath.of("./.").names()).isEmpty();
    assertThat(BytePath.EMPTY.names()).isEmpty();
    assertThat(BytePath.of(".../..a").names())
        .containsExactly(FileName.of("..."), FileName.of("..a"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", "../a", "a/..", "a/../b", "/.."})
  void componentsThatLeadUpAreRefused(String path) {
    assertThatThrownBy(() -> BytePath.of(path).names())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("leads elsewhere");
  }

  @Test
  void pathsKnowTheirSlashes() {
    assertThat(BytePath.of("/a").isAbsolute()).isTrue();
    assertThat(BytePath.of("a/").isAbsolute()).isFalse();
    assertThat(BytePath.of("a/").endsWithSlash()).isTrue();
    assertThat(BytePath.of("/a").endsWithSlash()).isFalse();
    assertThat(BytePath.EMPTY.isAbsolute()).isFalse();
    assertThat(BytePath.EMPTY.endsWithSlash()).isFalse();
    assertThat(BytePath.of(Path.of("/x/y")).length()).isEqualTo(4);
  }

  @Test
  void textIsShownAsItIsAndEverythingElseEscaped() {
    assertThat(BytePath.of("größe 日本 😀")).hasToString("größe 日本 😀");
    assertThat(FileName.of("a\nb\rc\td\\e")).hasToString("a\\nb\\rc\\td\\\\e");
    assertThat(FileName.of("\u001b[2J\u007f")).hasToString("\\u001b[2J\\u007f");
    assertThat(FileName.of("abc\u202egpj.exe\u2066")).hasToString("abc\\u202egpj.exe\\u2066");
    assertThat(FileName.of(new byte[] {'a', (byte) 0xFF, (byte) 0xC3, 'b'}))
        .hasToString("a\\xff\\xc3b");
  }

  @Test
  void invalidUtf8AtTheEndIsEscapedToo() {
    assertThat(PathText.escape(new byte[] {'a', (byte) 0xE2, (byte) 0x82})).startsWith("a\\xe2");
    assertThat(PathText.escape(new byte[] {(byte) 0xC3})).isEqualTo("\\xc3");
    assertThat(PathText.escape(new byte[0])).isEmpty();
  }

  @Test
  void differentBytesNeverLookTheSame() {
    long seed = 99;
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = new byte[random.nextInt(6)];
      random.nextBytes(bytes);
      String text = PathText.escape(bytes);
      assertThat(unescape(text)).as("seed %d round %d", seed, round).isEqualTo(bytes);
      assertThat(text.chars()).noneMatch(Character::isISOControl);
    }
  }

  private static byte[] unescape(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < text.length(); ) {
      if (text.charAt(i) != '\\') {
        int codePoint = text.codePointAt(i);
        bytes.writeBytes(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8));
        i += Character.charCount(codePoint);
        continue;
      }
      char kind = text.charAt(i + 1);
      int digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 0;
      String hex = text.substring(i + 2, i + 2 + digits);
      switch (kind) {
        case 'x' -> bytes.write(Integer.parseInt(hex, 16));
        case 'u' ->
            bytes.writeBytes(
                Character.toString(Integer.parseInt(hex, 16)).getBytes(StandardCharsets.UTF_8));
        case 'n' -> bytes.write('\n');
        case 'r' -> bytes.write('\r');
        case 't' -> bytes.write('\t');
        default -> bytes.write(kind);
      }
      i += 2 + digits;
    }
    return bytes.toByteArray();
  }
}
