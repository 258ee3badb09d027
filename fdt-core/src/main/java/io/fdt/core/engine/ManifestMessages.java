package io.fdt.core.engine;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.PathText;
import io.fdt.core.manifest.Root;
import io.fdt.core.wire.BatchCoding;
import io.fdt.core.wire.ManifestCoding;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.ManifestBatch;
import io.fdt.core.wire.control.Omission;
import io.fdt.core.wire.control.Roots;
import java.util.ArrayList;
import java.util.List;

/** Messages about the manifest, made and taken apart. */
final class ManifestMessages {
  private ManifestMessages() {}

  static Roots roots(List<Root> roots) {
    Roots.Builder message = Roots.newBuilder();
    roots.forEach(root -> message.addRoots(ManifestCoding.encode(root)));
    return message.build();
  }

  static List<Root> roots(Roots message) throws FdtException {
    List<Root> roots = new ArrayList<>();
    for (io.fdt.core.wire.control.Root root : message.getRootsList()) {
      roots.add(ManifestCoding.decode(root));
    }
    return roots;
  }

  static ManifestBatch batch(long firstId, ManifestFeed.Batch batch) {
    ManifestBatch.Builder message =
        ManifestBatch.newBuilder()
            .setFirstId(firstId)
            .addAllEndedDirectories(batch.endedDirectories());
    BatchCoding.encode(batch.entries(), message);
    batch.omissions().forEach(omission -> message.addOmissions(omission(omission)));
    return message.build();
  }

  private static Omission omission(ManifestFeed.Omission omission) {
    FdtException failure = omission.failure();
    return Omission.newBuilder()
        .setPath(ByteString.copyFromUtf8(MessageText.fit(omission.path())))
        .setSkipped(failure == null)
        .setCode((failure == null ? ErrorCode.WRONG_KIND : failure.code()).wireCode())
        .setMessage(MessageText.fit(failure == null ? omission.skipReason() : failure.getMessage()))
        .build();
  }

  /** A path that the other side has escaped, fit to be shown even where it did not. */
  static String text(ByteString bytes) {
    return PathText.escapeRest(bytes.toByteArray());
  }
}
