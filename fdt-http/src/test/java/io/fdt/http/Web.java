package io.fdt.http;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.catalogue.Catalogue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A catalogue of a test: it waits only in a list. */
final class Web implements AutoCloseable {
  /** Bytes of a block of these tests. */
  static final int BLOCK = 1000;

  final List<Duration> waits = new ArrayList<>();
  final HttpCatalogue catalogue;

  Web(Map<String, String> environment) {
    this(environment, Duration.ofSeconds(30));
  }

  Web(Map<String, String> environment, Duration patience) {
    catalogue = new HttpCatalogue(new WebClient(environment, patience, waits::add));
  }

  /** Bytes that differ at each offset. */
  static byte[] content(int length, int seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  Catalogue.Item find(String url) throws FdtException {
    return catalogue.find(BytePath.of(url)).orElseThrow();
  }

  /** The bytes of a file, found and read in blocks. */
  byte[] read(String url) throws FdtException {
    return read(url, find(url));
  }

  /** The bytes of a file that was found before. */
  byte[] read(String url, Catalogue.Item item) throws FdtException {
    ByteBuf bytes = Unpooled.buffer();
    try (BlockReader reader = catalogue.open(BytePath.of(url), item)) {
      for (long at = 0; at < item.size(); at += BLOCK) {
        int expected = (int) Math.min(BLOCK, item.size() - at);
        if (reader.read(bytes, BLOCK, at) != expected) {
          throw new AssertionError("a short block at " + at);
        }
      }
    }
    byte[] all = new byte[bytes.readableBytes()];
    bytes.readBytes(all);
    return all;
  }

  @Override
  public void close() {
    catalogue.close();
  }
}
