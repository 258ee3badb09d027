package io.fdt.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
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
        "CONOUT$.x"
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
