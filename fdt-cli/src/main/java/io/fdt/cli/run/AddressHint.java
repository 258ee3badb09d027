package io.fdt.cli.run;

import io.fdt.cli.option.route.ServerAddress;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The advice after a failure that a misread address may have caused. */
public final class AddressHint {
  private AddressHint() {}

  /**
   * The other spelling of a file of this machine whose name has a colon.
   *
   * @param paths the paths on the server
   */
  public static Optional<String> of(
      ErrorCode failure, ServerAddress server, List<BytePath> paths, Path workingDirectory) {
    return switch (failure) {
      case UNREACHABLE, NOT_FOUND, NOT_FDT -> colon(server, paths, workingDirectory);
      default -> Optional.empty();
    };
  }

  private static Optional<String> colon(
      ServerAddress server, List<BytePath> paths, Path workingDirectory) {
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
