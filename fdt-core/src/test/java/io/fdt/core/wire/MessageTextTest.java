package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MessageTextTest {
  @Test
  void aTextThatFitsStaysAsItIs() {
    String text = "x".repeat(MessageText.MAX_CHARS);
    assertThat(MessageText.fit(text)).isSameAs(text);
    assertThat(MessageText.fit("")).isEmpty();
  }

  @Test
  void aLongTextKeepsItsStartAndSaysThatItGoesOn() {
    assertThat(MessageText.fit("x".repeat(MessageText.MAX_CHARS + 1)))
        .hasSize(MessageText.MAX_CHARS)
        .endsWith("x...");
  }

  @Test
  void whatAPeerHasNotEscapedIsEscaped() {
    assertThat(MessageText.received("a\nb\u001b[2Jc\\n\u202e"))
        .isEqualTo("a\\nb\\u001b[2Jc\\n\\u202e");
    assertThat(MessageText.received("x".repeat(MessageText.MAX_CHARS + 1)))
        .hasSize(MessageText.MAX_CHARS);
  }

  @Test
  void noCharacterIsCutInTwo() {
    String smile = "\uD83D\uDE00";
    assertThat(MessageText.fit("x" + smile.repeat(MessageText.MAX_CHARS)))
        .endsWith(smile + "...")
        .hasSizeLessThanOrEqualTo(MessageText.MAX_CHARS);
    assertThat(MessageText.fit(smile.repeat(MessageText.MAX_CHARS))).endsWith(smile + "...");
  }
}
