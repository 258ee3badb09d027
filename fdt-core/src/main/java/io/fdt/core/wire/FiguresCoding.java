package io.fdt.core.wire;

import io.fdt.core.model.TransferFigures;
import io.fdt.core.wire.control.RunProgress;

/** {@link TransferFigures} as a control message. Stateless. */
public final class FiguresCoding {
  private FiguresCoding() {}

  /** The message, without streams and stalls. */
  public static RunProgress.Builder encode(TransferFigures figures) {
    return RunProgress.newBuilder()
        .setBytesDone(figures.bytesDone())
        .setBytesTotal(figures.bytesTotal())
        .setFilesDone(figures.files().done())
        .setFilesUnchanged(figures.files().unchanged())
        .setFailures(figures.files().failed())
        .setFailedBytes(figures.files().failedBytes())
        .setFilesTotal(figures.files().total())
        .setDirectories(figures.directories())
        .setLinks(figures.links())
        .setSkipped(figures.skipped())
        .setBlocksRepeated(figures.blocksRepeated())
        .setTotalsAreFinal(figures.totalsAreFinal())
        .setBytesKept(figures.bytesKept())
        .setBytesMatched(figures.bytesMatched())
        .setWireBytes(figures.wireBytes())
        .setFilesDue(figures.files().due())
        .setAttributesChanged(figures.attributesChanged())
        .setDeleted(figures.deleted())
        .setFilesReplaced(figures.files().replaced())
        .setLinksReplaced(figures.linksReplaced());
  }

  /** The figures of a message. */
  public static TransferFigures decode(RunProgress message) {
    return new TransferFigures(
        new TransferFigures.Files(
            count(message.getFilesDone()),
            count(message.getFilesUnchanged()),
            count(message.getFilesDue()),
            count(message.getFailures()),
            count(message.getFailedBytes()),
            count(message.getFilesTotal()),
            count(message.getFilesReplaced())),
        count(message.getBytesDone()),
        count(message.getBytesTotal()),
        count(message.getBytesKept()),
        count(message.getBytesMatched()),
        count(message.getWireBytes()),
        count(message.getAttributesChanged()),
        count(message.getDirectories()),
        count(message.getLinks()),
        count(message.getLinksReplaced()),
        count(message.getSkipped()),
        count(message.getDeleted()),
        count(message.getBlocksRepeated()),
        message.getTotalsAreFinal());
  }

  /** Zero for more than 2^63 - 1, which only a faulty peer sends. */
  private static long count(long received) {
    return Math.max(0, received);
  }
}
