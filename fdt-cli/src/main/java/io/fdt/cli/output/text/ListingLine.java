package io.fdt.cli.output.text;

import io.fdt.client.RemoteFile;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Timestamp;
import io.fdt.core.unit.NumberText;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;

/** One entry of a listing in one line. Pure. */
final class ListingLine {
  private static final String PERMISSIONS = "rwxrwxrwx";

  private ListingLine() {}

  /** The name; a slash follows that of a directory. */
  static String name(RemoteFile file) {
    boolean directory = is(file, EntryKind.DIRECTORY) && !file.name().endsWithSlash();
    return file.name() + (directory ? "/" : "");
  }

  /** Mode, size, time of last modification (UTC), name, target of a link. */
  static String detailed(RemoteFile file, boolean human, int sizeWidth) {
    String size = size(file, human);
    String target = is(file, EntryKind.SYMLINK) ? " -> " + file.linkTarget() : "";
    return mode(file)
        + " "
        + " ".repeat(Math.max(0, sizeWidth - size.length()))
        + size
        + " "
        + time(file.modified())
        + " "
        + name(file)
        + target;
  }

  /** The size in bytes, or in units. */
  static String size(RemoteFile file, boolean human) {
    return human ? NumberText.bytes(file.size()) : Long.toString(file.size());
  }

  private static String mode(RemoteFile file) {
    StringBuilder mode = new StringBuilder(10);
    mode.append(kindLetter(file));
    for (int i = 0; i < 9; i++) {
      mode.append((file.mode() & (0400 >> i)) != 0 ? PERMISSIONS.charAt(i) : '-');
    }
    special(mode, 3, (file.mode() & 04000) != 0, 's');
    special(mode, 6, (file.mode() & 02000) != 0, 's');
    special(mode, 9, (file.mode() & 01000) != 0, 't');
    return mode.toString();
  }

  /**
   * Sets the letter of set-user-id, set-group-id or the sticky bit, as ls does: in upper case
   * without x.
   */
  private static void special(StringBuilder mode, int position, boolean set, char letter) {
    if (set) {
      boolean executable = mode.charAt(position) == 'x';
      mode.setCharAt(position, executable ? letter : Character.toUpperCase(letter));
    }
  }

  private static char kindLetter(RemoteFile file) {
    if (file.kind().isEmpty()) {
      return '?'; // a device, a socket or a FIFO
    }
    return switch (file.kind().get()) {
      case FILE -> '-';
      case DIRECTORY -> 'd';
      case SYMLINK -> 'l';
    };
  }

  private static String time(Timestamp time) {
    try {
      return DateTimeFormatter.ISO_INSTANT.format(Instant.ofEpochSecond(time.seconds()));
    } catch (DateTimeException e) {
      return "@" + time.seconds(); // no year that can be written
    }
  }

  private static boolean is(RemoteFile file, EntryKind kind) {
    return file.kind().isPresent() && file.kind().get() == kind;
  }
}
