package io.fdt.server;

import com.google.protobuf.ByteString;
import io.fdt.core.error.IoReason;
import io.fdt.core.wire.Recall;
import io.fdt.core.wire.control.HeldBlocks;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All files of a spool in which frames can be found, by the ends of their connection. Those of
 * connections that are there belong to these. The others remain: of connections that have ended
 * before all was delivered, of a former process, and what has been delivered a moment ago. They
 * make room for whatever else needs it, the oldest first, and go after a day.
 *
 * <p>Blocks are found by the checksum that their header states, and taken for the right ones by
 * their SHA-256. Thread-safe; what reads or removes files blocks.
 */
final class HeldSegments {
  /** Blocks in one list. */
  static final int MOST_LISTED = Recall.MOST_HELD_BYTES / Recall.HELD_LENGTH;

  /** No attempt of a client comes so late. */
  static final Duration KEPT_FOR = Duration.ofDays(1);

  private static final Logger LOG = LoggerFactory.getLogger(HeldSegments.class);

  /** Headers for one list. More are looked at for the next one. */
  private static final int MOST_LOOKS = 65_536;

  /** Headers for one block, which somebody has found in a list before. */
  private static final int MOST_LOOKS_FOR_BLOCK = 1024;

  /** Of one connection, of what it has delivered: each may be small. */
  private static final int MOST_TAKEN_FILES = 64;

  private static final int MOST_FILES_OF_OWNER = 32_768;

  /** Blocks that are known at the same time: about 100 bytes of memory each. */
  private static final int MOST_KNOWN = 262_144;

  static final int MOST_KNOWN_OF_OWNER = MOST_KNOWN / 4;

  /** Blocks with one checksum that are read for a wanted one: each up to 8 MiB. */
  private static final int MOST_TRIED = 4;

  private final Path directory;
  private final SpoolQuota quota;
  private final LongSupplier clock;

  /** Blocks whose place is known, and files that remain: numbers, not bytes. */
  private final BytesByOwner known = new BytesByOwner();

  private final BytesByOwner files = new BytesByOwner();
  private final AtomicLong chains = new AtomicLong();

  /** Owners whose tokens are good; null until it is known. */
  private volatile Set<String> valid;

  // Guarded by this.
  private final Map<SpoolEnds, NavigableMap<SegmentName, HeldSegment>> all = new HashMap<>();
  private final Set<HeldSegment> remains = new HashSet<>();
  private final Map<String, Long> mostOfOwner = new HashMap<>();

  /**
   * @param clock milliseconds of Unix time
   */
  HeldSegments(Path directory, SpoolQuota quota, LongSupplier clock) {
    this.directory = directory;
    this.quota = quota;
    this.clock = clock;
  }

