package io.fdt.s3;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.catalogue.Catalogue;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/**
 * The objects beneath a prefix that exist already. The first names are asked for one by one; then a
 * listing says which names exist, and the metadata of those near a name is asked for with it.
 *
 * <p>Thread-safe.
 */
final class KnownObjects {
  private static final int ASKED_ONE_BY_ONE = 8;

  /** More names are asked for one by one. Memory: 10 MB. */
  private static final int MOST_LISTED = 100_000;

  private static final int ASKED_AHEAD = 64;

  private final Store store;
  private final ObjectPath path;
  private final ExecutorService requests;

  private int asked;
  private boolean isTooLarge;

  /** The names that exist, and whether there is an object, a directory or both; null before. */
  private TreeMap<FileName, Kinds> listed;

  private final Map<FileName, Future<Optional<Store.Found>>> ahead = new HashMap<>();

  /**
   * An object, a directory, or both.
   *
   * @param asked whether the metadata of the object was asked for before
   */
  private record Kinds(boolean object, boolean directory, boolean asked) {}

  KnownObjects(Store store, ObjectPath path, ExecutorService requests) {
    this.store = store;
    this.path = path;
    this.requests = requests;
  }

  /** The object of this name. */
  synchronized Optional<Store.Found> find(FileName name) throws FdtException {
    if (!isListed()) {
      return store.find(path.child(name));
    }
    Kinds kinds = listed.get(name);
    if (kinds == null || !kinds.object()) {
      return Optional.empty();
    }
    if (kinds.asked()) {
      return store.find(path.child(name));
    }
    Iterator<Map.Entry<FileName, Kinds>> next = listed.tailMap(name).entrySet().iterator();
    for (int i = 0; i < ASKED_AHEAD && next.hasNext(); i++) {
      Map.Entry<FileName, Kinds> one = next.next();
      if (one.getValue().object() && !one.getValue().asked()) {
        ahead.computeIfAbsent(
            one.getKey(),
            near -> {
              ObjectPath object = path.child(near);
              return requests.submit(() -> store.find(object));
            });
      }
    }
    listed.put(name, new Kinds(true, kinds.directory(), true));
    return await(ahead.remove(name));
  }

  /** Whether there are objects beneath this name. */
  synchronized boolean isDirectory(FileName name) throws FdtException {
    if (!isListed()) {
      return store.hasKeys(path.child(name));
    }
    Kinds kinds = listed.get(name);
    return kinds != null && kinds.directory();
  }

  /** An object has been written. */
  synchronized void wrote(FileName name) {
    if (listed != null) {
      boolean isDirectory = listed.containsKey(name) && listed.get(name).directory();
      listed.put(name, new Kinds(true, isDirectory, true));
    }
  }

  private boolean isListed() throws FdtException {
    if (listed == null && !isTooLarge && ++asked > ASKED_ONE_BY_ONE) {
      list();
    }
    return listed != null;
  }

  private void list() throws FdtException {
    TreeMap<FileName, Kinds> all = new TreeMap<>();
    PrefixNames names = new PrefixNames(store, path, requests, false);
    Catalogue.Listed one;
    while ((one = names.next()) != null) {
      boolean isDirectory = one.item().isDirectory();
      all.merge(
          one.name(),
          new Kinds(!isDirectory, isDirectory, false),
          (a, b) -> new Kinds(a.object() || b.object(), a.directory() || b.directory(), false));
      if (all.size() > MOST_LISTED) {
        isTooLarge = true;
        return;
      }
    }
    listed = all;
  }

  private Optional<Store.Found> await(Future<Optional<Store.Found>> found) throws FdtException {
    try {
      return found.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FdtException(ErrorCode.CANCELLED, "'" + path + "' was not looked through", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof FdtException failure
          ? failure
          : FdtException.unforeseen("a request failed", e.getCause());
    }
  }
}
