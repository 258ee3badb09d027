package io.fdt.client;

import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecCoding;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A number by which a server knows the same request again, so that the next attempt of a client
 * that died does not find its own files locked by the last one.
 */
final class RequestKey {
  private RequestKey() {}

  /**
   * The same for what is the same work of one user in one directory, however fast it is to be done;
   * never 0.
   */
  static long of(TransferRequest request) {
    MessageDigest digest = sha256();
    add(digest, System.getProperty("user.name", ""));
    add(digest, System.getProperty("user.dir", ""));
    add(digest, request.direction().name());
    digest.update(TransferSpecCoding.toBytes(work(request.spec())));
    return ByteBuffer.wrap(digest.digest()).getLong() | 1;
  }

  private static TransferSpec work(TransferSpec spec) {
    TransferSpec.Builder work =
        TransferSpec.builder()
            .sources(spec.sources())
            .destination(spec.destination())
            .selection(spec.selection())
            .part(spec.part())
            .sync(spec.sync())
            .dryRun(spec.dryRun())
            .delete(spec.delete())
            .maxDelete(spec.maxDelete())
            .preservation(spec.preservation());
    spec.backups().ifPresent(work::backups);
    return work.build();
  }

  private static void add(MessageDigest digest, String text) {
    digest.update(text.getBytes(StandardCharsets.UTF_8));
    digest.update((byte) 0);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
