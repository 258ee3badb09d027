package io.fdt.core.storage;

import io.fdt.core.model.Preservation;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.storage.name.NamePolicy;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The abilities of a destination, constant and the same in all of it. The directories of a machine
 * may lie on several file systems: they claim all, and check each file system later.
 *
 * @param aspects attributes of files that it keeps; others are lost with one notice
 * @param links whether it keeps symbolic links; otherwise each fails
 * @param unknownSizes whether it accepts a file of unknown size that takes its name
 * @param window the most bytes of all files together from the first unwritten byte of each file to
 *     its last block; {@code Long.MAX_VALUE} for random writes, less for {@link
 *     io.fdt.core.storage.stream.InOrderFile}
 * @param timeStep nanoseconds to which it rounds times down; 1 for exact ones
 * @param names the names that it can store
 * @param writers threads per disk that it keeps busy, where the user chose no other number
 */
public record Capabilities(
    Set<Aspect> aspects,
    boolean links,
    boolean unknownSizes,
    long window,
    long timeStep,
    NamePolicy names,
    int writers) {
  private static final int WRITERS = 2;

  /** All abilities, except files of unknown size. */
  public static final Capabilities ALL =
      new Capabilities(EnumSet.allOf(Aspect.class), true, false, Long.MAX_VALUE, 1, NamePolicy.ANY);

  /** A destination with the writers of a local disk. */
  public Capabilities(
      Set<Aspect> aspects,
      boolean links,
      boolean unknownSizes,
      long window,
      long timeStep,
      NamePolicy names) {
    this(aspects, links, unknownSizes, window, timeStep, names, WRITERS);
  }

  public Capabilities {
    aspects = Set.copyOf(aspects);
  }

  /** A copy that accepts a file of unknown size, or does not. */
  public Capabilities withUnknownSizes(boolean accepted) {
    return new Capabilities(aspects, links, accepted, window, timeStep, names, writers);
  }

  /** A copy with other names. */
  public Capabilities withNames(NamePolicy others) {
    return new Capabilities(aspects, links, unknownSizes, window, timeStep, others, writers);
  }

  /** A copy with another window. */
  public Capabilities withWindow(long bytes) {
    return new Capabilities(aspects, links, unknownSizes, bytes, timeStep, names, writers);
  }

  /** Whether blocks may come in any order. */
  public boolean writesRandomly() {
    return window == Long.MAX_VALUE;
  }

  /** Whether each small file is a round trip, so that the writers share a pack of them. */
  public boolean dividesPacks() {
    return writers > WRITERS;
  }

  /** Names what is asked for and lost, in one line; empty for none. Holes lose no bytes. */
  public String losses(Preservation wanted) {
    List<String> lost = new ArrayList<>(wanted.with(Aspect.SPARSE, false).lacking(aspects));
    if (!links && wanted.links() == Preservation.Links.COPY) {
      lost.add("links");
    }
    return lost.isEmpty() ? "" : "the destination does not keep " + String.join(", ", lost);
  }
}
