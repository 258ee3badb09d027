package io.fdt.core.model;

/**
 * The figures of a transfer, at one moment or at its end.
 *
 * @param bytesDone payload bytes that the destination has written
 * @param bytesTotal bytes of the files to transfer that are known so far
 * @param bytesKept bytes that earlier, interrupted transfers had written
 * @param bytesMatched bytes that the destination had in files that were replaced
 * @param wireBytes bytes on the data connections, with headers and retransmissions
 * @param attributesChanged existing files and links that got another mode, owner or time, unchanged
 *     files among them; in a dry run those that would get one, directories too; a sender knows it
 *     at the end
 * @param directories directories made or found; in a dry run: to be made
 * @param links symbolic links made; in a dry run: to be made
 * @param linksReplaced existing names that links and directories replaced, or would in a dry run; a
 *     sender knows it at the end
 * @param skipped devices, sockets and FIFOs, which are never copied
 * @param deleted names deleted because the source lacks them; in a dry run: to be deleted
 * @param blocksRepeated blocks and packs sent again; at a receiver those received damaged: only the
 *     sender knows the loss of a stream
 * @param totalsAreFinal whether the whole source has been walked and every file in it compared with
 *     the destination; until then the totals are lower bounds
 */
public record TransferFigures(
    Files files,
    long bytesDone,
    long bytesTotal,
    long bytesKept,
    long bytesMatched,
    long wireBytes,
    long attributesChanged,
    long directories,
    long links,
    long linksReplaced,
    long skipped,
    long deleted,
    long blocksRepeated,
    boolean totalsAreFinal) {
  /** No progress. */
  public static final TransferFigures NONE =
      new TransferFigures(
          new Files(0, 0, 0, 0, 0, 0, 0), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false);

  /**
   * Numbers of files.
   *
   * @param done in place and verified
   * @param unchanged files that were unchanged
   * @param due to be transferred, in a dry run; otherwise 0
   * @param failed entries of any kind that failed
   * @param failedBytes bytes that files among those failed lack
   * @param total found so far
   * @param replaced those done, or due, that replace an existing name; a sender knows it at the end
   */
  public record Files(
      long done,
      long unchanged,
      long due,
      long failed,
      long failedBytes,
      long total,
      long replaced) {
    /** The sums of both. */
    public Files plus(Files other) {
      return new Files(
          done + other.done,
          unchanged + other.unchanged,
          due + other.due,
          failed + other.failed,
          failedBytes + other.failedBytes,
          total + other.total,
          replaced + other.replaced);
    }
  }

  /** Bytes at the destination: written, kept or taken from replaced files. */
  public long bytesThere() {
    return bytesDone + bytesKept + bytesMatched;
  }

  /** Bytes of all files to transfer that are known so far, with those kept or taken. */
  public long bytesOfAll() {
    return bytesTotal + bytesKept + bytesMatched;
  }

  /** In a dry run: bytes to be transferred; otherwise 0. */
  public long bytesDue() {
    return files.due > 0 ? bytesTotal : 0;
  }

  /** Existing names that were replaced or deleted, or would be in a dry run. */
  public long gone() {
    return files.replaced + linksReplaced + deleted;
  }

  /** The sums of both. */
  public TransferFigures plus(TransferFigures other) {
    return new TransferFigures(
        files.plus(other.files),
        bytesDone + other.bytesDone,
        bytesTotal + other.bytesTotal,
        bytesKept + other.bytesKept,
        bytesMatched + other.bytesMatched,
        wireBytes + other.wireBytes,
        attributesChanged + other.attributesChanged,
        directories + other.directories,
        links + other.links,
        linksReplaced + other.linksReplaced,
        skipped + other.skipped,
        deleted + other.deleted,
        blocksRepeated + other.blocksRepeated,
        totalsAreFinal && other.totalsAreFinal);
  }
}
