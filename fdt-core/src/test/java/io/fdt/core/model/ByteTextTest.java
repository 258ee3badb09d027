package io.fdt.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteTextTest {
  @Test
  void everyStringOfOneAndTwoBytesComesBack() {
    for (int first = 0; first < 256; first++) {
      assertComesBack((byte) first);
      for (int second = 0; second < 256; second++) {
        assertComesBack((byte) first, (byte) second);
      }
    }
  }

  @Test
  void everyThreeBytesThatStartLikeACharacterComeBack() {
    for (int first = 0xC0; first < 256; first++) {
      for (int second = 0x70; second < 256; second++) {
        for (int third = 0x70; third < 256; third += 3) {
          assertComesBack((byte) first, (byte) second, (byte) third);
        }
      }
    }
  }

  @Test
  void randomStringsComeBack() {
    Random random = new Random(20261121);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(12)];
      random.nextBytes(bytes);
      assertComesBack(bytes);
    }
  }

  @Test
  void surrogatesThatSomebodyEncodedComeBack() {
    // CESU-8, overlong forms and characters beyond Unicode are no UTF-8
    assertComesBack(0xED, 0xB2, 0x80);
    assertComesBack(0xED, 0xA0, 0x80, 0xED, 0xB2, 0x80);
    assertComesBack(0xC0, 0xAF);
    assertComesBack(0xF4, 0x90, 0x80, 0x80);
    assertComesBack(0xF0, 0x9F, 0x92, 0xBE, 0x80);
    assertComesBack(0x80, 0xF0, 0x9F, 0x92, 0xBE);
    assertComesBack(0xF0, 0x9F, 0x92);
  }

  @Test
  void validTextIsItself() {
    String text = "Größe 測定 \ud83d\udcbe";

    assertThat(ByteText.decode(text.getBytes(StandardCharsets.UTF_8))).isEqualTo(text);
    assertThat(ByteText.encode(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aByteThatIsNoTextBecomesALoneSurrogate() {
    assertThat(ByteText.decode(bytes('a', 0xFF, 'b'))).isEqualTo("a\udcffb");
  }

  private static void assertComesBack(int... values) {
    assertComesBack(bytes(values));
  }

  private static void assertComesBack(byte... bytes) {
    assertThat(ByteText.encode(ByteText.decode(bytes))).isEqualTo(bytes);
  }

  private static byte[] bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }
}
