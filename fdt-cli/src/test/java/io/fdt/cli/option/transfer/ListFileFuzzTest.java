package io.fdt.cli.option.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.core.model.ByteText;

/** Arbitrary bytes as a list of files, and as text. */
class ListFileFuzzTest {
  @FuzzTest
  void list(byte[] data) {
    try {
      assertThat(ListFile.parse("list", data, data.length % 2 == 0).size())
          .isLessThanOrEqualTo(data.length);
    } catch (UsageException e) {
      assertThat(e.getMessage()).matches("(?s)list (line|entry) .*");
    }
  }

  @FuzzTest
  void text(byte[] data) {
    assertThat(ByteText.encode(ByteText.decode(data))).isEqualTo(data);
  }
}
