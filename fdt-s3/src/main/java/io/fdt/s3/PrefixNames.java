package io.fdt.s3;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.catalogue.Catalogue;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * The names beneath a prefix, page by page: at most two pages are in memory. A page does not have
 * the metadata of objects, which requests for each of them bring, many at once.
 *
 * <p>Confined to one thread.
 */
final class PrefixNames implements Catalogue.Names {
  private static final int PAGE = 1000;

  /** A name whose item may still be on its way. */
  private record Pending(FileName name, Catalogue.Item item, Future<Optional<Store.Found>> found) {}

  private final Store store;
  private final ObjectPath directory;
  private final ExecutorService requests;
  private final boolean exact;
  private final ArrayDeque<Pending> page = new ArrayDeque<>();

  /** Null after the last page. */
  private Future<ListObjectsV2Response> next;

  private boolean isAny;
  private boolean hasMarker;
  private long flawed;
  private String flaw;

  /**
   * @param exact whether times and modes of files are those of their metadata
   */
  PrefixNames(Store store, ObjectPath directory, ExecutorService requests, boolean exact) {
    this.store = store;
    this.directory = directory;
    this.requests = requests;
    this.exact = exact;
    this.next = requests.submit(() -> fetch(null));
  }

  private ListObjectsV2Response fetch(String token) throws FdtException {
    return store.list(
        directory,
        ListObjectsV2Request.builder()
            .prefix(directory.prefix())
            .delimiter("/")
            .maxKeys(PAGE)
            .continuationToken(token));
  }

  @Override
  public Catalogue.Listed next() throws FdtException {
    while (true) {
      Pending one = page.poll();
      if (one == null) {
        if (next == null) {
          return null;
        }
        take(await(next));
      } else if (one.found() == null) {
        return new Catalogue.Listed(one.name(), one.item());
      } else {
        Optional<Store.Found> found = await(one.found());
        if (found.isPresent()) { // otherwise it was removed meanwhile
          return new Catalogue.Listed(one.name(), S3Catalogue.item(found.get()));
        }
      }
    }
  }

  private void take(ListObjectsV2Response answer) {
    String token = answer.nextContinuationToken();
    next = Boolean.TRUE.equals(answer.isTruncated()) ? requests.submit(() -> fetch(token)) : null;
    for (S3Object object : answer.contents()) {
      isAny = true;
      String name = object.key().substring(directory.prefix().length());
      if (name.isEmpty()) {
        hasMarker = true;
        continue;
      }
      FileName valid = valid(name, object.key());
      if (valid == null) {
        continue;
      }
      ObjectPath path = directory.child(valid);
      page.add(
          exact
              ? new Pending(valid, null, requests.submit(() -> store.find(path)))
              : new Pending(valid, item(object), null));
    }
    for (CommonPrefix prefix : answer.commonPrefixes()) {
      isAny = true;
      String name = prefix.prefix().substring(directory.prefix().length());
      FileName valid = valid(name.substring(0, name.length() - 1), prefix.prefix());
      if (valid != null) {
        page.add(new Pending(valid, S3Catalogue.DIRECTORY, null));
      }
    }
  }

  private static Catalogue.Item item(S3Object object) {
    Instant received = object.lastModified();
    Timestamp stored = new Timestamp(received.getEpochSecond(), received.getNano());
    return new Catalogue.Item(
        EntryKind.FILE,
        object.size(),
        S3Catalogue.FILE_MODE,
        stored,
        S3Catalogue.stamp(object.eTag(), received));
  }

  private FileName valid(String name, String key) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    if (FileName.flawOf(bytes) == null) {
      return FileName.of(bytes);
    }
    flawed++;
    flaw = flaw == null ? key : flaw;
    return null;
  }

  /** Whether an object marks this directory. After the last name. */
  boolean hasMarker() {
    return hasMarker;
  }

  /**
   * Checks that the names are all there is. After the last one.
   *
   * @throws FdtException NOT_FOUND; BAD_NAME for keys that are no paths of files
   */
  void checkComplete() throws FdtException {
    if (flawed > 0) {
      throw new FdtException(
          ErrorCode.BAD_NAME,
          "'%s' has keys that no file can have as its name, %d here, such as '%s'; rename them in the bucket"
              .formatted(directory, flawed, flaw));
    }
    if (!isAny && !directory.isBucket()) {
      throw new FdtException(
          ErrorCode.NOT_FOUND, "'" + directory + "/' does not exist; check the path");
    }
  }

  private <T> T await(Future<T> result) throws FdtException {
    try {
      return result.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FdtException(
          ErrorCode.CANCELLED, "'" + directory + "' was not listed to its end", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof FdtException failure
          ? failure
          : FdtException.unforeseen("listing failed", e.getCause());
    }
  }
}
