package io.fdt.storage.portable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.FileName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WindowsNamesTest {
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
    assertThat(WindowsNames.POLICY.encode(FileName.of(name))).contains(FileName.of(name));
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
    assertThat(WindowsNames.POLICY.encode(FileName.of(name))).isEmpty();
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
    assertThat(WindowsNames.POLICY.encode(FileName.of(name))).isEmpty();
  }

  @Test
  void bytesThatAreNoTextAreRefused() {
    byte[] latin = {'a', (byte) 0xE4};
    byte[] halfOfAPair = {(byte) 0xED, (byte) 0xA0, (byte) 0x80};
    assertThat(WindowsNames.POLICY.encode(FileName.of(latin))).isEmpty();
    assertThat(WindowsNames.POLICY.encode(FileName.of(halfOfAPair))).isEmpty();
  }
}
