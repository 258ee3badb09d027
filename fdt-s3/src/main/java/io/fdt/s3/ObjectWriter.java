package io.fdt.s3;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.Crc32cCombine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.Unpooled;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.ChecksumType;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.RequestPayer;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/**
 * The requests that write one object. Each body goes with its CRC32C, which the store compares, and
 * each checksum that the store answers with is compared here. Any thread.
 */
final class ObjectWriter {
  static final String TYPE = "application/octet-stream";

  private final Store store;
  private final ObjectPath path;

  ObjectWriter(Store store, ObjectPath path) {
    this.store = store;
    this.path = path;
  }

  /**
   * Writes a whole object.
   *
   * @return its ETag
   */
  String put(ByteBuf bytes, Map<String, String> metadata, Conditions wanted) throws FdtException {
    Settings settings = store.settings();
    String crc = text(Crc32c.of(bytes, bytes.readerIndex(), bytes.readableBytes()));
    PutObjectResponse answer =
        conditionally(
            wanted,
            bytes.readableBytes(),
            crc,
            conditions ->
                store.attempt(
                    client ->
                        client.putObject(
                            request ->
                                request
                                    .bucket(path.bucket())
                                    .key(path.key())
                                    .metadata(metadata)
                                    .contentType(TYPE)
                                    .checksumCRC32C(crc)
                                    .ifMatch(conditions.ifMatch())
                                    .ifNoneMatch(conditions.ifNoneMatch())
                                    .serverSideEncryption(settings.encryption())
                                    .ssekmsKeyId(settings.kmsKey())
                                    .storageClass(settings.storageClass())
                                    .requestPayer(settings.payer()),
                            body(bytes))));
    if (answer == null) {
      return null;
    }
    compare(crc, answer.checksumCRC32C());
    return answer.eTag();
  }

  private static RequestBody body(ByteBuf bytes) {
    return RequestBody.fromContentProvider(
        () -> new ByteBufInputStream(bytes.duplicate()), bytes.readableBytes(), TYPE);
  }

  /** Begins an upload in parts. */
  MultipartUpload begin(Map<String, String> metadata) throws FdtException {
    Settings settings = store.settings();
    CreateMultipartUploadResponse answer =
        store.send(
            path,
            client ->
                client.createMultipartUpload(
                    request ->
                        request
                            .bucket(path.bucket())
                            .key(path.key())
                            .metadata(metadata)
                            .contentType(TYPE)
                            .checksumAlgorithm(ChecksumAlgorithm.CRC32_C)
                            .checksumType(ChecksumType.FULL_OBJECT)
                            .serverSideEncryption(settings.encryption())
                            .ssekmsKeyId(settings.kmsKey())
                            .storageClass(settings.storageClass())
                            .requestPayer(settings.payer())));
    return new MultipartUpload(
        answer.uploadId(), answer.checksumType() == ChecksumType.FULL_OBJECT);
  }

  /** Uploads a part. */
  UploadedPart part(MultipartUpload upload, int number, byte[] bytes, int length)
      throws FdtException {
    RequestPayer payer = store.payer();
    ByteBuf body = Unpooled.wrappedBuffer(bytes, 0, length);
    int crc = Crc32c.of(body, 0, length);
    UploadPartResponse answer =
        store.send(
            path,
            client ->
                client.uploadPart(
                    request ->
                        request
                            .bucket(path.bucket())
                            .key(path.key())
                            .uploadId(upload.id())
                            .partNumber(number)
                            .checksumCRC32C(text(crc))
                            .requestPayer(payer),
                    body(body)));
    compare(text(crc), answer.checksumCRC32C());
    return new UploadedPart(number, length, answer.eTag(), crc);
  }

