package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.Entry;
import io.fdt.core.manifest.EntryKind;
import io.fdt.core.manifest.Preservation;
import io.fdt.core.manifest.Preservation.Aspect;
import io.fdt.core.manifest.Traits;
import java.util.List;

/** What a sender may say of entries in a session that keeps certain things. */
final class TraitsRule {
  private TraitsRule() {}

  /**
   * Makes sure that a sender asks for nothing that the session was not opened with.
   *
   * @throws FdtException PROTOCOL when it does
   */
  static void check(List<Entry> entries, Preservation kept) throws FdtException {
    for (Entry entry : entries) {
      Traits traits = entry.traits();
      check(entry, !traits.sparse() || kept.keeps(Aspect.SPARSE), "holes");
      boolean named = traits.isAnotherName() || traits.nameCount() > 0;
      check(entry, !named || kept.keeps(Aspect.HARD_LINKS), "several names");
      check(entry, traits.owner() == null || kept.keeps(Aspect.OWNER), "an owner");
      check(
          entry,
          traits.attributes().stream().allMatch(one -> one.isAmong(kept))
              && (traits.attributes().isEmpty() || entry.kind() != EntryKind.SYMLINK),
          "extended attributes");
    }
  }

  private static void check(Entry entry, boolean allowed, String what) throws FdtException {
    if (!allowed) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "entry " + entry.id() + " with " + what + ", which nobody has asked for");
    }
  }
}
