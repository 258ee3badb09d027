package io.fdt.client;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.core.security.HomeDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file {@code client.conf} of a user's home, which names servers: adds and removes sections,
 * and keeps everything that the user has written. Any thread, any process.
 */
public final class ServerNames {
  /** The name of the file in the home. */
  public static final String FILE = "client.conf";

  private static final String LOCK = "client.conf.lock";

  private final HomeDirectory home;

  /**
   * @param home of the user; created on the first write
   */
  public ServerNames(Path home) {
    this.home = new HomeDirectory(home);
  }

  /** The path of the file, existing or not. */
  public Path file() {
    return home.file(FILE);
  }

  /**
   * Adds lines at the end.
   *
   * @throws FdtException the file cannot be written
   */
  public void add(String section) throws FdtException {
    home.append(FILE, section.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Removes these lines, if the file has exactly these.
   *
   * @return whether the file had them
   * @throws FdtException the file cannot be read or written
   */
  public boolean remove(String section) throws FdtException {
    return home.locked(
        LOCK,
        () -> {
          String content = content();
          String without = content.replace(bytes(section), "");
          boolean wasThere = without.length() < content.length();
          if (wasThere) {
            home.replace(FILE, without.getBytes(StandardCharsets.ISO_8859_1));
          }
          return wasThere;
        });
  }

  private static String bytes(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /** The bytes of the file as characters: comments may have any encoding. */
  private String content() throws FdtException {
    try {
      return Files.readString(home.file(FILE), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.PERMISSION,
          "'%s' cannot be read: %s; run: chmod 600 %s"
              .formatted(home.file(FILE), IoReason.of(e), home.file(FILE)),
          e);
    }
  }
}