  /**
   * Makes the object of its parts.
   *
   * @param parts all of them, in order
   * @return its ETag
   */
  String complete(MultipartUpload upload, List<UploadedPart> parts, Conditions wanted)
      throws FdtException {
    RequestPayer payer = store.payer();
    int crc = 0;
    long size = 0;
    for (UploadedPart part : parts) {
      crc = Crc32cCombine.combine(crc, part.crc(), part.length());
      size += part.length();
    }
    String whole = text(crc);
    String composite = composite(parts);
    List<CompletedPart> completed =
        parts.stream()
            .map(
                part ->
                    CompletedPart.builder()
                        .partNumber(part.number())
                        .eTag(part.tag())
                        .checksumCRC32C(text(part.crc()))
                        .build())
            .toList();
    CompleteMultipartUploadResponse answer =
        conditionally(
            wanted,
            size,
            upload.wholeChecksum() ? whole : composite,
            conditions ->
                store.attempt(
                    client ->
                        client.completeMultipartUpload(
                            request ->
                                request
                                    .bucket(path.bucket())
                                    .key(path.key())
                                    .uploadId(upload.id())
                                    .checksumType(
                                        upload.wholeChecksum() ? ChecksumType.FULL_OBJECT : null)
                                    .checksumCRC32C(upload.wholeChecksum() ? whole : null)
                                    .ifMatch(conditions.ifMatch())
                                    .ifNoneMatch(conditions.ifNoneMatch())
                                    .requestPayer(payer)
                                    .multipartUpload(all -> all.parts(completed)))));
    if (answer == null) {
      return null;
    }
    String said = answer.checksumCRC32C();
    compare(said != null && said.contains("-") ? composite : whole, said);
    return answer.eTag();
  }

  /** The checksum of the checksums of the parts, as S3 writes it. */
  private static String composite(List<UploadedPart> parts) {
    ByteBuf all = Unpooled.buffer(parts.size() * Integer.BYTES);
    parts.forEach(part -> all.writeInt(part.crc()));
    return text(Crc32c.of(all, 0, all.readableBytes())) + "-" + parts.size();
  }

  /** Removes an upload with its parts. */
  void remove(MultipartUpload upload) throws FdtException {
    RequestPayer payer = store.payer();
    Object unused =
        store.send(
            path,
            client ->
                client.abortMultipartUpload(
                    request ->
                        request
                            .bucket(path.bucket())
                            .key(path.key())
                            .uploadId(upload.id())
                            .requestPayer(payer)));
  }

  /** Gives an upload up; a failure leaves it to {@code fdt cleanup}. */
  void abort(MultipartUpload upload) {
    try {
      remove(upload);
    } catch (FdtException e) {
      // The file has failed for another reason, which its message says.
    }
  }

  /** A request that makes the object. */
  private interface Making<T> {
    T with(Conditions conditions) throws FdtException;
  }

  /**
   * Makes the object under its conditions, or without where the store knows none.
   *
   * @return null when the object was made by an attempt whose answer was lost
   */
  private <T> T conditionally(Conditions wanted, long size, String crc, Making<T> making)
      throws FdtException {
    try {
      return making.with(store.ignoresConditions() ? Conditions.NONE : wanted);
    } catch (SdkException e) {
      if (Failures.isUnknownToTheStore(e) && !store.ignoresConditions()) {
        store.goesWithoutConditions();
        return conditionally(wanted, size, crc, making);
      }
      boolean mayBeOurs = Failures.isRefusedByCondition(e) || Failures.isMissing(e);
      if (mayBeOurs && isThere(size, crc)) {
        return null;
      }
      throw Failures.of(e, path);
    }
  }

  private boolean isThere(long size, String crc) throws FdtException {
    RequestPayer payer = store.payer();
    try {
      HeadObjectResponse answer =
          store.attempt(
              client ->
                  client.headObject(
                      request ->
                          request
                              .bucket(path.bucket())
                              .key(path.key())
                              .checksumMode(ChecksumMode.ENABLED)
                              .requestPayer(payer)));
      return answer.contentLength() == size && crc.equals(answer.checksumCRC32C());
    } catch (SdkException e) {
      return false;
    }
  }

  private void compare(String sent, String answered) throws FdtException {
    if (answered != null && !answered.equals(sent)) {
      throw new FdtException(
          ErrorCode.VERIFICATION,
          "'%s': the store has CRC32C %s, but %s was sent; run the command again"
              .formatted(path, answered, sent));
    }
  }

  /** A checksum as S3 writes it. */
  static String text(int crc) {
    return Base64.getEncoder()
        .encodeToString(ByteBuffer.allocate(Integer.BYTES).putInt(crc).array());
  }

  /** The checksum that a text has; empty for none. */
  static OptionalInt crc(String text) {
    try {
      return text == null
          ? OptionalInt.empty()
          : OptionalInt.of(ByteBuffer.wrap(Base64.getDecoder().decode(text)).getInt());
    } catch (IllegalArgumentException | BufferUnderflowException e) {
      return OptionalInt.empty();
    }
  }
}
