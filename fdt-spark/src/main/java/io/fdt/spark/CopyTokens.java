package io.fdt.spark;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;

/**
 * The tokens of the driver, by the variables that hold them. They are sent only as a broadcast.
 * Immutable; hidden in logs.
 */
final class CopyTokens implements Serializable {
  private static final long serialVersionUID = 1;

  private final TreeMap<String, String> tokens;

  CopyTokens(Map<String, String> tokens) {
    this.tokens = new TreeMap<>(tokens);
  }

  Map<String, String> in(Map<String, String> environment) {
    Map<String, String> all = new TreeMap<>(environment);
    all.putAll(tokens);
    return all;
  }

  @Override
  public String toString() {
    return "Secrets[hidden]";
  }
}
