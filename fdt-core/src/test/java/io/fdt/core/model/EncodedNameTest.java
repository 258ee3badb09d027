package io.fdt.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EncodedNameTest {
  /** Parts of names for which characters and places matter. */
  private static final String[] PARTS = {
    "a",
    "con",
    "NUL",
    "com1",
    ".",
    " ",
    ":",
    "?",
    "*",
    "<",
    ">",
    "|",
    "\"",
    "\\",
    "\t",
    "\n",
    "\u201B",
    "\uFF1A",
    "\uFF0E",
    "\u2420",
    "\u2409",
    "\uFF43",
    "\uFF2E",
    "\u2400",
    "FE",
    "E4",
    "/",
    "\uD83D\uDE00",
    "\u00e4",
    "txt",
    "\u2028",
    "\u00b9",
    "CONIN$",
    "..",
    "\uFF0F"
  };

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '#',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "plain-ä中😀.txt!plain-ä中😀.txt",
        "10:00:05!10：00：05",
        "\"a\"*<b>?|\\!＂a＂＊＜b＞？｜＼",
        "tab\t!tab␉",
        "dot.!dot．",
        "...!..．",
        "blank !blank␠",
        "a.b c!a.b c",
        "con!ｃon",
        "Nul.txt!Ｎul.txt",
        "con:1!con：1",
        "lpt1 .x.!ｌpt1 .x．",
        "ｃon!‛ｃon",
        "‛ｃon!‛‛‛ｃon",
        "ｃone!ｃone",
        "a：b!a‛：b",
        "．a．!．a‛．",
        "‛FE!‛‛FE",
      })
  void aNameIsEncodedAndDecoded(String name, String encoded) {
    assertThat(EncodedName.encode(FileName.of(name))).contains(FileName.of(encoded));
    assertThat(EncodedName.decode(FileName.of(encoded))).contains(FileName.of(name));
  }

  @Test
  void bytesThatAreNoUtf8AreWrittenAsDigits() {
    FileName latin = FileName.of(new byte[] {'l', (byte) 0xE4, '.'});
    FileName encoded = FileName.of("l‛E4．");
    assertThat(EncodedName.encode(latin)).contains(encoded);
    assertThat(EncodedName.decode(encoded)).contains(latin);
    FileName surrogate = FileName.of(new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80});
    assertThat(EncodedName.encode(surrogate)).contains(FileName.of("‛ED‛A0‛80"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a:b", "con", "dot.", "a‛b", "a‛", "‛C3‛A4", "‛41", "‛e4", "‛2F", "‛00", "‛2E‛2E"})
  void aNameThatNoNameIsEncodedAsIsNotDecoded(String name) {
    assertThat(EncodedName.decode(FileName.of(name))).isEmpty();
  }

  @Test
  void anEncodedNameThatIsTooLongIsNone() {
    assertThat(EncodedName.encode(FileName.of(":".repeat(85)))).isPresent();
    assertThat(EncodedName.encode(FileName.of(":".repeat(86)))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {42, 43, 44, 45})
  void anyNameIsEncodedAsADifferentOneThatWindowsCanGiveAndComesBack(long seed) {
    Random random = new Random(seed);
    Set<FileName> names = new HashSet<>();
    Set<FileName> encoded = new HashSet<>();
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = i % 4 == 0 ? anyBytes(random) : parts(random);
      if (FileName.flawOf(bytes) != null || !names.add(FileName.of(bytes))) {
        continue;
      }
      FileName name = FileName.of(bytes);
      FileName one = EncodedName.encode(name).orElseThrow();
      String text = new String(one.bytes(), StandardCharsets.UTF_8);
      assertThat(text.getBytes(StandardCharsets.UTF_8)).as("%s", name).isEqualTo(one.bytes());
      assertThat(WindowsName.isPossible(text)).as("%s: %s", name, text).isTrue();
      assertThat(WindowsName.flaws(one)).as("%s: %s", name, text).isEmpty();
      assertThat(EncodedName.decode(one)).as("%s: %s", name, text).contains(name);
      assertThat(encoded.add(one)).isTrue();
      EncodedName.decode(name)
          .ifPresent(plain -> assertThat(EncodedName.encode(plain)).contains(name));
    }
    assertThat(names).hasSizeGreaterThan(10_000);
  }

  private static byte[] anyBytes(Random random) {
    byte[] bytes = new byte[1 + random.nextInt(8)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] parts(Random random) {
    StringBuilder name = new StringBuilder();
    for (int i = random.nextInt(5); i >= 0; i--) {
      name.append(PARTS[random.nextInt(PARTS.length)]);
    }
    return name.toString().getBytes(StandardCharsets.UTF_8);
  }
}
