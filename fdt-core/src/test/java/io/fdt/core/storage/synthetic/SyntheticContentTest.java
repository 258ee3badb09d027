package io.fdt.core.storage.synthetic;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.FileName;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class SyntheticContentTest {
  private final SyntheticContent content = SyntheticContent.of(FileName.of("a"));

  @Test
  void bytesDoNotDependOnHowTheyAreCut() {
    ByteBuf whole = Unpooled.buffer();
    content.appendTo(whole, 200, 0);
    for (int offset = 0; offset < 20; offset++) {
      for (int length = 0; length < 40; length++) {
        ByteBuf part = Unpooled.buffer();
        content.appendTo(part, length, offset);
        assertThat(part).isEqualTo(whole.slice(offset, length));
      }
    }
  }

  @Test
  void oneWrongBitIsFoundWhereItIs() {
    for (int index = 0; index < 64; index++) {
      ByteBuf data = Unpooled.buffer();
      content.appendTo(data, 64, 1000);
      assertThat(content.firstDifference(data, 1000)).isEqualTo(-1);
      data.setByte(index, data.getByte(index) ^ 1);
      assertThat(content.firstDifference(data, 1000)).isEqualTo(1000 + index);
    }
  }

  @Test
  void dataOfAnotherOffsetOrAnotherFileIsFound() {
    ByteBuf data = Unpooled.buffer();
    content.appendTo(data, 4096, 8192);
    assertThat(content.firstDifference(data, 0)).isNotEqualTo(-1);
    assertThat(content.firstDifference(data, 8192L + (1L << 32))).isNotEqualTo(-1);
    assertThat(SyntheticContent.of(FileName.of("b")).firstDifference(data, 8192)).isNotEqualTo(-1);
  }
}
