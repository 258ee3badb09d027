package io.fdt.plan;

import java.util.Locale;

/** How an attempt at a unit ended. */
public enum UnitEnding {
  /** Everything is at the destination. */
  OK,
  /** The last step was done without a deletion, because a unit had failed. */
  PARTIAL,
  /** Something is not at the destination. */
  FAILED,
  /** The worker could not try: another one can. */
  RELEASED;

  /** The end of the name of its file. */
  String suffix() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Null when there is none of this suffix. */
  static UnitEnding ofSuffix(String suffix) {
    for (UnitEnding ending : values()) {
      if (ending.suffix().equals(suffix)) {
        return ending;
      }
    }
    return null;
  }
}
