package io.fdt.core.session.receiver;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.model.Entry;
import io.fdt.core.wire.PackRecord;

/** Small files of packs, as a receiver's machine hands them out to be written. */
public final class PackedFiles {
  private PackedFiles() {}

  /** One that is wanted, and not written yet. */
  public static <F> PackedFile<F> wanted(
      Entry entry, DigestMethod method, F writer, PackRecord record) {
    IncomingFile<F> file = new IncomingFile<>(entry, method);
    file.setWriter(writer);
    return new PackedFile<>(file, record);
  }
}
