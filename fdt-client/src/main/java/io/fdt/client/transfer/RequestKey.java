package io.fdt.client.transfer;

import io.fdt.client.TransferRequest;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecCoding;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Identifies a request, so that a restarted client does not find its own files locked by its
 * previous run.
 */
public final class RequestKey {
  private RequestKey() {}

  /**
   * Equal for the same work of one user, whatever the rate limit and streams; never 0.
   *
   * <p>The working directory counts only if a path depends on it: workers of a plan, whose paths
   * are absolute, each have their own, and resume each other's work.
   */
  public static long of(TransferRequest request) {
    MessageDigest digest = sha256();
    add(digest, System.getProperty("user.name", ""));
    add(digest, isAbsolute(request) ? "" : System.getProperty("user.dir", ""));
    add(digest, request.direction().name());
    digest.update(TransferSpecCoding.toBytes(work(request.spec())));
    return ByteBuffer.wrap(digest.digest()).getLong() | 1;
  }

  /** Whether all local paths are absolute. */
  private static boolean isAbsolute(TransferRequest request) {
    TransferSpec spec = request.spec();
    return switch (request.direction()) {
      case PULL -> spec.destination().isAbsolute();
      case PUSH ->
          !spec.sources().isEmpty()
              && spec.sources().stream().allMatch(source -> source.path().isAbsolute());
      case BETWEEN -> true; // no path is local
    };
  }

  private static TransferSpec work(TransferSpec spec) {
    TransferSpec.Builder work =
        TransferSpec.builder()
            .sources(spec.sources())
            .destination(spec.destination())
            .selection(spec.selection())
            .part(spec.part())
            .names(spec.names())
            .sync(spec.sync())
            .dryRun(spec.dryRun())
            .delete(spec.delete())
            .maxDelete(spec.maxDelete())
            .deleteFromEmpty(spec.deleteFromEmpty())
            .preservation(spec.preservation());
    spec.backups().ifPresent(work::backups);
    spec.deltaFrom().ifPresent(work::deltaFrom);
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
