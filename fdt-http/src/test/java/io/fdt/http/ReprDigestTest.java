package io.fdt.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.http.HttpHeaders;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReprDigestTest {
  private static final int BLOCK = 1000;
  private static final byte[] CONTENT = Web.content(20 * BLOCK + 1, 1);

  private static ReprDigest of(byte[] content) throws Exception {
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
    String field = "sha-256=:" + Base64.getEncoder().encodeToString(hash) + ":";
    return ReprDigest.of(headers(field), "f", CONTENT.length);
  }

  private static HttpHeaders headers(String field) {
    return HttpHeaders.of(Map.of("Repr-Digest", List.of(field)), (name, value) -> true);
  }

  /** Adds all blocks in an order of its own; early ones are dropped in the middle. */
  private static int addAll(ReprDigest digest, int seed) throws FdtException {
    List<Integer> blocks = new ArrayList<>();
    for (int at = 0; at < CONTENT.length; at += BLOCK) {
      blocks.add(at);
    }
    Collections.shuffle(blocks, new Random(seed));
    int[] again = new int[1];
    for (int i = 0; i < blocks.size(); i++) {
      int at = blocks.get(i);
      ByteBuf block = Unpooled.buffer().writeByte(0); // a header before it
      block.writeBytes(CONTENT, at, Math.min(BLOCK, CONTENT.length - at));
      digest.add(
          block,
          block.readableBytes() - 1,
          at,
          (target, length, offset) -> {
            again[0] += length;
            target.writeBytes(CONTENT, (int) offset, length);
          });
      if (i == blocks.size() / 2) {
        digest.release();
      }
    }
    return again[0];
  }

  @Test
  void blocksInAnyOrderAreTheFile() throws Exception {
    int again = 0;
    for (int seed = 0; seed < 20; seed++) {
      again += addAll(of(CONTENT), seed);
    }
    assertThat(again).as("bytes read again, because they were dropped").isPositive();
  }

  @Test
  void otherBytesAreRefusedOnceAllHaveCome() throws Exception {
    byte[] other = Arrays.copyOf(CONTENT, CONTENT.length);
    other[5]++;
    for (int seed = 0; seed < 20; seed++) {
      ReprDigest digest = of(other);
      int order = seed;
      FdtException failure = catchThrowableOfType(FdtException.class, () -> addAll(digest, order));
      assertThat(failure.code()).isEqualTo(ErrorCode.VERIFICATION);
      ByteBuf none = Unpooled.EMPTY_BUFFER;
      assertThat(catchThrowableOfType(FdtException.class, () -> digest.add(none, 0, 0, null)))
          .as("a later read")
          .isSameAs(failure);
    }
  }

  @Test
  void whatIsNoDigestOfAKnownKindIsLeftOut() {
    for (String field :
        new String[] {
          "", "sha-256", "sha-256=:AAAA:", "sha-256=:%:", "id-sha-256=:AAAA:", "crc=:1:"
        }) {
      assertThat(ReprDigest.isIn(headers(field))).as(field).isFalse();
    }
    assertThat(ReprDigest.isIn(headers("x=:A:,  ADLER32=:AAAAAA==:;p=1"))).isTrue();
  }
}
