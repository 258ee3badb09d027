package io.fdt.cli.output.text;

import io.fdt.cli.output.FilesView;
import io.fdt.cli.output.Table;
import io.fdt.client.RemoteFile;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Timestamp;
import io.fdt.core.unit.NumberText;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;

/** One entry of a listing in one line; times are local. */
final class ListingLine {
  private static final String PERMISSIONS = "rwxrwxrwx";

  private ListingLine() {}

  /** The name; a slash follows that of a directory. */
  static String name(RemoteFile file) {
    boolean directory = is(file, EntryKind.DIRECTORY) && !file.name().endsWithSlash();
    return file.name() + (directory ? "/" : "");
  }

  /** A table of entries. */
  static Table table(int sizeWidth) {
    return new Table().left("MODE").right("SIZE").wide(sizeWidth).left("MODIFIED", "NAME");
  }

  /** Mode, size, time of last modification, name, target of a link. */
  static List<String> cells(RemoteFile file, boolean human) {
    String target = is(file, EntryKind.SYMLINK) ? " -> " + file.linkTarget() : "";
    return List.of(mode(file), size(file, human), time(file.modified()), name(file) + target);
  }

  /** The size in bytes, or in units. */
  private static String size(RemoteFile file, boolean human) {
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
      return switch (file.mode() & FilesView.TYPE) {
        case FilesView.FIFO -> 'p';
        case FilesView.SOCKET -> 's';
        case FilesView.CHARACTER_DEVICE -> 'c';
        case FilesView.BLOCK_DEVICE -> 'b';
        default -> '?'; // of a storage that does not say
      };
    }
    return switch (file.kind().get()) {
      case FILE -> '-';
      case DIRECTORY -> 'd';
      case SYMLINK -> 'l';
    };
  }

  private static String time(Timestamp time) {
    try {
      return NumberText.time(Instant.ofEpochSecond(time.seconds()), ZoneId.systemDefault());
    } catch (DateTimeException e) {
      return "@" + time.seconds(); // no year that can be written
    }
  }

  private static boolean is(RemoteFile file, EntryKind kind) {
    return file.kind().isPresent() && file.kind().get() == kind;
  }
}
