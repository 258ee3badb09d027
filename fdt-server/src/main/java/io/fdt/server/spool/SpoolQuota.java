package io.fdt.server.spool;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.unit.ByteSize;
import io.fdt.server.limits.SharedBudget;
import java.util.Map;
import java.util.Optional;

/**
 * Limits a spool: the sum of files from clients and temporary bytes of relayed connections is at
 * most its size. Connections get at most half of it, those of one token half of that, so that files
 * always have space. Thread-safe.
 */
public final class SpoolQuota {
  /**
   * A token.
   *
   * @param name its {@link Spool#prefix}
   * @param most its limit of bytes in the spool
   */
  record Owner(String name, long most) {
    static Owner of(Grant grant) {
      long most = grant.relay().spoolBytes();
      return new Owner(Spool.prefix(grant), most > 0 ? most : Long.MAX_VALUE);
    }
  }

  private final ByteSize size;
  private final SharedBudget passing = new SharedBudget();
  private volatile SharedBudget left = new SharedBudget();

  /**
   * @param size of the spool
   */
  public SpoolQuota(ByteSize size) {
    this.size = size;
  }

  public long most() {
    return size.bytes();
  }

  /** The bytes of files in each place of a spool, by owner. */
  static SharedBudget byOwner(Map<String, Long> places) {
    SharedBudget sums = new SharedBudget();
    places.forEach(
        (place, bytes) ->
            sums.add(place.substring(0, Math.min(place.length(), Spool.PREFIX_LENGTH)), bytes));
    return sums;
  }

  /** Sets the bytes stored by clients; the budget does not change afterwards. */
  void measured(SharedBudget files) {
    left = files;
  }

  /** The refusal when the spool has no space for files; empty if it has. */
  Optional<FdtException> excess(SharedBudget files) {
    return passing.sum() + files.sum() > most()
        ? Optional.of(
            full(
                "the spool of the relay is full (%s): try again when it has delivered something",
                size))
        : Optional.empty();
  }

  /**
   * The refusal when an owner may store no more; empty if it may. Bytes of its connections do not
   * count, because they are temporary.
   */
  Optional<FdtException> excess(SharedBudget files, Owner owner) {
    return files.of(owner.name()) > owner.most()
        ? Optional.of(
            full(
                "the token may leave %s with the relay: try again when it has delivered something",
                ByteSize.ofBytes(owner.most())))
        : Optional.empty();
  }

  private static FdtException full(String message, ByteSize most) {
    return new FdtException(ErrorCode.STORAGE_FULL, message.formatted(most));
  }

  /** Changes the bytes that connections of an owner keep. */
  void keep(Owner owner, long change) {
    passing.add(owner.name(), change);
  }

  /** Whether connections of an owner may keep more. */
  boolean mayKeep(Owner owner) {
    SharedBudget files = left;
    long all = passing.sum();
    long own = passing.of(owner.name());
    return all < most() / 2
        && own < most() / 4
        && all + files.sum() < most()
        && own + files.of(owner.name()) < owner.most();
  }

  /** Bytes that connections keep. */
  public long passing() {
    return passing.sum();
  }

  /** Bytes that the connections of one owner keep. */
  long passing(Owner owner) {
    return passing.of(owner.name());
  }

  /** Bytes of files stored by clients. */
  public long left() {
    return left.sum();
  }
}
