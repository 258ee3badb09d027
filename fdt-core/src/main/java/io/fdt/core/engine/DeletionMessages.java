package io.fdt.core.engine;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.BytePath;
import io.fdt.core.manifest.FileName;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Paths beneath the destination in messages about deletions. Pure. */
final class DeletionMessages {
  private DeletionMessages() {}

  static ByteString encode(List<FileName> path) {
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
   * @throws FdtException PROTOCOL when one leads elsewhere
   */
  static List<FileName> decode(ByteString bytes) throws FdtException {
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
}
