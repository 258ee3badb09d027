package io.fdt.core.receive;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.Changing;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.NameRule;
import io.fdt.core.model.Root;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.Timestamp;
import io.fdt.core.receive.FirstNames.FirstName;
import io.fdt.core.receive.delta.BaseFile;
import io.fdt.core.session.receiver.PlacedEntry;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationDirectory.ExistingFile;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.PartialFile;
import io.fdt.core.storage.TimeSteps;
import io.fdt.core.unit.ByteSize;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Finds the place of each entry at the destination: creates directories and links, and looks for
 * existing files.
 *
 * <p>Not thread-safe: confined to the placement thread of the session, in the order of the
 * manifest.
 */
final class EntryPlacer {
  /** An existing file, with its attributes when it was found. */
  record Existing(Place place, Attributes seen) {}

  /**
   * The most missing directories with a recorded path. Memory with paths of maximum length: 40 MB.
   * Beyond it, messages lack the path.
   */
  private static final int MOST_MISSING = 10_000;

  private static final int LONGEST_MISSING = 4096;

  /**
   * The most ranges of a file that are re-read; further ones are sent again. Message: 100 KiB at
   * most.
   */
  private static final int MAX_DOUBTFUL = 4096;

  /** Fewest bytes of a file that is always compared; smaller ones are sent with others. */
  private static final long LEAST_BASE = 1 << 20;

  /** Fewest bytes of a file for which comparing is worth a round trip. */
  private static final long LEAST_BASE_AUTO = 8 << 20;

  /** From this size on, some file systems keep no file: FAT. */
  private static final long LEAST_LIMIT = 4L << 30;

  private final DestinationTree destination;
  private final Capabilities capabilities;
  private final boolean durable;
  private final SyncRule sync;
  private final boolean dryRun;
  private final boolean encodesNames;
  private final long leastBase;
  private final Replacements replacements;
  private final Map<Long, DestinationDirectory> directories = new HashMap<>();

  /** The paths of directories that could not be created, for messages about their entries. */
  private final Map<Long, String> missing = new HashMap<>();

  /** For each such directory, the path of the topmost one above it. */
  private final Map<Long, String> topmost = new HashMap<>();

  private final SiblingNames siblings = new SiblingNames();

  /** The older versions of the directories, by id, in which bytes of new files are looked for. */
  private final Map<Long, DestinationDirectory> older = new ConcurrentHashMap<>();

  /** The only file in them; null for all. */
  private FileName olderName;

  private FileName newName;
  private Root contents;
  private final FirstNames firstNames;

  /** The last entry; null before the first. */
  private Entry last;

  /** Warnings about the current entry. */
  private final List<FdtException> warnings = new ArrayList<>();

  /**
   * Whether mode, owner or time of the current entry was changed, or would be in a dry run. For
   * directories only in a dry run: otherwise they are always set.
   */
  private boolean changed;

  /** Whether the current entry takes the name of an existing one, unless that is unchanged. */
  private boolean replaces;

  /**
   * @param replacements directories that may be replaced by a file or link
   * @param firstNames files with several names
   */
  EntryPlacer(
      DestinationTree destination,
      TransferSpec spec,
      Replacements replacements,
      FirstNames firstNames) {
    this.firstNames = firstNames;
    this.destination = destination;
    this.capabilities = destination.capabilities();
    this.durable = spec.assurance().fsync();
    this.sync = spec.sync();
    this.dryRun = spec.dryRun();
    this.encodesNames = spec.names() == NameRule.ENCODE;
    this.leastBase = leastBase(spec);
    this.replacements = replacements;
  }

  /** The fewest bytes of a file that is compared with the one that it replaces. */
  private static long leastBase(TransferSpec spec) {
    boolean isReadTwice = spec.changing() == Changing.COPY && spec.digestMethod().isOfChunks();
    return !spec.part().isWhole() || isReadTwice
        ? Long.MAX_VALUE
        : switch (spec.delta()) {
          case OFF -> Long.MAX_VALUE;
          case AUTO -> LEAST_BASE_AUTO;
          case ALWAYS -> LEAST_BASE;
        };
  }

