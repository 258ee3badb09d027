package io.fdt.core.storage.os;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * POSIX access lists as the kernel takes them: a version, and entries of 8 bytes, little-endian.
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
  private static final int OF_OTHERS = 0x20;
  private static final short ALL = 7;

  private AccessList() {}

  /**
   * The list that a directory has until it gets its mode, which puts these three right: its owner
   * may do anything.
   *
   * @param closed whether nobody else may do anything
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
