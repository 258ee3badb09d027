package io.fdt.core.storage;

import java.util.function.LongConsumer;

/**
 * Whether a publication syncs its bytes and attributes to the device.
 *
 * @param isForced whether it syncs
 * @param synced receives the number of synced bytes as it proceeds
 */
public record Durability(boolean isForced, LongConsumer synced) {
  /** Nothing is synced. */
  public static final Durability NONE = new Durability(false, bytes -> {});

  /** All is synced. */
  public static final Durability FORCED = forced(bytes -> {});

  /** All is synced. */
  public static Durability forced(LongConsumer synced) {
    return new Durability(true, synced);
  }
}
