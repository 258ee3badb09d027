package io.fdt.client;

import io.fdt.core.engine.PreservationCoding;
import io.fdt.core.engine.SyncRuleCoding;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import io.fdt.core.wire.SelectionCoding;
import io.fdt.core.wire.control.OpenSession;
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

  /** The same for the same sources and destination, of one user in one directory; never 0. */
  static long of(TransferRequest request) {
    MessageDigest digest = sha256();
    add(digest, System.getProperty("user.name", ""));
    add(digest, System.getProperty("user.dir", ""));
    add(digest, request.direction().name());
    for (Operand source : request.sources()) {
      add(digest, source.path());
      add(digest, source.target().orElse(BytePath.EMPTY));
    }
    add(digest, request.destination());
    OpenSession.Builder what =
        OpenSession.newBuilder()
            .setSelection(SelectionCoding.encode(request.selection()))
            .setDryRun(request.dryRun());
    SyncRuleCoding.encode(request.sync(), what);
    PreservationCoding.encode(request.preservation(), what);
    digest.update(what.build().toByteArray());
    add(digest, request.delete() + " " + request.maxDelete());
    add(digest, request.backups().orElse(BytePath.EMPTY));
    add(digest, request.part().offset() + " " + request.part().length().orElse(-1));
    return ByteBuffer.wrap(digest.digest()).getLong() | 1;
  }

  private static void add(MessageDigest digest, String text) {
    digest.update(text.getBytes(StandardCharsets.UTF_8));
    digest.update((byte) 0);
  }

  private static void add(MessageDigest digest, BytePath path) {
    digest.update(path.bytes());
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
