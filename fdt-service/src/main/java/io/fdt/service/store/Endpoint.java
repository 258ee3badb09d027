package io.fdt.service.store;

/**
 * A server that tasks may use. Immutable.
 *
 * @param id 20 hexadecimal digits; {@link #LOCAL} for this machine
 * @param name unique among those of its owner
 * @param fingerprint the key that the server must have
 * @param token encrypted; empty for none
 * @param defaultPath where the page begins, and what relative paths are relative to
 * @param maxTasks how many tasks may use it at once
 * @param created milliseconds since 1970
 * @param version changes with each change; the ETag
 */
public record Endpoint(
    String id,
    String owner,
    String name,
    String host,
    int port,
    String fingerprint,
    String token,
    String defaultPath,
    int maxTasks,
    long created,
    long version) {
  /** The id and the name of this machine. */
  public static final String LOCAL = "local";

  public boolean isLocal() {
    return id.equals(LOCAL);
  }

  @Override
  public String toString() {
    return "endpoint " + name;
  }
}
