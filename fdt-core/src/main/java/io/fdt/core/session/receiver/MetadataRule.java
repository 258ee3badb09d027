package io.fdt.core.session.receiver;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Preservation.Aspect;
import java.util.List;

/** Checks the entries of a manifest against the attributes that the session keeps. */
final class MetadataRule {
  private MetadataRule() {}

  /**
   * Checks that a sender uses only the attributes of the session.
   *
   * @throws FdtException PROTOCOL otherwise
   */
  static void check(List<Entry> entries, Preservation kept) throws FdtException {
    for (Entry entry : entries) {
      FileMetadata metadata = entry.metadata();
      check(entry, !metadata.sparse() || kept.keeps(Aspect.SPARSE), "holes");
      boolean named = metadata.isAnotherName() || metadata.nameCount() > 0;
      check(entry, !named || kept.keeps(Aspect.HARD_LINKS), "several names");
      check(entry, metadata.owner() == null || kept.keeps(Aspect.OWNER), "an owner");
      check(
          entry,
          metadata.attributes().stream().allMatch(one -> one.isAmong(kept))
              && (metadata.attributes().isEmpty() || entry.kind() != EntryKind.SYMLINK),
          "extended attributes");
    }
  }

  private static void check(Entry entry, boolean allowed, String what) throws FdtException {
    if (!allowed) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "entry " + entry.id() + " with " + what + ", which the session does not keep");
    }
  }
}
