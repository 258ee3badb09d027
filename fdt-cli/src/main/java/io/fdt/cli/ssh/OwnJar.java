package io.fdt.cli.ssh;

import io.fdt.cli.process.ProcessImage;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The jar of this program, for hosts without one. Immutable.
 *
 * @param sha256 of its bytes, in hex
 */
record OwnJar(Path file, long size, String sha256) {
  private static final int BUFFER_BYTES = 256 << 10;

  /** Reads the jar; empty if the program does not run from a jar. */
  static Optional<OwnJar> own() throws IOException {
    try {
      Path file = ProcessImage.jar();
      return file == null ? Optional.empty() : Optional.of(of(file));
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  private static OwnJar of(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] buffer = new byte[BUFFER_BYTES];
      long size = 0;
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        digest.update(buffer, 0, length);
        size += length;
      }
      return new OwnJar(file, size, HexFormat.of().formatHex(digest.digest()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
