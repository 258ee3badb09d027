package io.fdt.server;

import io.fdt.core.engine.AssuranceCoding;
import io.fdt.core.engine.DeletionCoding;
import io.fdt.core.engine.PreservationCoding;
import io.fdt.core.engine.SyncRuleCoding;
import io.fdt.core.engine.TuningCoding;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FilePart;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Selection;
import io.fdt.core.spec.TransferSettings;
import io.fdt.core.tuning.Tuning;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SelectionCoding;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Direction;
import io.fdt.core.wire.control.LinkRule;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a client asks of a session, checked.
 *
 * @param streams data streams that it may have open at once
 * @param tuning what the sender finds out while it runs
 * @param tellsState whether the client, which receives, hears what the sender sees
 * @param sources empty unless the server sends
 * @param selection which files beneath the sources are sent
 * @param part of the one source; all of it unless the client asks for less
 * @param inOrder whether the client takes the one file in order
 * @param backups where what is overwritten or deleted goes; empty when it is gone
 * @param key the same for the same request of one user; 0 for none
 * @param destination empty unless the server receives
 */
record SessionRequest(
    SessionId id,
    byte[] secret,
    int streams,
    Tuning tuning,
    boolean tellsState,
    TransferSettings settings,
    List<Operand> sources,
    BytePath destination,
    boolean destinationIsDirectory,
    Optional<BytePath> backups,
    boolean recursive,
    Selection selection,
    FilePart part,
    boolean inOrder,
    boolean isPull,
    boolean isNettest,
    boolean isEncrypted,
    long key) {

  /** Paths in one request: a list of this many is 1 GB of memory at the very most. */
  private static final int MAX_SOURCES = 100_000;

  /** Bytes: what Linux takes as a path (PATH_MAX). */
  private static final int MAX_BACKUP_PATH = 4096;

  /**
   * @throws FdtException PROTOCOL when no client that keeps the rules could have sent it
   */
  static SessionRequest of(OpenSession request) throws FdtException {
    byte[] secret = request.getSessionSecret().toByteArray();
    boolean pull = request.getDirection() == Direction.PULL;
    within("length of the secret", secret.length, Join.SECRET_LENGTH, Join.SECRET_LENGTH);
    check(pull || request.getDirection() == Direction.PUSH, "no direction");
    within("streams", request.getStreams(), 1, TransferSettings.MAX_STREAMS);
    within(
        "block size",
        request.getBlockSize(),
        TransferSettings.MIN_BLOCK,
        TransferSettings.MAX_BLOCK);
    int threads = pull ? request.getReadersPerDisk() : request.getWritersPerDisk();
    within("threads per disk", threads, 1, TransferSettings.MAX_THREADS_PER_DISK);
    within("socket buffer", request.getSocketBuffer(), 0, 1 << 30);
    within("rate limit", request.getRateLimit(), 0, Long.MAX_VALUE);
    within("sources", request.getSourcesCount(), 0, MAX_SOURCES);
    check(
        request.getNettest() || !pull || request.getSourcesCount() > 0, "a pull without a source");
    check(
        !request.getDelete() || request.getLinks() != LinkRule.LINKS_FOLLOW,
        "a deletion with links that are followed");
    try {
      List<Operand> sources = new ArrayList<>();
      for (Source source : request.getSourcesList()) {
        BytePath target = BytePath.of(source.getTarget().toByteArray());
        sources.add(
            new Operand(
                BytePath.of(source.getPath().toByteArray()),
                target.isEmpty() ? Optional.empty() : Optional.of(target)));
      }
      return new SessionRequest(
          SessionId.of(request.getSessionId().toByteArray()),
          secret,
          request.getStreams(),
          TuningCoding.decode(request),
          pull && request.getTellState(),
          new TransferSettings(
              request.getBlockSize(),
              threads,
              request.getSocketBuffer(),
              request.getRateLimit(),
              AssuranceCoding.decode(request),
              SyncRuleCoding.decode(request),
              request.getDryRun(),
              DeletionCoding.decode(request),
              PreservationCoding.decode(request)),
          sources,
          BytePath.of(request.getDestination().toByteArray()),
          request.getDestinationIsDirectory(),
          backups(request),
          request.getRecursive(),
          SelectionCoding.decode(request.getSelection()),
          part(request),
          request.getInOrder(),
          pull,
          request.getNettest(),
          request.getEncrypted(),
          request.getRequestKey());
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: " + e.getMessage(), e);
    }
  }

  /** The same session of other files. */
  SessionRequest with(List<Operand> otherSources, BytePath otherDestination) {
    return new SessionRequest(
        id,
        secret,
        streams,
        tuning,
        tellsState,
        settings,
        otherSources,
        otherDestination,
        destinationIsDirectory,
        backups,
        recursive,
        selection,
        part,
        inOrder,
        isPull,
        isNettest,
        isEncrypted,
        key);
  }

  private static Optional<BytePath> backups(OpenSession request) throws FdtException {
    int length = request.getBackups().size();
    if (length == 0) {
      return Optional.empty();
    }
    check(
        request.getDirection() == Direction.PUSH && !request.getNettest(),
        "backups at an end that receives nothing");
    within("length of the path of backups", length, 1, MAX_BACKUP_PATH);
    return Optional.of(BytePath.of(request.getBackups().toByteArray()));
  }

  private static FilePart part(OpenSession request) throws FdtException {
    boolean isOfOneFile =
        request.getDirection() == Direction.PULL
            && request.getSourcesCount() == 1
            && !request.getRecursive()
            && !request.getNettest();
    check(isOfOneFile || !request.hasPart(), "a part of something else than one file");
    check(isOfOneFile || !request.getInOrder(), "something else than one file in order");
    long length = request.getPart().getLengthPlusOne();
    return new FilePart(
        request.getPart().getOffset(),
        length == 0 ? OptionalLong.empty() : OptionalLong.of(length - 1));
  }

  /**
   * Makes sure that a client asks for nothing that gives it rights of this process.
   *
   * @param allowPrivileged whether it may all the same
   * @throws FdtException FORBIDDEN
   */
  void checkRights(boolean allowPrivileged) throws FdtException {
    Preservation kept = settings.preservation();
    boolean givesRights = isPull ? kept.keeps(Preservation.Aspect.ALL_XATTRS) : kept.givesRights();
    if (givesRights && !allowPrivileged) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          isPull
              ? "the server shows no extended attributes but those of users: leave out all-xattrs,"
                  + " or start it with --allow-privileged"
              : "the server lets nobody set owner, special-bits or all-xattrs: leave them out, or"
                  + " start it with --allow-privileged");
    }
  }

  private static void within(String what, long value, long least, long most) throws FdtException {
    check(value >= least && value <= most, what + " " + value);
  }

  private static void check(boolean good, String flaw) throws FdtException {
    if (!good) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: " + flaw);
    }
  }
}
