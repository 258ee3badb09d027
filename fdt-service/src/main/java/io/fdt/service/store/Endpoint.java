package io.fdt.service.store;

import io.fdt.core.error.ErrorCode;
import io.fdt.service.value.ServiceException;
import java.time.Duration;

/**
 * A server that tasks may use. Immutable.
 *
 * @param id 20 hexadecimal digits; {@link #localId} for this machine
 * @param name unique among those of its owner
 * @param fingerprint the key that the server must have
 * @param token encrypted; empty for none
 * @param defaultPath the first directory of the page; relative paths begin here
 * @param maxTasks the most concurrent tasks
 * @param created milliseconds since 1970
 * @param version changes with each change; the ETag
 * @param health the result of the last check
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
    long version,
    Health health) {
  /** The name of this machine. */
  public static final String LOCAL = "local";

  /** The id of the machine of a home of the service. */
  public static String localId(String home) {
    return LOCAL + "-" + home;
  }

  /** The next version, with other access. */
  public Endpoint with(
      String fingerprint, String token, String defaultPath, int maxTasks, Health health) {
    return new Endpoint(
        id,
        owner,
        name,
        host,
        port,
        fingerprint,
        token,
        defaultPath,
        maxTasks,
        created,
        version + 1,
        health);
  }

  /**
   * The result of a check.
   *
   * @param checked in milliseconds since 1970; 0 for never
   * @param problem the reason why it is not usable; empty if it is
   * @param isRefused whether its server answers, but refuses this user or has another key
   * @param isReadOnly whether this user may write to none of its exports
   */
  public record Health(long checked, String problem, boolean isRefused, boolean isReadOnly) {
    /** The exit status of commands that a server refuses. */
    private static final int REFUSED = ErrorCode.UNAUTHENTICATED.exitStatus();

    public Health(long checked, String problem) {
      this(checked, problem, false, false);
    }

    /** The health after a check that failed. */
    public static Health of(long checked, ServiceException failure) {
      return new Health(
          checked,
          failure.getMessage(),
          failure.more().get("code") instanceof String code
              && ErrorCode.valueOf(code).exitStatus() == REFUSED,
          false);
    }

    /** Not checked yet. */
    public static final Health UNKNOWN = new Health(0, "");

    /** The time between checks. */
    public static final Duration USUAL = Duration.ofMinutes(5);

    /** The time between checks while the endpoint is not usable. */
    public static final Duration WHILE_BAD = Duration.ofSeconds(30);

    /** The time of the next check, in milliseconds since 1970; 0 for at once. */
    long nextLook() {
      Duration pause = problem.isEmpty() ? USUAL : WHILE_BAD;
      return checked == 0 ? 0 : checked + pause.toMillis();
    }
  }

  /** HOST:PORT. */
  public String address() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }

  public boolean isLocal() {
    return id.startsWith(LOCAL);
  }

  @Override
  public String toString() {
    return "endpoint " + name;
  }
}