  /** Finds what a former process has left. Once, first. */
  void open() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Optional<SegmentName> name = SegmentName.of(file.getFileName().toString());
        if (name.isPresent()) {
          found(file, name.get());
        }
      }
    }
  }

  private synchronized void found(Path file, SegmentName name) throws IOException {
    long written = Files.getLastModifiedTime(file).toMillis();
    HeldSegment segment = new HeldSegment(file, name, Files.size(file), written);
    chains.accumulateAndGet(name.chain(), Math::max);
    of(name.ends()).put(name, segment);
    remain(segment);
  }

  private NavigableMap<SegmentName, HeldSegment> of(SpoolEnds ends) {
    return all.computeIfAbsent(ends, same -> new TreeMap<>());
  }

  /** A number that no chain has, or has had while files of it are there. */
  long nextChain() {
    return chains.incrementAndGet();
  }

  /** A new file, which is not there yet and belongs to a connection. */
  synchronized HeldSegment begin(SegmentName name) {
    HeldSegment segment =
        new HeldSegment(directory.resolve(name.toString()), name, 0, clock.getAsLong());
    of(name.ends()).put(name, segment);
    return segment;
  }

  void written(HeldSegment segment) {
    segment.written(clock.getAsLong());
  }

  /** The connection of a file needs it no more. */
  synchronized void remain(HeldSegment segment) {
    if (remains.add(segment)) {
      quota.keepRemains(segment.owner(), segment.length());
      files.add(segment.owner(), 1);
    }
  }

  /** Says how much an owner may have in the spool. */
  synchronized void mayHave(SpoolQuota.Owner owner) {
    mostOfOwner.put(owner.name(), owner.most());
  }

  /** Removes a file. */
  void remove(HeldSegment segment) throws IOException {
    forget(segment);
    segment.remove();
  }

  /** A file is not there, or goes. May wait for somebody who reads it. */
  void forget(HeldSegment segment) {
    drop(segment);
    segment.forget(known);
  }

  private synchronized void drop(HeldSegment segment) {
    NavigableMap<SegmentName, HeldSegment> same = of(segment.name().ends());
    same.remove(segment.name(), segment);
    if (same.isEmpty()) {
      all.remove(segment.name().ends());
    }
    if (remains.remove(segment)) {
      quota.keepRemains(segment.owner(), -segment.length());
      files.add(segment.owner(), -1);
    }
  }

  /** Removes what remains of one chain but so many bytes, the oldest first. */
  void trim(SpoolEnds ends, long chain, long most) throws IOException {
    List<HeldSegment> surplus = new ArrayList<>();
    synchronized (this) {
      long bytes = 0;
      int files = 0;
      for (HeldSegment one : ofChain(ends, chain).descendingMap().values()) {
        if (remains.contains(one)) {
          bytes += one.length();
          files++;
          if (bytes > most || files > MOST_TAKEN_FILES) {
            surplus.add(one);
          }
        }
      }
    }
    for (HeldSegment one : surplus) {
      remove(one);
    }
  }

  private NavigableMap<SegmentName, HeldSegment> ofChain(SpoolEnds ends, long chain) {
    return all.getOrDefault(ends, Collections.emptyNavigableMap())
        .subMap(
            new SegmentName(ends, chain, 0, 0),
            true,
            new SegmentName(ends, chain, Integer.MAX_VALUE, 0),
            true);
  }

  /** Removes what is too old, is nobody's any more, or has no room. */
  void trim() {
    long now = clock.getAsLong();
    Set<String> good = valid;
    for (HeldSegment one : remaining()) {
      boolean isOld = now - one.writtenMillis() > KEPT_FOR.toMillis();
      if (isOld || (good != null && !good.contains(one.owner()))) {
        removeQuietly(one);
      }
    }
    Set<String> owners = owners();
    owners.removeIf(owner -> !hasTooMuch(owner));
    if (!owners.isEmpty()) {
      removeIf(one -> hasTooMuch(one.owner()));
    }
  }

  /** What remains of other owners goes with the next {@link #trim}. */
  void leaveOnlyOf(Set<String> owners) {
    valid = owners;
  }

  private synchronized Set<String> owners() {
    return remains.stream().map(HeldSegment::owner).collect(Collectors.toSet());
  }

  private synchronized List<HeldSegment> remaining() {
    return List.copyOf(remains);
  }

  private synchronized boolean hasTooMuch(String owner) {
    long most = mostOfOwner.getOrDefault(owner, Long.MAX_VALUE);
    return files.of(owner) > MOST_FILES_OF_OWNER
        || quota.hasTooManyRemains(new SpoolQuota.Owner(owner, most));
  }

  /** Removes some of what remains: first what was delivered, the oldest first. */
  private void removeIf(Predicate<HeldSegment> unwanted) {
    List<HeldSegment> some = new ArrayList<>(remaining());
    some.sort(Comparator.comparing(HeldSegment::isWanted).thenComparing(HeldSegment::name));
    for (HeldSegment one : some) {
      if (unwanted.test(one)) {
        removeQuietly(one);
      }
    }
  }

  private void removeQuietly(HeldSegment segment) {
    try {
      remove(segment);
    } catch (IOException e) {
      LOG.warn("cannot remove from the spool reason={}", IoReason.of(e));
    }
  }

  private synchronized List<HeldSegment> between(SpoolEnds ends) {
    NavigableMap<SegmentName, HeldSegment> there = all.get(ends);
    return there == null ? List.of() : List.copyOf(there.values());
  }

  /**
   * What can be read now of blocks between two ends, the latest first.
   *
   * @param isLate from when on no more files are read
   */
  HeldBlocks list(SpoolEnds ends, BooleanSupplier isLate) {
    List<HeldSegment> segments = between(ends);
    Set<Long> keys = new LinkedHashSet<>();
    int looks = MOST_LOOKS;
    for (int i = segments.size() - 1; i >= 0 && keys.size() < MOST_LISTED; i--) {
      try (HeldRun run = new HeldRun(segments, i)) {
        looks = isLate.getAsBoolean() ? 0 : looks;
        looks -= look(segments, i, run, looks);
        for (HeldFrame frame : segments.get(i).latestFirst()) {
          if (run.reaches(frame.end())) {
            keys.add(frame.key());
          }
        }
      } catch (IOException e) {
        LOG.debug("not listed: {}", segments.get(i).path(), e);
      }
    }
    ByteBuffer blocks = ByteBuffer.allocate(Recall.MOST_HELD_BYTES);
    keys.stream().limit(MOST_LISTED).forEach(blocks::putLong);
    return HeldBlocks.newBuilder().setBlocks(ByteString.copyFrom(blocks.flip())).build();
  }

  /**
   * Looks for blocks in a file. When an owner has too many, those of the oldest files between these
   * ends give way, and are found again when others have gone.
   */
  private int look(List<HeldSegment> segments, int index, HeldRun run, int most) {
    HeldSegment segment = segments.get(index);
    if (!segment.hasMore()) {
      return 0;
    }
    String owner = segment.owner();
    for (int i = 0; i < index && known.of(owner) >= MOST_KNOWN_OF_OWNER; i++) {
      segments.get(i).forget(known);
    }
    long room = Math.min(MOST_KNOWN - known.sum(), MOST_KNOWN_OF_OWNER - known.of(owner));
    return segment.look(run, (int) Math.min(most, Math.max(0, room)), known);
  }

  /**
   * The whole frame that is named, with its payload, which the caller releases; null when it is not
   * here.
   *
   * @param isLate from when on nothing more is read
   */
  ByteBuf read(SpoolEnds ends, Recall wanted, ByteBufAllocator allocator, BooleanSupplier isLate) {
    List<HeldSegment> segments = between(ends);
    int looks = MOST_LOOKS_FOR_BLOCK;
    int tried = 0;
    for (int i = segments.size() - 1; i >= 0 && tried < MOST_TRIED && !isLate.getAsBoolean(); i--) {
      try (HeldRun run = new HeldRun(segments, i)) {
        looks -= look(segments, i, run, looks);
        Optional<HeldFrame> found = segments.get(i).find(wanted.frame());
        if (found.isPresent() && run.reaches(found.get().end())) {
          tried++;
          ByteBuf frame = read(run, found.get(), wanted, allocator);
          if (frame != null) {
            return frame;
          }
        }
      } catch (IOException e) {
        LOG.debug("not read: {}", segments.get(i).path(), e);
      }
    }
    return null;
  }

  private static ByteBuf read(
      HeldRun run, HeldFrame found, Recall wanted, ByteBufAllocator allocator) throws IOException {
    int header = Math.toIntExact(found.payloadOffset() - found.offset());
    int length = header + found.wireLength();
    ByteBuf frame = allocator.directBuffer(length, length);
    boolean isWanted = false;
    try {
      wanted.frame().write(frame);
      if (run.read(found.payloadOffset(), frame.nioBuffer(header, found.wireLength()))) {
        byte[] digest = Recall.digest(frame, header, found.wireLength());
        isWanted = MessageDigest.isEqual(digest, wanted.digest());
        frame.writerIndex(length);
      }
    } finally {
      if (!isWanted) {
        frame.release();
      }
    }
    return isWanted ? frame : null;
  }
}
