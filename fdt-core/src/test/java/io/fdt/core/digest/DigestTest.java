package io.fdt.core.digest;

import static org.assertj.core.api.Assertions.assertThat;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import io.fdt.core.model.Checksum;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.commons.codec.digest.Blake3;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The digests of files, against other programs and against the same bytes in another order. */
class DigestTest {
  private static final int[] SIZES = {
    0,
    1,
    63,
    64,
    65,
    1023,
    1024,
    1025,
    2048,
    3073,
    65_535,
    65_536,
    65_537,
    1 << 20,
    (1 << 20) + 1,
    3 << 20,
    (5 << 20) + 12_345
  };

  private static final HexFormat HEX = HexFormat.of();

  @TempDir Path directory;

  private static byte[] bytes(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  private static byte[] digest(Checksum checksum, int blockSize, byte[] content) {
    DigestMethod method = DigestMethod.of(checksum, blockSize);
    ByteBuf buffer = Unpooled.directBuffer(content.length + 7).writeZero(7).writeBytes(content);
    try {
      return new BlockHasher(method).whole(buffer, 7, content.length);
    } finally {
      buffer.release();
    }
  }

  /** The official test vectors: byte i of the input is i modulo 251. */
  @ParameterizedTest
  @CsvSource({
    "0, af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
    "1, 2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213",
    "1024, 42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7",
    "102400, bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085"
  })
  void blake3IsThatOfItsAuthors(int size, String expected) {
    byte[] input = new byte[size];
    for (int i = 0; i < size; i++) {
      input[i] = (byte) (i % 251);
    }
    assertThat(HEX.formatHex(digest(Checksum.BLAKE3, 1 << 20, input))).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(ints = {4 << 10, 64 << 10, 1 << 20, 16 << 20})
  void blake3IsTheSameWhateverTheBlocks(int blockSize) {
    for (int size : SIZES) {
      byte[] content = bytes(size);
      assertThat(digest(Checksum.BLAKE3, blockSize, content))
          .as("%d bytes", size)
          .isEqualTo(Blake3.hash(content));
    }
  }

  @ParameterizedTest
  @CsvSource({"65536, 64K", "1048576, 1M", "16777216, 1M"})
  void sha256IsThatOfSplitAndSha256sum(int blockSize, String chunk) throws Exception {
    for (int size : SIZES) {
      byte[] content = bytes(size);
      Path file = Files.write(directory.resolve("file"), content);
      String command =
          "split -b %s --filter=sha256sum '%s' | cut -c -64 | while read h; do printf \"$(echo $h | sed 's/../\\\\x&/g')\"; done | sha256sum | cut -c -64"
              .formatted(chunk, file);
      assertThat(HEX.formatHex(digest(Checksum.SHA256, blockSize, content)))
          .as("%d bytes", size)
          .isEqualTo(outputOf(command));
    }
  }

  private static String outputOf(String command) throws Exception {
    Process process = new ProcessBuilder("bash", "-c", command).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return output.strip();
  }

  @Test
  void xxh3IsThatOfTheHashesOfChunks() {
    assertThat(HEX.formatHex(digest(Checksum.XXH3, 1 << 20, new byte[0])))
        .as("XXH128 of nothing, by its author")
        .isEqualTo("99aa06d3014798d86001c324468d497f");
    for (int size : SIZES) {
      byte[] content = bytes(size);
      ByteBuf hashes = Unpooled.buffer();
      for (int at = 0; at < size; at += 1 << 20) {
        hashes.writeBytes(xxh128(Arrays.copyOfRange(content, at, Math.min(size, at + (1 << 20)))));
      }
      byte[] all = new byte[hashes.readableBytes()];
      hashes.readBytes(all);
      assertThat(digest(Checksum.XXH3, 1 << 20, content))
          .as("%d bytes", size)
          .isEqualTo(xxh128(all));
    }
  }

  private static byte[] xxh128(byte[] bytes) {
    HashValue128 hash = Hashing.xxh3_128().hashBytesTo128Bits(bytes);
    return HEX.parseHex(
        "%016x%016x".formatted(hash.getMostSignificantBits(), hash.getLeastSignificantBits()));
  }

  @Test
  void crc32cIsThatOfItsStandard() {
    assertThat(
            HEX.formatHex(
                digest(Checksum.CRC32C, 1 << 20, "123456789".getBytes(StandardCharsets.US_ASCII))))
        .isEqualTo("e3069283");
    assertThat(digest(Checksum.NONE, 1 << 20, new byte[9])).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"XXH3", "BLAKE3", "SHA256"})
  void blocksMayComeInAnyOrder(Checksum checksum) {
    int blockSize = 192 << 10;
    DigestMethod method = DigestMethod.of(checksum, blockSize);
    int block = method.alignedBlock(blockSize);
    assertThat(method.chunkSize()).isEqualTo(128 << 10);
    assertThat(block).isEqualTo(128 << 10);
    byte[] content = bytes((3 << 20) + 77);
    ByteBuf buffer = Unpooled.wrappedBuffer(content);
    BlockHasher hasher = new BlockHasher(method);
    List<Integer> offsets = new ArrayList<>();
    for (int at = 0; at < content.length; at += block) {
      offsets.add(at);
    }
    for (int seed = 0; seed < 20; seed++) {
      Collections.shuffle(offsets, new Random(seed));
      ChunkedDigest digest = new ChunkedDigest(method, content.length);
      for (int at : offsets) {
        assertThat(digest.isComplete()).isFalse();
        int length = Math.min(block, content.length - at);
        digest.add(at, hasher.chunks(buffer, at, length, at, content.length));
      }
      assertThat(digest.isComplete()).isTrue();
      assertThat(digest.value())
          .as("seed %d", seed)
          .isEqualTo(digest(checksum, blockSize, content));
    }
  }

  /** The hashes of a hole are those of its zeros, wherever it begins, in a last chunk too. */
  @ParameterizedTest
  @EnumSource(names = {"XXH3", "BLAKE3", "SHA256"})
  void aHoleNeedsNoMemory(Checksum checksum) {
    DigestMethod method = DigestMethod.of(checksum, 64 << 10);
    BlockHasher hasher = new BlockHasher(method);
    for (int chunks : new int[] {0, 1, 5}) {
      int offset = chunks << 16;
      for (int length : new int[] {1, 64 << 10, 128 << 10, (128 << 10) + 7}) {
        int size = offset + length;
        ByteBuf zeros = Unpooled.wrappedBuffer(new byte[length]);
        assertThat(hasher.zeros(length, offset, size))
            .as("%d+%d", offset, length)
            .isEqualTo(hasher.chunks(zeros, 0, length, offset, size));
      }
    }
  }

  @Test
  void constructionsHaveNamesThatSayHowToMakeThemAgain() {
    assertThat(DigestMethod.of(Checksum.SHA256, 16 << 20).construction()).isEqualTo("sha256-1MiB");
    assertThat(DigestMethod.of(Checksum.XXH3, 100_000).construction()).isEqualTo("xxh3-64KiB");
    assertThat(DigestMethod.of(Checksum.BLAKE3, 4096).construction()).isEqualTo("blake3");
    assertThat(DigestMethod.of(Checksum.CRC32C, 4096).construction()).isEqualTo("crc32c");
  }
}
