package io.fdt.storage.local.os;

import io.fdt.core.model.ExtendedAttribute;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.Preservation;
import io.fdt.storage.posix.Errno;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads the extended attributes of an open file that a session keeps. Confined to one thread. */
public final class AttributeReader {
  private final Preservation kept;
  private final List<ExtendedAttribute> found = new ArrayList<>();
  private int count;
  private int bytes;

  public AttributeReader(Preservation kept) {
    this.kept = kept;
  }

  /** Reads all attributes; returns 0 or a negative error number. */
  public int read(int descriptor) {
    int length = Syscalls.listAttributes(descriptor);
    if (length == -Errno.EOPNOTSUPP) {
      return 0; // not supported by the file system
    }
    if (length < 0) {
      return length;
    }
    byte[] names = Syscalls.data(length);
    for (int start = 0, end = 0; end < length; end++) {
      if (names[end] == 0) {
        byte[] name = Arrays.copyOfRange(names, start, end);
        start = end + 1;
        int result = ExtendedAttribute.isAmong(name, kept) ? readValue(descriptor, name) : 0;
        if (result < 0) {
          return result;
        }
      }
    }
    return 0;
  }

  private int readValue(int descriptor, byte[] name) {
    int length = Syscalls.getAttribute(descriptor, name);
    if (length == -Errno.ENODATA) {
      return 0; // it was just removed
    }
    if (length < 0) {
      return length;
    }
    count++;
    bytes += name.length + length;
    if (!isTooMuch()) {
      found.add(new ExtendedAttribute(name, Syscalls.data(length)));
    }
    return 0;
  }

  /** Whether the attributes exceed the limit of an entry. */
  public boolean isTooMuch() {
    return count > FileMetadata.MAX_ATTRIBUTES || bytes > FileMetadata.MAX_ATTRIBUTE_BYTES;
  }

  public int count() {
    return count;
  }

  /** Bytes of all names and values. */
  public int bytes() {
    return bytes;
  }

  public List<ExtendedAttribute> found() {
    return found;
  }
}
