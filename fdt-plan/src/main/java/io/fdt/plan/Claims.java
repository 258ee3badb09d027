package io.fdt.plan;

import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Claims and endings of units, as files (docs/PLAN.md). They are never changed or removed, so that
 * two workers never have the same claim, not even over NFS. Any thread.
 */
public final class Claims {
  /** A placeholder for the worker of a damaged claim; no worker has this name. */
  static final String NO_WORKER = "unknown";

  private static final String CLAIM = "claim";

  private final PlanFiles files;
  private final String worker;

  /**
   * @param worker the claiming worker
   */
  public Claims(PlanFiles files, String worker) {
    this.files = files;
    this.worker = worker;
  }

  /**
   * The states of all units in the same directory as one; a missing unit has no state. Costs one
   * listing of a directory.
   */
  public Map<String, UnitState> list(String unit) throws FdtException {
    Map<String, UnitState> states = new HashMap<>();
    try (DirectoryStream<Path> names = Files.newDirectoryStream(files.state(unit))) {
      for (Path path : names) {
        String[] parts = path.getFileName().toString().split("\\.", -1);
        if (parts.length == 3 && parts[1].matches("[0-9]{1,9}")) {
          UnitEnding ending = UnitEnding.ofSuffix(parts[2]);
          if (ending != null || parts[2].equals(CLAIM)) {
            int attempt = Integer.parseInt(parts[1]);
            states.merge(
                parts[0],
                UnitState.NONE.with(attempt, ending),
                (known, unused) -> known.with(attempt, ending));
          }
        }
      }
      return states;
    } catch (NoSuchFileException e) {
      return states;
    } catch (IOException e) {
      throw PlanFiles.failure("list", files.state(unit), e);
    }
  }

  /** Claims an attempt; false when another worker has it. */
  public boolean claim(String unit, int attempt) throws FdtException {
    Path directory = files.state(unit);
    Path own = directory.resolve("." + worker);
    Path claim = file(unit, attempt, CLAIM);
    try {
      Files.createDirectories(directory);
      Files.deleteIfExists(own); // of a unit before
      Files.writeString(own, worker + "\n", StandardCharsets.UTF_8);
      try {
        boolean isOurs = linked(own, claim);
        Files.deleteIfExists(own);
        return isOurs;
      } catch (IOException e) {
        Files.deleteIfExists(own);
        throw e;
      }
    } catch (IOException e) {
      throw PlanFiles.failure("claim", claim, e);
    }
  }

  /** Whether a claim was linked despite an error: the answer of an NFS server can be lost. */
  private static boolean linked(Path own, Path claim) throws IOException {
    IOException failure = null;
    try {
      Files.createLink(claim, own);
    } catch (IOException e) {
      failure = e;
    }
    boolean isOurs =
        own.getFileSystem().supportedFileAttributeViews().contains("unix")
            ? Files.getAttribute(own, "unix:nlink") instanceof Integer names && names == 2
            : Files.exists(claim) && Files.isSameFile(own, claim);
    if (!isOurs && failure != null && !Files.exists(claim)) {
      throw failure;
    }
    return isOurs;
  }

  /**
   * The worker that has claimed an attempt; empty while the file is invisible. A claim whose text
   * was lost in a power failure belongs to {@link #NO_WORKER}, which has no heartbeat.
   */
  public Optional<String> holder(String unit, int attempt) throws FdtException {
    Path claim = file(unit, attempt, CLAIM);
    try {
      String name = new String(Files.readAllBytes(claim), StandardCharsets.UTF_8).strip();
      return Optional.of(name.matches(Heartbeat.NAME) ? name : NO_WORKER);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw PlanFiles.failure("read", claim, e);
    }
  }

  /** Records the ending of an attempt. */
  public void end(String unit, int attempt, UnitEnding ending) throws FdtException {
    PlanFiles.write(
        file(unit, attempt, ending.suffix()), (worker + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private Path file(String unit, int attempt, String suffix) {
    return files.state(unit).resolve(unit + "." + attempt + "." + suffix);
  }
}
