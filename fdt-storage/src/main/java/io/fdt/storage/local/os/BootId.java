package io.fdt.storage.local.os;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Identifies the running system; changes with every boot. Random if the platform has none, so that
 * data from before this process is always verified.
 */
public final class BootId {
  public static final long HIGH;
  public static final long LOW;

  static {
    UUID id = read();
    HIGH = id.getMostSignificantBits();
    LOW = id.getLeastSignificantBits();
  }

  private BootId() {}

  private static UUID read() {
    try {
      byte[] text = Files.readAllBytes(Path.of("/proc/sys/kernel/random/boot_id"));
      return UUID.fromString(new String(text, StandardCharsets.US_ASCII).trim());
    } catch (IOException | IllegalArgumentException e) {
      return UUID.randomUUID();
    }
  }
}
