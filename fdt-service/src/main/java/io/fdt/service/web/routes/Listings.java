package io.fdt.service.web.routes;

import io.fdt.client.RemoteFile;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Recent listings of directories. Pages of one listing are consistent, and the server is queried
 * once. Any thread.
 */
final class Listings {
  /** The most entries of all listings together. Memory: about 200 bytes each. */
  private static final int MOST_ENTRIES = 300_000;

  private static final long LIFE_NANOS = Duration.ofMinutes(5).toNanos();

  private static final Comparator<RemoteFile> BY_NAME =
      (one, other) -> Arrays.compareUnsigned(one.name().bytes(), other.name().bytes());

  static final Map<String, Comparator<RemoteFile>> ORDERS =
      Map.of(
          "name", BY_NAME,
          "kind",
              Comparator.comparing((RemoteFile file) -> !isDirectory(file)).thenComparing(BY_NAME),
          "size", Comparator.comparingLong(RemoteFile::size).thenComparing(BY_NAME),
          "modified", Comparator.comparing(RemoteFile::modified).thenComparing(BY_NAME));

  /**
   * The request of a listing.
   *
   * @param order a name of {@link #ORDERS}, with a leading dash for descending order
   * @param match in the name, ignoring case; empty for all
   * @param hidden whether to include names that begin with a dot
   */
  record Key(
      String owner, String endpoint, String path, String order, String match, boolean hidden) {}

  /**
   * A listing. Its id names it to clients.
   *
   * @param leftOut number of matching hidden names that are omitted
   * @param bytes of its files together
   */
  record Listing(
      String id, Key key, List<RemoteFile> files, long leftOut, long bytes, long madeNanos) {}

  /** Queries the server. */
  @FunctionalInterface
  interface Source {
    List<RemoteFile> list() throws ServiceException, FdtException, InterruptedException;
  }

  private final Deque<Listing> kept = new ArrayDeque<>();
  private int entries;

  /**
   * The cached listing of this id, or a new one.
   *
   * @param id empty for a new one
   */
  Listing get(String id, Key key, long nowNanos, Source source)
      throws ServiceException, FdtException, InterruptedException {
    Listing known = find(id, key, nowNanos);
    if (known != null) {
      return known;
    }
    Listing made = listing(source.list(), key, nowNanos);
    keep(made);
    return made;
  }

  private synchronized Listing find(String id, Key key, long nowNanos) {
    for (Iterator<Listing> all = kept.iterator(); all.hasNext(); ) {
      Listing one = all.next();
      if (nowNanos - one.madeNanos() > LIFE_NANOS) {
        all.remove();
        entries -= one.files().size();
      } else if (one.id().equals(id) && one.key().equals(key)) {
        return one;
      }
    }
    return null;
  }

  private synchronized void keep(Listing listing) {
    if (listing.files().size() > MOST_ENTRIES) {
      return;
    }
    kept.addLast(listing);
    entries += listing.files().size();
    while (entries > MOST_ENTRIES) {
      entries -= kept.removeFirst().files().size();
    }
  }

  private static Listing listing(List<RemoteFile> all, Key key, long nowNanos) {
    boolean isDown = key.order().startsWith("-");
    Comparator<RemoteFile> order = ORDERS.get(key.order().substring(isDown ? 1 : 0));
    String match = key.match().toLowerCase(Locale.ROOT);
    List<RemoteFile> found =
        all.stream()
            .filter(file -> match.isEmpty() || text(file).toLowerCase(Locale.ROOT).contains(match))
            .toList();
    List<RemoteFile> files =
        found.stream()
            .filter(file -> key.hidden() || file.name().bytes()[0] != '.')
            .sorted(isDown ? order.reversed() : order)
            .toList();
    long bytes =
        files.stream()
            .filter(file -> file.kind().equals(Optional.of(EntryKind.FILE)))
            .mapToLong(RemoteFile::size)
            .sum();
    return new Listing(Secrets.id(), key, files, found.size() - files.size(), bytes, nowNanos);
  }

  private static boolean isDirectory(RemoteFile file) {
    return file.kind().equals(Optional.of(EntryKind.DIRECTORY));
  }

  private static String text(RemoteFile file) {
    return new String(file.name().bytes(), StandardCharsets.UTF_8);
  }
}
