package io.fdt.plan;

import java.util.Locale;

/** The ending of an attempt at a unit. */
public enum UnitEnding {
  /** Everything is at the destination. */
  OK,
  /** The last step was done without deletion, because a unit had failed. */
  PARTIAL,
  /** Some files are not at the destination. */
  FAILED,
  /** The worker could not try; another one may. */
  RELEASED;

  /** The suffix of its file name. */
  String suffix() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The ending with a suffix; null for an unknown one. */
  static UnitEnding ofSuffix(String suffix) {
    for (UnitEnding ending : values()) {
      if (ending.suffix().equals(suffix)) {
        return ending;
      }
    }
    return null;
  }
}
