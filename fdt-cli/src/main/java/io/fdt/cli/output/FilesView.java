package io.fdt.cli.output;

import io.fdt.cli.option.transfer.FileVerb;
import io.fdt.client.RemoteFile;
import io.fdt.client.RemoteTotals;
import io.fdt.client.RemoteVisitor;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Timestamp;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** How files of a server are shown. Not thread-safe. */
public interface FilesView {
  /** The bits of a mode that say the type, and the types of entries that are never copied. */
  int TYPE = 0170000;

  int FIFO = 0010000;
  int CHARACTER_DEVICE = 0020000;
  int BLOCK_DEVICE = 0060000;
  int SOCKET = 0140000;

  /** The path of an entry at a path, or beneath it. */
  static BytePath whole(BytePath asked, BytePath found) {
    return found.equals(asked) ? asked : asked.resolve(found);
  }

  /** The kind of an entry in a word. */
  static String kind(RemoteFile file) {
    EntryKind kind = file.kind().orElse(null);
    return kind == null
        ? specialKind(file.mode() & TYPE)
        : kind == EntryKind.SYMLINK ? "link" : kind.name().toLowerCase(Locale.ROOT);
  }

  private static String specialKind(int type) {
    return switch (type) {
      case FIFO -> "fifo";
      case SOCKET -> "socket";
      case CHARACTER_DEVICE, BLOCK_DEVICE -> "device";
      default -> "other"; // of a storage that does not say
    };
  }

  /** A time to the nanosecond (UTC). */
  static String time(Timestamp time) {
    try {
      return Instant.ofEpochSecond(time.seconds(), time.nanos()).toString();
    } catch (DateTimeException | ArithmeticException e) {
      return "@" + time.seconds();
    }
  }

  /** Shows a whole directory. */
  void listed(List<RemoteFile> files, FileVerb.Look look);

  /** Shows a directory or tree piece by piece. */
  RemoteVisitor listing(FileVerb.Look look);

  /** Shows the results for one path. */
  RemoteVisitor at(BytePath path);

  /**
   * Shows the digests of files at one path of a server.
   *
   * @param directory of the list, to which names in it are relative
   */
  default RemoteVisitor digests(BytePath path, BytePath directory) {
    return at(path);
  }

  void stat(RemoteFile file);

  void made(BytePath path);

  void renamed(BytePath from, BytePath to);

  /**
   * Something was removed.
   *
   * @param pretended whether this is a dry run
   */
  void removed(BytePath path, RemoteTotals totals, boolean pretended);

  void measured(BytePath path, RemoteTotals totals, boolean human);

  /** A path that failed. */
  void failed(String path, ErrorCode code, String message);

  /** The end; the result is the exit status. */
  int end();
}
