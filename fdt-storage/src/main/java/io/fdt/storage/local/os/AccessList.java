package io.fdt.storage.local.os;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.ExtendedAttribute;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;

/**
 * POSIX access lists in the kernel's format: a version, and entries of 8 bytes, little-endian.
 *
 * <pre>
 *   version 2 (4) | tag (2) | permissions (2) | number of user or group (4) | next entry ...
 * </pre>
 */
public final class AccessList {
  private static final int HEADER = 4;
  private static final int ENTRY = 8;
  private static final int OF_OWNER = 0x01;
  private static final int MASK = 0x10;
  private static final int OF_GROUP = 0x04;
  private static final int OF_OTHERS = 0x20;
  private static final short ALL = 7;

  private static final byte[] DEFAULT =
      ExtendedAttribute.DEFAULT_ACCESS_LIST.getBytes(StandardCharsets.US_ASCII);

  private AccessList() {}

  /**
   * The part of mode 0777 that a directory's default list leaves for new entries, in place of the
   * process's mask; empty without a list.
   */
  public static OptionalInt newModeIn(Directory directory) {
    try (FileDescriptor opened = directory.openToRead()) {
      int length = opened.call(fd -> Syscalls.getAttribute(fd, DEFAULT));
      if (length <= HEADER) {
        return OptionalInt.empty();
      }
      return OptionalInt.of(mode(Syscalls.data(length)));
    } catch (FdtException e) {
      return OptionalInt.empty(); // unreadable: the mask decides
    }
  }

  private static int mode(byte[] list) {
    ByteBuffer entries = ByteBuffer.wrap(list).order(ByteOrder.LITTLE_ENDIAN);
    int owner = 0;
    int group = 0;
    int mask = -1;
    int others = 0;
    for (int at = HEADER; at + ENTRY <= list.length; at += ENTRY) {
      int permissions = entries.getShort(at + Short.BYTES) & ALL;
      switch (entries.getShort(at)) {
        case OF_OWNER -> owner = permissions;
        case OF_GROUP -> group = permissions;
        case MASK -> mask = permissions;
        case OF_OTHERS -> others = permissions;
        default -> {} // of one user or group
      }
    }
    return owner << 6 | (mask < 0 ? group : mask) << 3 | others;
  }

  /**
   * The list of a directory until it gets its mode, which corrects these three entries: its owner
   * has full access.
   *
   * @param closed whether all others have none
   */
  public static byte[] opened(byte[] list, boolean closed) {
    byte[] opened = list.clone();
    ByteBuffer entries = ByteBuffer.wrap(opened).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = HEADER; at + ENTRY <= opened.length; at += ENTRY) {
      int tag = entries.getShort(at);
      if (tag == OF_OWNER) {
        entries.putShort(at + Short.BYTES, ALL);
      } else if (closed && (tag == MASK || tag == OF_OTHERS)) {
        entries.putShort(at + Short.BYTES, (short) 0);
      }
    }
    return opened;
  }
}
