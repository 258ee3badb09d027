package io.fdt.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.client.SourceListing;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A unit as text: what was written is read, and what is not whole is noticed. */
class UnitTextTest {
  private static final SourceListing.Directory DIRECTORY =
      new SourceListing.Directory(BytePath.of("/data/a"), BytePath.of("a"));

  private static byte[] sample() {
    UnitText unit = new UnitText();
    unit.add(DIRECTORY, FileName.of("x"), 7);
    unit.add(DIRECTORY, FileName.of(new byte[] {'\\', 'n', (byte) 0xff, '\n', '"'}), 0);
    unit.add(Operand.of(BytePath.of("/data/only")), 1);
    unit.add(new Operand(BytePath.of("/b"), Optional.of(BytePath.of("c/d"))), 2);
    return unit.end(5);
  }

  @Test
  void namesOfAnyBytesComeBack() throws FdtException {
    long seed = 42;
    Random random = new Random(seed);
    UnitText unit = new UnitText();
    List<Operand> expected = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      byte[] bytes = new byte[1 + random.nextInt(12)];
      for (int j = 0; j < bytes.length; j++) {
        do {
          bytes[j] = (byte) random.nextInt(256);
        } while (bytes[j] == 0 || bytes[j] == '/' || bytes[j] == '.');
      }
      unit.add(DIRECTORY, FileName.of(bytes), i);
      BytePath name = BytePath.of(bytes);
      expected.add(
          new Operand(
              BytePath.of("/data/a").resolve(name), Optional.of(BytePath.of("a").resolve(name))));
    }

    UnitText.Content read = UnitText.read(0, unit.end(0), "unit");

    assertThat(read.operands()).as("seed %d", seed).isEqualTo(expected);
    assertThat(read.bytes()).isEqualTo(1999L * 2000 / 2);
  }

  @Test
  void anOperandKeepsItsNewName() throws FdtException {
    List<Operand> operands = UnitText.read(5, sample(), "unit").operands();

    assertThat(operands).hasSize(4);
    assertThat(operands.get(2)).isEqualTo(Operand.of(BytePath.of("/data/only")));
    assertThat(operands.get(3))
        .isEqualTo(new Operand(BytePath.of("/b"), Optional.of(BytePath.of("c/d"))));
  }

  @Test
  void everyPrefixIsNoticed() {
    byte[] text = sample();
    for (int length = 0; length < text.length; length++) {
      assertDamaged(5, Arrays.copyOf(text, length));
    }
  }

  @Test
  void everyFlippedBitIsNoticedOrChangesNothing() throws FdtException {
    byte[] text = sample();
    UnitText.Content whole = UnitText.read(5, text, "unit");
    for (int bit = 0; bit < text.length * 8; bit++) {
      byte[] flipped = text.clone();
      flipped[bit / 8] ^= (byte) (1 << (bit % 8));
      try {
        // The letters of the last line's names have no checksum.
        assertThat(UnitText.read(5, flipped, "unit").operands()).isEqualTo(whole.operands());
      } catch (FdtException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.IO);
      }
    }
  }

  @Test
  void anotherUnitUnderTheNameIsNoticed() {
    assertDamaged(6, sample());
  }

  private static void assertDamaged(int number, byte[] text) {
    assertThatThrownBy(() -> UnitText.read(number, text, "units/000/000005.jsonl"))
        .isInstanceOf(FdtException.class)
        .hasMessageStartingWith("units/000/000005.jsonl is damaged (")
        .hasMessageEndingWith("plan again in another directory; what is copied stays unchanged");
  }
}