  /** Opens or creates the destination itself. */
  void open(List<Root> roots) throws FdtException {
    DestinationTree.Base base = destination.open(roots);
    if (durable) {
      destination.force();
    }
    directories.put(Entry.ROOT, base.directory());
    newName = base.newName();
    if (base.older() != null) {
      older.put(Entry.ROOT, base.older().directory());
      olderName = base.older().name();
    }
    replacements.open(roots);
    contents = roots.size() == 1 && roots.get(0).isContents() ? roots.get(0) : null;
  }

  void place(List<Entry> entries, List<PlacedEntry<ReceivedFileWriter>> outcomes) {
    for (Entry entry : entries) {
      last = entry;
      try {
        PlacedEntry<ReceivedFileWriter> placed = place(entry);
        if (changed) {
          outcomes.add(new PlacedEntry.Differs<>(entry, placed.path()));
        }
        if (replaces && !(placed instanceof PlacedEntry.Unchanged)) {
          outcomes.add(new PlacedEntry.Replaces<>(entry, placed.path()));
        }
        outcomes.add(placed);
        warnings.forEach(one -> outcomes.add(incomplete(entry, one)));
      } catch (FdtException e) {
        rememberMissing(entry);
        outcomes.add(new PlacedEntry.Failed<>(entry, textOf(entry), e));
      }
      warnings.clear();
      changed = false;
      replaces = false;
    }
  }

  private PlacedEntry<ReceivedFileWriter> incomplete(Entry entry, FdtException warning) {
    return new PlacedEntry.Incomplete<>(entry, textOf(entry), warning);
  }

  private Supplier<String> textOf(Entry entry) {
    String path = pathOf(entry);
    return () -> path;
  }

  private void rememberMissing(Entry entry) {
    if (entry.kind() == EntryKind.DIRECTORY && missing.size() < MOST_MISSING) {
      String path = pathOf(entry);
      String kept = path.length() <= LONGEST_MISSING ? path : entry.name().toString();
      missing.put(entry.id(), kept);
      topmost.put(entry.id(), topmost.getOrDefault(entry.parentId(), kept));
    }
  }

  private String pathOf(Entry entry) {
    DestinationDirectory parent = directories.get(entry.parentId());
    FileName name = nameOf(entry);
    return parent == null
        ? missing.getOrDefault(entry.parentId(), "") + "/" + name
        : new Place(parent, name).path();
  }

  private void checkName(FileName name, DestinationDirectory parent) throws FdtException {
    if (!capabilities.names().allows(name) || !parent.stores(name)) {
      throw new FdtException(
          ErrorCode.BAD_NAME,
          "the destination cannot store the name of '%s'; rename it at the source%s"
              .formatted(
                  new Place(parent, name).path(),
                  encodesNames ? "" : ", or use " + Setting.NAMES.with("encode")));
    }
  }

  private static void checkSize(Entry entry, DestinationDirectory parent, FileName name)
      throws FdtException {
    if (entry.size() >= LEAST_LIMIT && entry.size() > parent.mostBytes()) {
      throw new FdtException(
          ErrorCode.IO,
          "'%s' has %s, too many for a file of this file system; exclude it, or choose another"
                  .formatted(new Place(parent, name).path(), ByteSize.ofBytes(entry.size()))
              + " destination");
    }
  }

  private FileName nameOf(Entry entry) {
    return newName == null || entry.parentId() != Entry.ROOT ? entry.name() : newName;
  }

