package io.fdt.s3;

import io.fdt.core.error.FdtException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import software.amazon.awssdk.services.s3.model.ChecksumType;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListPartsResponse;
import software.amazon.awssdk.services.s3.model.Part;
import software.amazon.awssdk.services.s3.model.RequestPayer;

/** The uploads that are not complete, as the store lists them. Pure requests; any thread. */
final class Uploads {
  private static final int PAGE = 1000;

  /** An upload in a listing. */
  record Listed(ObjectPath path, String id, Instant begun) {}

  /** Receives a listing. */
  interface Visitor {
    void upload(Listed one) throws FdtException;
  }

  private Uploads() {}

  /**
   * Visits the uploads of keys that begin like this.
   *
   * @param start for messages, with its bucket
   */
  static void visit(Store store, ObjectPath start, String prefix, Visitor visitor)
      throws FdtException {
    RequestPayer payer = store.payer();
    String[] from = new String[2];
    ListMultipartUploadsResponse page;
    do {
      page =
          store.send(
              start,
              client ->
                  client.listMultipartUploads(
                      request ->
                          request
                              .bucket(start.bucket())
                              .prefix(prefix)
                              .keyMarker(from[0])
                              .uploadIdMarker(from[1])
                              .requestPayer(payer)));
      for (var one : page.uploads()) {
        visitor.upload(
            new Listed(new ObjectPath(start.bucket(), one.key()), one.uploadId(), one.initiated()));
      }
      List<String> next = Arrays.asList(page.nextKeyMarker(), page.nextUploadIdMarker());
      Store.checkNext(start, page.isTruncated(), Arrays.asList(from), next);
      next.toArray(from);
    } while (Boolean.TRUE.equals(page.isTruncated()));
  }

  /**
   * The upload that an object can be continued with: the last one whose parts have checksums.
   *
   * @param partSize bytes of each part but the last
   */
  static Optional<MultipartUpload.Found> of(Store store, ObjectPath path, long size, long partSize)
      throws FdtException {
    List<Listed> all = new ArrayList<>();
    visit(
        store,
        path,
        path.key(),
        one -> {
          if (one.path().equals(path)) {
            all.add(one);
          }
        });
    all.sort((a, b) -> b.begun().compareTo(a.begun()));
    for (Listed one : all) {
      Optional<MultipartUpload.Found> found = parts(store, one, true);
      if (found.isPresent() && fits(found.get().parts(), size, partSize)) {
        return found;
      }
    }
    return Optional.empty();
  }

  private static boolean fits(List<UploadedPart> parts, long size, long partSize) {
    int last = 0;
    for (UploadedPart part : parts) {
      long length = Math.min(partSize, size - (part.number() - 1) * partSize);
      if (part.number() <= last || part.length() != length || length <= 0) {
        return false;
      }
      last = part.number();
    }
    return last > 0;
  }

  /**
   * The parts that the store has.
   *
   * @param checked whether each must have a checksum
   * @return empty where one has none
   */
  static Optional<MultipartUpload.Found> parts(Store store, Listed upload, boolean checked)
      throws FdtException {
    RequestPayer payer = store.payer();
    List<UploadedPart> parts = new ArrayList<>();
    Instant lastUsed = upload.begun();
    boolean isWhole = false;
    Integer[] from = {0};
    ListPartsResponse page;
    do {
      page =
          store.send(
              upload.path(),
              client ->
                  client.listParts(
                      request ->
                          request
                              .bucket(upload.path().bucket())
                              .key(upload.path().key())
                              .uploadId(upload.id())
                              .maxParts(PAGE)
                              .partNumberMarker(from[0])
                              .requestPayer(payer)));
      isWhole = page.checksumType() == ChecksumType.FULL_OBJECT;
      for (Part part : page.parts()) {
        OptionalInt crc = ObjectWriter.crc(part.checksumCRC32C());
        if (checked && crc.isEmpty()) {
          return Optional.empty();
        }
        if (part.partNumber() == null || part.size() == null || part.size() < 0) {
          throw Failures.wrong(upload.path(), "lists a part without its number or size");
        }
        parts.add(new UploadedPart(part.partNumber(), part.size(), part.eTag(), crc.orElse(0)));
        if (part.lastModified() != null && part.lastModified().isAfter(lastUsed)) {
          lastUsed = part.lastModified();
        }
      }
      Store.checkNext(upload.path(), page.isTruncated(), from[0], page.nextPartNumberMarker());
      from[0] = page.nextPartNumberMarker();
    } while (Boolean.TRUE.equals(page.isTruncated()));
    return Optional.of(
        new MultipartUpload.Found(new MultipartUpload(upload.id(), isWhole), parts, lastUsed));
  }
}
