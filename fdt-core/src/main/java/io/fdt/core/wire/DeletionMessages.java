package io.fdt.core.wire;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.wire.control.Deleted;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Paths beneath the destination in messages about deletions. Pure. */
public final class DeletionMessages {
  /** Most names of each kind in one message. */
  public static final int MAX_NAMES = 1024;

  private DeletionMessages() {}

  public static ByteString encode(List<FileName> path) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (FileName name : path) {
      if (bytes.size() > 0) {
        bytes.write('/');
      }
      bytes.writeBytes(name.bytes());
    }
    return ByteString.copyFrom(bytes.toByteArray());
  }

  /**
   * The names of a path.
   *
   * @throws FdtException PROTOCOL when a name is invalid
   */
  public static List<FileName> decode(ByteString bytes) throws FdtException {
    List<FileName> names = new ArrayList<>();
    try {
      for (FileName name : BytePath.of(bytes.toByteArray()).names()) {
        names.add(name);
      }
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.PROTOCOL, "a path of a deletion: " + e.getMessage(), e);
    }
    return List.copyOf(names);
  }

  /** The kind in a message; null for a device, socket or FIFO. */
  public static EntryKind kindOf(io.fdt.core.wire.control.EntryKind kind) {
    return switch (kind) {
      case FILE -> EntryKind.FILE;
      case DIRECTORY -> EntryKind.DIRECTORY;
      case SYMLINK -> EntryKind.SYMLINK;
      default -> null;
    };
  }

  public static io.fdt.core.wire.control.EntryKind kindOf(EntryKind kind) {
    return kind == null
        ? io.fdt.core.wire.control.EntryKind.OTHER
        : switch (kind) {
          case FILE -> io.fdt.core.wire.control.EntryKind.FILE;
          case DIRECTORY -> io.fdt.core.wire.control.EntryKind.DIRECTORY;
          case SYMLINK -> io.fdt.core.wire.control.EntryKind.SYMLINK;
        };
  }

  /** Whether a message is about one name, not about the deletion as a whole. */
  public static boolean isOfAName(Deleted message) {
    return message.getCode() != ErrorCode.TOO_MANY.wireCode()
        && message.getCode() != ErrorCode.SOURCE_EMPTY.wireCode();
  }
}
