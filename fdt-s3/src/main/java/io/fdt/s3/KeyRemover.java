package io.fdt.s3;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.RequestPayer;
import software.amazon.awssdk.services.s3.model.S3Error;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Removes objects, a thousand with one request. In a bucket with versions the older ones stay.
 * Confined to one thread.
 */
final class KeyRemover {
  private static final int MOST_KEYS = 1000;

  /**
   * An object or a directory.
   *
   * @param key null for a directory without a marker
   */
  record Doomed(ObjectPath path, String key, EntryKind kind, long size) {
    Attributes attributes() {
      return new Attributes(
          Optional.of(kind),
          size,
          0,
          new Timestamp(0, 0),
          new Timestamp(0, 0),
          0,
          0,
          1,
          size,
          0,
          0);
    }
  }

  /** Receives the outcomes. */
  interface Report {
    void removed(Doomed what) throws FdtException, InterruptedException;

    void failed(ObjectPath path, FdtException cause) throws FdtException, InterruptedException;
  }

  private final Store store;
  private final boolean pretend;
  private final Report report;
  private final List<Doomed> batch = new ArrayList<>();
  private boolean isComplete = true;

  /**
   * @param pretend whether to only report
   */
  KeyRemover(Store store, boolean pretend, Report report) {
    this.store = store;
    this.pretend = pretend;
    this.report = report;
  }

  void object(ObjectPath path, long size) throws FdtException, InterruptedException {
    add(new Doomed(path, path.key(), EntryKind.FILE, size));
  }

  /** A directory, after all beneath it. */
  void directory(ObjectPath path, boolean hasMarker) throws FdtException, InterruptedException {
    add(new Doomed(path, hasMarker ? path.prefix() : null, EntryKind.DIRECTORY, 0));
  }

  /** All objects beneath a path, whatever their names. */
  void tree(ObjectPath path) throws FdtException, InterruptedException {
    String token = null;
    do {
      ListObjectsV2Response page =
          store.list(
              path, ListObjectsV2Request.builder().prefix(path.prefix()).continuationToken(token));
      for (S3Object one : page.contents()) {
        object(new ObjectPath(path.bucket(), one.key()), one.size());
      }
      token = Boolean.TRUE.equals(page.isTruncated()) ? page.nextContinuationToken() : null;
    } while (token != null);
  }

  private void add(Doomed one) throws FdtException, InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("the deletion was cancelled");
    }
    batch.add(one);
    if (batch.size() == MOST_KEYS) {
      flush();
    }
  }

  /** Removes the last ones. */
  void flush() throws FdtException, InterruptedException {
    Map<String, FdtException> failures = pretend || batch.isEmpty() ? Map.of() : remove();
    isComplete &= failures.isEmpty();
    for (Doomed one : batch) {
      FdtException failure = one.key() == null ? null : failures.get(one.key());
      if (failure != null) {
        report.failed(one.path(), failure);
      } else if (isComplete || one.kind() == EntryKind.FILE) {
        report.removed(one);
      }
    }
    batch.clear();
  }

  private Map<String, FdtException> remove() throws FdtException {
    List<ObjectIdentifier> keys =
        batch.stream()
            .filter(one -> one.key() != null)
            .map(one -> ObjectIdentifier.builder().key(one.key()).build())
            .toList();
    Map<String, FdtException> failures = new HashMap<>();
    if (keys.isEmpty()) {
      return failures;
    }
    ObjectPath first = batch.get(0).path();
    RequestPayer payer = store.payer();
    try {
      for (S3Error error :
          store
              .send(
                  first,
                  client ->
                      client.deleteObjects(
                          request ->
                              request
                                  .bucket(first.bucket())
                                  .requestPayer(payer)
                                  .delete(these -> these.objects(keys).quiet(true))))
              .errors()) {
        failures.put(
            error.key(),
            new FdtException(
                ErrorCode.PERMISSION,
                "'%s': the store does not remove it (%s); ask its owner for the right to do this"
                    .formatted(new ObjectPath(first.bucket(), error.key()), error.code())));
      }
    } catch (FdtException e) {
      keys.forEach(key -> failures.put(key.key(), e));
    }
    return failures;
  }
}
