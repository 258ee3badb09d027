package io.fdt.storage.local.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A user without privileges: the one that runs the tests, or 65534 where that is root. */
public final class OrdinaryUser {
  private static final int UNPRIVILEGED = 65534;

  private static final long SYS_SETRESUID =
      System.getProperty("os.arch").equals("aarch64") ? 147 : 117;

  private static final int DEADLINE_SECONDS = 60;

  private OrdinaryUser() {}

  /** Something that may fail. */
  public interface Action {
    void run() throws Exception;
  }

  /** Makes it the owner of a directory and its content. */
  public static void own(Path directory) throws Exception {
    if (Syscalls.effectiveUser() == 0) {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path path : all.toList()) {
          Files.setAttribute(path, "unix:uid", UNPRIVILEGED);
        }
      }
    }
  }

  /** Acts as this user, on a thread of its own: the system call affects one thread. */
  public static void run(Action action) throws Exception {
    Throwable[] failure = new Throwable[1];
    Thread thread =
        new Thread(
            () -> {
              try {
                if (Syscalls.effectiveUser() == 0) {
                  assertThat(LibC.syscall(SYS_SETRESUID, -1, UNPRIVILEGED, -1)).isZero();
                }
                action.run();
              } catch (Throwable e) {
                failure[0] = e;
              }
            },
            "ordinary-user");
    thread.start();
    thread.join(TimeUnit.SECONDS.toMillis(DEADLINE_SECONDS));
    assertThat(thread.isAlive()).isFalse();
    if (failure[0] != null) {
      throw new AssertionError("as an ordinary user", failure[0]);
    }
  }
}