  private PlacedEntry<ReceivedFileWriter> place(Entry entry) throws FdtException {
    DestinationDirectory parent = directories.get(entry.parentId());
    if (parent == null) {
      throw new FdtException(
          ErrorCode.NOT_FOUND,
          "its directory '"
              + topmost.getOrDefault(entry.parentId(), "")
              + "' could not be made; see the error above");
    }
    FileName name = nameOf(entry);
    checkName(name, parent);
    if (siblings.add(entry, name) && parent.folds(name)) {
      throw new FdtException(
          ErrorCode.BAD_NAME,
          "'"
              + new Place(parent, name).path()
              + "' would replace another name of the source, because this file system takes both"
              + " for the same; rename one of them at the source");
    }
    switch (entry.kind()) {
      case DIRECTORY -> {
        DestinationDirectory made = makeDirectory(entry, parent, name);
        directories.put(entry.id(), made);
        rememberOlder(entry, name);
        replacements.placed(entry, name);
        made.attach(entry.metadata(), warnings::add);
        if (durable && made.isFresh()) {
          parent.force();
        }
        if (dryRun && made.wouldChange(entry.mode(), entry.modified(), entry.metadata().owner())) {
          changed = true;
        }
        return new PlacedEntry.Made<>(entry, new Place(parent, name), !dryRun || made.isFresh());
      }
      case SYMLINK -> {
        if (!capabilities.links()) {
          throw new FdtException(
              ErrorCode.WRONG_KIND,
              "'%s' is a link, and the destination keeps none; use %s or %s"
                  .formatted(
                      new Place(parent, name).path(),
                      Setting.LINKS.with("follow"),
                      Setting.LINKS.with("skip")));
        }
        Optional<Attributes> there = clear(entry, parent, name);
        boolean changes = there.isEmpty() || !keeps(sync, entry, parent, there.get());
        if (changes) {
          changes =
              parent.makeLink(
                  name,
                  entry.linkTarget(),
                  entry.modified(),
                  entry.metadata().owner(),
                  warnings::add);
          replaces = changes && there.isPresent();
          changed |=
              !changes && there.filter(seen -> !agreesAsLink(entry, parent, seen)).isPresent();
        }
        return new PlacedEntry.Made<>(entry, new Place(parent, name), changes);
      }
      default -> {
        return placeFile(entry, parent, name);
      }
    }
  }

  private DestinationDirectory makeDirectory(
      Entry entry, DestinationDirectory parent, FileName name) throws FdtException {
    Optional<Attributes> found =
        replacements.areOn() && !parent.isFresh() ? parent.find(name) : Optional.empty();
    replaces =
        found.isPresent()
            && !found.get().is(EntryKind.DIRECTORY)
            && !spares(entry, parent, found.get());
    return replaces ? parent.replaceByDirectory(name) : parent.makeDirectory(name);
  }

  /**
   * The existing entry at a name. Empty for a directory that a file or link may replace by
   * deletion.
   */
  private Optional<Attributes> clear(Entry entry, DestinationDirectory parent, FileName name)
      throws FdtException {
    Optional<Attributes> found = parent.isFresh() ? Optional.empty() : parent.find(name);
    boolean makesRoom =
        found.isPresent()
            && found.get().is(EntryKind.DIRECTORY)
            && replacements.mayReplaceIn(entry.parentId())
            && !spares(entry, parent, found.get());
    if (!makesRoom) {
      return found;
    }
    replacements.makeRoom(parent, entry.parentId(), name);
    return Optional.empty();
  }

  private boolean keeps(SyncRule rule, Entry entry, DestinationDirectory parent, Attributes found) {
    return rule.keeps(entry, found.kind().orElse(null), found.size(), time(entry, parent, found));
  }

  private boolean spares(Entry entry, DestinationDirectory parent, Attributes found) {
    return sync.spares(entry, time(entry, parent, found));
  }

  private PlacedEntry<ReceivedFileWriter> unchanged(Entry entry, Place place, Attributes found) {
    boolean isNewer =
        sync.update() && sync.sparesNewer(entry, time(entry, place.directory(), found));
    return new PlacedEntry.Unchanged<>(entry, place, isNewer);
  }

  private Timestamp time(Entry entry, DestinationDirectory parent, Attributes found) {
    Timestamp wanted = entry.modified();
    if (wanted == null) {
      return found.modified();
    }
    return TimeSteps.roundedDown(wanted, capabilities.timeStep()).equals(found.modified())
        ? wanted
        : parent.timeOf(found, wanted);
  }

