package io.fdt.cli.run;

import io.fdt.cli.option.ServerAddress;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What helps after a local file was named whose name has a colon: {@code a:b} is read as a path on
 * the host a.
 */
final class ColonHint {
  private static final Set<ErrorCode> CODES =
      EnumSet.of(ErrorCode.UNREACHABLE, ErrorCode.NOT_FDT, ErrorCode.NOT_FOUND);

  private ColonHint() {}

  /**
   * How the file is written, if there is one.
   *
   * @param paths what was named on the server
   */
  static Optional<String> of(
      ErrorCode failure, ServerAddress server, List<BytePath> paths, Path workingDirectory) {
    if (!CODES.contains(failure)) {
      return Optional.empty();
    }
    return paths.stream()
        .map(path -> server.host() + ":" + path.toString().replaceFirst("^/", ""))
        .filter(name -> isThere(workingDirectory, name))
        .findFirst()
        .map(
            name ->
                "'%s' is read as a path on the host '%s'; to name the file here write './%s'"
                    .formatted(name, server.host(), name));
  }

  private static boolean isThere(Path workingDirectory, String name) {
    try {
      return Files.exists(workingDirectory.resolve(name), LinkOption.NOFOLLOW_LINKS);
    } catch (InvalidPathException e) {
      return false;
    }
  }
}
