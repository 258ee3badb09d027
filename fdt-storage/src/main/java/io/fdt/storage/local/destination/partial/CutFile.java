package io.fdt.storage.local.destination.partial;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FileName;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.storage.Attributes;
import io.fdt.storage.local.os.Directory;
import java.util.Optional;

/**
 * A file made of ranges, as seen by the transfer of one range.
 *
 * @param name its final name
 * @param version of the whole file
 * @param cut its ranges
 * @param isSparse whether no space is reserved
 * @param seen the entry at its name when the transfer decided to write the range
 */
public record CutFile(
    FileName name,
    SourceVersion version,
    FileCut cut,
    boolean isSparse,
    Optional<Attributes> seen) {

  /** Whether the entry at its name is unchanged since then. */
  public boolean isAsSeen(Directory directory) throws FdtException {
    Optional<Attributes> now = Optional.ofNullable(directory.find(name));
    return now.isPresent() == seen.isPresent()
        && now.filter(there -> !there.isSameFile(seen.get())).isEmpty();
  }
}