  private PlacedEntry<ReceivedFileWriter> placeFile(
      Entry entry, DestinationDirectory parent, FileName name) throws FdtException {
    checkSize(entry, parent, name);
    Optional<Attributes> existing = clear(entry, parent, name);
    replaces = existing.isPresent();
    if (existing.isPresent()) {
      Attributes found = existing.get();
      if (found.is(EntryKind.DIRECTORY)) {
        throw new FdtException(
            ErrorCode.WRONG_KIND,
            "'"
                + new Place(parent, name).path()
                + "' is a directory: remove it, or use a copy with "
                + Setting.DELETE
                + ", to let a file take its place");
      }
    }
    FirstName first = entry.metadata().isAnotherName() ? firstNames.of(entry) : null;
    if (first != null) {
      return placeAnotherName(entry, first, existing, new Place(parent, name));
    }
    boolean isThere = existing.isPresent() && !entry.metadata().sizeUnknown();
    if (isThere) {
      Attributes found = existing.get();
      if (keeps(sync, entry, parent, found)) {
        if (keeps(SyncRule.DEFAULT, entry, parent, found)) {
          firstNames.add(entry, new Place(parent, name), FirstNames.State.THERE);
        }
        if (!spares(entry, parent, found)) {
          refresh(entry, new Place(parent, name), found);
        }
        return unchanged(entry, new Place(parent, name), found);
      }
    }
    firstNames.add(
        entry, new Place(parent, name), dryRun ? FirstNames.State.DUE : FirstNames.State.OPEN);
    if (isThere) {
      Attributes found = existing.get();
      if (sync.asksForDigest(entry, found.kind().orElse(null), found.size())) {
        Place place = new Place(parent, name);
        return new PlacedEntry.Compare<>(entry, place, new Existing(place, found));
      }
    }
    return needed(entry, new Place(parent, name), existing);
  }

  /** Whether a link has the attributes to keep; links have no mode. */
  private static boolean agreesAsLink(Entry link, DestinationDirectory parent, Attributes there) {
    return parent.agrees(there, there.mode(), link.modified(), link.metadata());
  }

  /** Updates mode and owner of an unchanged file. */
  private void refresh(Entry entry, Place place, Attributes found) {
    DestinationDirectory parent = place.directory();
    if (parent.agrees(found, entry.mode(), null, entry.metadata())) {
      return;
    }
    if (dryRun) {
      changed = true;
      return;
    }
    try (ExistingFile there = parent.openExisting(place.name(), found)) {
      parent.refresh(there, entry.mode(), null, entry.metadata(), warnings::add);
      changed = true;
    } catch (FdtException e) {
      warnings.add(e);
    }
  }

  /** The result for a file that must be sent, or would be in a dry run. Any thread. */
  PlacedEntry<ReceivedFileWriter> needed(Entry entry, Place place, Optional<Attributes> existing)
      throws FdtException {
    DestinationDirectory parent = place.directory();
    FileName name = place.name();
    PartialFile partial =
        entry.size() < parent.journaledBytes()
            ? PartialFile.NONE
            : parent.findPartial(name, SourceVersion.of(entry));
    if (partial.isSettled()) {
      return new PlacedEntry.Unchanged<>(entry, place);
    }
    if (dryRun) {
      return new PlacedEntry.Due<>(entry, place, joined(partial.kept(), partial.doubtful()));
    }
    Optional<BaseFile> base =
        existing
            .filter(found -> isBase(entry, found))
            .map(found -> new BaseFile(parent, name, found))
            .or(() -> olderVersion(entry, name));
    if (partial.doubtful().isEmpty()) {
      return wanted(entry, place, partial.kept(), partial.note(), base);
    }
    List<CheckedRange> doubtful =
        partial.doubtful().subList(0, Math.min(MAX_DOUBTFUL, partial.doubtful().size()));
    return new PlacedEntry.Check<>(
        entry,
        place,
        doubtful,
        same ->
            wanted(
                entry,
                place,
                joined(partial.kept(), same),
                same.size() == doubtful.size()
                    ? ""
                    : "'%s': the source has changed since the interrupted transfer: %d of %d bytes that were there are kept"
                        .formatted(
                            place.path(),
                            bytesOf(partial.kept()) + bytesOf(same),
                            bytesOf(partial.kept()) + bytesOf(partial.doubtful())),
                base));
  }

  private void rememberOlder(Entry entry, FileName name) {
    DestinationDirectory parent = older.get(entry.parentId());
    if (parent != null && olderName == null) {
      try {
        older.put(entry.id(), parent.makeDirectory(name)); // nothing is made in an older tree
      } catch (FdtException e) {
        older.remove(entry.id()); // a file, or no access: nothing is looked for
      }
    }
  }

  /** The older version of a file that replaces none. */
  private Optional<BaseFile> olderVersion(Entry entry, FileName name) {
    DestinationDirectory parent = older.get(entry.parentId());
    if (parent == null || entry.size() < leastBase) {
      return Optional.empty();
    }
    FileName there = olderName == null ? name : olderName;
    try {
      return parent
          .find(there)
          .filter(found -> isBase(entry, found))
          .map(found -> new BaseFile(parent, there, found));
    } catch (FdtException e) {
      return Optional.empty(); // no access: all of it is sent
    }
  }

