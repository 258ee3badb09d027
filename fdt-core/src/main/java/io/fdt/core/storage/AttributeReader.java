package io.fdt.core.storage;

import io.fdt.core.manifest.ExtendedAttribute;
import io.fdt.core.manifest.Preservation;
import io.fdt.core.manifest.Traits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The extended attributes of one open file that a session keeps. Confined to one thread. */
final class AttributeReader {
  private final Preservation kept;
  private final List<ExtendedAttribute> found = new ArrayList<>();
  private int count;
  private int bytes;

  AttributeReader(Preservation kept) {
    this.kept = kept;
  }

  /** Reads all of them; the result is 0 or a negative error number. */
  int read(int descriptor) {
    Scratch scratch = Scratch.ofThread();
    int length = Kernel.listAttributes(descriptor, scratch.dataAddress(), Scratch.DATA_LENGTH);
    if (length == -Errno.EOPNOTSUPP) {
      return 0; // a file system without
    }
    if (length < 0) {
      return length;
    }
    byte[] names = new byte[length];
    scratch.data().get(names);
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
    Scratch scratch = Scratch.ofThread();
    int length = Kernel.getAttribute(descriptor, name, scratch.dataAddress(), Scratch.DATA_LENGTH);
    if (length == -Errno.ENODATA) {
      return 0; // it has just been removed
    }
    if (length < 0) {
      return length;
    }
    count++;
    bytes += name.length + length;
    if (!isTooMuch()) {
      byte[] value = new byte[length];
      scratch.data().get(value);
      found.add(new ExtendedAttribute(name, value));
    }
    return 0;
  }

  /** Whether there is more than one entry may carry. */
  boolean isTooMuch() {
    return count > Traits.MAX_ATTRIBUTES || bytes > Traits.MAX_ATTRIBUTE_BYTES;
  }

  int count() {
    return count;
  }

  /** Of all names and values. */
  int bytes() {
    return bytes;
  }

  List<ExtendedAttribute> found() {
    return found;
  }
}
