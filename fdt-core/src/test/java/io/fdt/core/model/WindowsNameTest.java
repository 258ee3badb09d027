package io.fdt.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WindowsNameTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "data.txt",
        ".hidden",
        "a b",
        "..a",
        "con1",
        "console",
        "nul-1.txt",
        "com",
        "com10",
        "LPT",
        "auxiliary",
        "x.con",
        "com\u2074",
        "\u00e4\u4e2d\ud83d\ude00",
        "a;b,c=d+e[f]"
      })
  void anOrdinaryNameIsKept(String name) {
    assertThat(WindowsName.isPossible(name)).isTrue();
    assertThat(WindowsName.flaws(FileName.of(name))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "a:b:c!x:x",
        "a?<:b!x?x x<x x:x",
        "tab\tx!x\tx",
        "dot.!x.",
        "a . !x ",
        "con!CON",
        "nul.tar.gz!NUL.x",
        "com\u00b9 .x.!x. COM\u00b9.x",
        "\u00e4:!x:x",
      })
  void eachReasonHasAShortNameWithNoOther(String name, String samples) {
    assertThat(
            WindowsName.flaws(FileName.of(name)).stream()
                .map(FileName::toString)
                .collect(Collectors.joining(" ")))
        .isEqualTo(samples.replace("\t", "\\t"));
  }

  @Test
  void bytesThatAreNoUtf8AreAFlawBesideOthers() {
    assertThat(WindowsName.flaws(FileName.of("l\u00e4:".getBytes(StandardCharsets.ISO_8859_1))))
        .containsExactly(FileName.of(new byte[] {'x', (byte) 0xFF}), FileName.of("x:x"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "con",
        "CON",
        "Nul.txt",
        "aux.tar.gz",
        "prn.",
        "nul .txt",
        "com1",
        "COM\u00b9",
        "lpt9.log",
        "com0",
        "conin$",
        "CONOUT$.x",
        "con.\u2028x"
      })
  void aDeviceIsRefusedWhateverItsCaseAndExtension(String name) {
    assertThat(WindowsName.isPossible(name)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a:b",
        "C:",
        "file:stream",
        "a\\b",
        "a*",
        "a?",
        "a<",
        "a>",
        "a|b",
        "a\"b",
        "a\tb",
        "a\u001f",
        "dot.",
        "blank ",
        "...",
        " "
      })
  void aNameThatWindowsReadsAsAnotherIsRefused(String name) {
    assertThat(WindowsName.isPossible(name)).isFalse();
  }
}