  /** Whether bytes of a file may be found in an existing one. */
  private boolean isBase(Entry entry, Attributes found) {
    return found.is(EntryKind.FILE)
        && capabilities.writesRandomly()
        && Math.min(entry.size(), found.size()) >= leastBase;
  }

  private static PlacedEntry.Wanted<ReceivedFileWriter> wanted(
      Entry entry, Place place, List<CheckedRange> kept, String note, Optional<BaseFile> base) {
    return new PlacedEntry.Wanted<>(
        entry,
        place,
        new ReceivedFileWriter(entry, place, kept, base),
        kept,
        note,
        base.map(BaseFile::size).orElse(0L));
  }

  /** Merges two lists of ranges, in order. */
  private static List<CheckedRange> joined(List<CheckedRange> some, List<CheckedRange> others) {
    return Stream.concat(some.stream(), others.stream())
        .sorted(Comparator.comparingLong(CheckedRange::start))
        .toList();
  }

  private static long bytesOf(List<CheckedRange> ranges) {
    return ranges.stream().mapToLong(CheckedRange::length).sum();
  }

  private PlacedEntry<ReceivedFileWriter> placeAnotherName(
      Entry entry, FirstName first, Optional<Attributes> existing, Place place)
      throws FdtException {
    if (existing.isPresent() && isKept(entry, first, existing.get(), place)) {
      return unchanged(entry, place, existing.get());
    }
    if (dryRun) {
      // No bytes would be sent, as if the whole file existed.
      List<CheckedRange> all =
          entry.size() == 0 ? List.of() : List.of(new CheckedRange(0, entry.size(), 0));
      return new PlacedEntry.Due<>(entry, place, all);
    }
    return new PlacedEntry.AnotherName<>(entry, place, new ReceivedFileWriter(entry, place, first));
  }

  /** Whether the existing entry is already a name of the same file, or is kept. */
  private boolean isKept(Entry entry, FirstName first, Attributes found, Place place)
      throws FdtException {
    if (spares(entry, place.directory(), found)) {
      return true;
    }
    return firstNames.stateOf(first) == FirstNames.State.THERE
        && first
            .place()
            .directory()
            .find(first.place().name())
            .filter(found::isSameFile)
            .isPresent();
  }

  /**
   * Sets mode and time of a completed directory, and releases it.
   *
   * @param outcomes takes attributes that could not be set
   */
  void finish(Entry directory, List<PlacedEntry<ReceivedFileWriter>> outcomes) throws FdtException {
    replacements.ended(directory);
    siblings.ended(directory.id());
    older.remove(directory.id());
    try (DestinationDirectory made = directories.remove(directory.id())) {
      List<FdtException> missed =
          made.finish(
              directory.mode(),
              directory.modified(),
              durable ? Durability.FORCED : Durability.NONE);
      missed.forEach(one -> outcomes.add(incomplete(directory, one)));
    }
  }

  /**
   * Sets mode and time of the destination itself if the contents of one directory were copied into
   * it.
   *
   * @param outcomes takes attributes that could not be set, as warnings of the last entry
   * @return whether a dry run would change the attributes
   */
  boolean finishRoot(List<PlacedEntry<ReceivedFileWriter>> outcomes) throws FdtException {
    DestinationDirectory base = directories.get(Entry.ROOT);
    boolean changes =
        dryRun && contents != null && base.wouldChange(contents.mode(), contents.modified(), null);
    if (contents != null) {
      List<FdtException> missed =
          base.finish(contents.mode(), contents.modified(), Durability.NONE);
      if (last != null) {
        missed.forEach(one -> outcomes.add(new PlacedEntry.Incomplete<>(last, base::path, one)));
      }
    }
    if (durable) {
      base.force();
    }
    return changes;
  }

  /** As {@link DestinationTree#shortage}, for the bytes of a dry run. */
  String shortage(long bytesDue) {
    return bytesDue > 0 ? destination.shortage(bytesDue) : "";
  }

  void close() {
    directories.values().forEach(DestinationDirectory::close);
    directories.clear();
    destination.close();
  }
}
