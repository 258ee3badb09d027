package io.fdt.s3;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * An upload in parts that is not complete.
 *
 * @param wholeChecksum whether the store computes a CRC32C of the whole object; otherwise one of
 *     the checksums of its parts
 */
record MultipartUpload(String id, boolean wholeChecksum) {
  /**
   * An earlier upload with the parts that the store has, in order.
   *
   * @param lastUsed when it began, or got its last part
   */
  record Found(MultipartUpload upload, List<UploadedPart> parts, Instant lastUsed) {
    private static final Duration CONTINUED_WITHIN = Duration.ofHours(1);

    /** Whether it got a part in the last hour, so that a running transfer may continue it. */
    boolean isRecent() {
      return lastUsed.isAfter(Instant.now().minus(CONTINUED_WITHIN));
    }
  }
}
