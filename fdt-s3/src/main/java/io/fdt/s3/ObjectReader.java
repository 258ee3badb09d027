package io.fdt.s3;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.DestinationDirectory;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.List;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * An object that is read by a request for each range. All ranges are of the version that was
 * listed: each answer must have its ETag, and each request after the first one asks for it.
 * Thread-safe.
 */
final class ObjectReader implements BlockReader, DestinationDirectory.ExistingFile {
  private static final int ATTEMPTS = 4;
  private static final long FIRST_WAIT_MILLIS = 200;

  private final Store store;
  private final ObjectPath path;
  private final long size;
  private final long identity;

  /** The ETag; null before the first answer. */
  private volatile String tag;

  private volatile boolean closed;

  /**
   * @param identity of the ETag; 0 when unknown
   */
  ObjectReader(Store store, ObjectPath path, long size, long identity) {
    this.store = store;
    this.path = path;
    this.size = size;
    this.identity = identity;
  }

  ObjectPath path() {
    return path;
  }

  @Override
  public int read(ByteBuf target, int most, long offset) throws FdtException {
    int length = (int) Math.max(0, Math.min(most, size - offset));
    int start = target.writerIndex();
    for (int attempt = 1; ; attempt++) {
      if (closed) {
        throw new FdtException(ErrorCode.CANCELLED, "'" + path + "' was closed before it was read");
      }
      if (length == 0) {
        return 0;
      }
      try {
        fetch(target, length, offset);
        return length;
      } catch (IOException e) {
        target.writerIndex(start);
        if (e instanceof FdtException || attempt == ATTEMPTS) {
          throw e instanceof FdtException failure ? failure : broken(e);
        }
        await(attempt);
      }
    }
  }

  private void fetch(ByteBuf target, int length, long offset) throws IOException {
    boolean isWhole = length == size;
    String expected = tag;
    GetObjectRequest.Builder request =
        GetObjectRequest.builder()
            .bucket(path.bucket())
            .key(path.key())
            .ifMatch(expected)
            .requestPayer(store.payer());
    if (isWhole) {
      request.checksumMode(ChecksumMode.ENABLED);
    } else {
      request.range("bytes=" + offset + "-" + (offset + length - 1));
    }
    try (ResponseInputStream<GetObjectResponse> body =
        store.attempt(client -> client.getObject(request.build()))) {
      GetObjectResponse answer = body.response();
      if (identity != 0
          && (answer.eTag() == null || S3Catalogue.identity(answer.eTag()) != identity)) {
        body.abort();
        throw changed();
      }
      boolean isRange =
          isWhole
              || String.valueOf(answer.contentRange())
                  .equals("bytes " + offset + "-" + (offset + length - 1) + "/" + size);
      if (!isRange || answer.contentLength() == null || answer.contentLength() != length) {
        body.abort();
        throw changed();
      }
      int left = length;
      while (left > 0) {
        int read = target.writeBytes(body, left);
        if (read < 0) {
          throw new IOException("the body ends early");
        }
        left -= read;
      }
      if (isWhole && body.read() >= 0) { // the checksum is compared at the end
        throw changed();
      }
      tag = answer.eTag();
    } catch (SdkException e) {
      if (Failures.isRefusedByCondition(e)) {
        throw changed();
      }
      if (e instanceof SdkClientException && String.valueOf(e.getMessage()).contains("checksum")) {
        throw new FdtException(
            ErrorCode.VERIFICATION,
            "'"
                + path
                + "': the bytes differ from the checksum of the store; run the command again",
            e);
      }
      throw Failures.of(e, path);
    }
  }

  private FdtException changed() {
    return new FdtException(
        ErrorCode.SOURCE_CHANGED,
        "'" + path + "' changed in the bucket while it was read; run the command again");
  }

  private FdtException broken(IOException cause) {
    return new FdtException(
        ErrorCode.UNREACHABLE,
        "'" + path + "': the connection to the store broke; run the command again",
        cause);
  }

  private void await(int attempt) throws FdtException {
    try {
      Thread.sleep(FIRST_WAIT_MILLIS << attempt);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FdtException(ErrorCode.CANCELLED, "'" + path + "' was not read to its end", e);
    }
  }

  /** {@inheritDoc} Each answer says of which version it is. */
  @Override
  public void checkUnchanged() {}

  @Override
  public List<Range> holes(int most) {
    return List.of();
  }

  @Override
  public void close() {
    closed = true;
  }
}
