package io.fdt.cli.run.serve;

import io.fdt.cli.process.HostAddresses;
import io.fdt.client.RequiredStorage;
import io.fdt.core.model.BytePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The names and addresses of this machine, without DNS, which may be slow.
 *
 * @param names at least one
 */
record HostNames(List<String> names) {
  private static final Path KERNEL_NAME = Path.of("/proc/sys/kernel/hostname");

  /** The addresses that were bound, or else the name of this machine and its addresses. */
  static HostNames of(List<String> bound, Map<String, String> environment) {
    if (!bound.isEmpty() && bound.stream().noneMatch(HostNames::isWildcard)) {
      return new HostNames(bound);
    }
    List<String> names = new ArrayList<>();
    hostName(environment).ifPresent(names::add);
    names.addAll(HostAddresses.all());
    return new HostNames(names.isEmpty() ? List.of("localhost") : List.copyOf(names));
  }

  private static boolean isWildcard(String address) {
    return address.equals("0.0.0.0") || address.equals("::") || address.equals("[::]");
  }

  private static Optional<String> hostName(Map<String, String> environment) {
    try {
      String name = Files.readString(KERNEL_NAME).strip();
      return name.isEmpty() || name.equals("(none)") ? Optional.empty() : Optional.of(name);
    } catch (IOException e) {
      return Optional.ofNullable(environment.get("HOSTNAME"));
    }
  }

  /** Whether only this machine can reach them. */
  boolean areOfThisMachineOnly() {
    return names.stream()
        .allMatch(
            name ->
                name.equals("localhost")
                    || name.equals("::1")
                    || name.equals("[::1]")
                    || name.startsWith("127."));
  }

  /** The name to try first. */
  String first() {
    return names.get(0);
  }

  /** All names, for display. */
  String all() {
    return String.join(", ", names);
  }

  /** The absolute path of an export, which may have a scheme. */
  static String full(BytePath directory, BytePath workingDirectory) {
    return RequiredStorage.isByScheme(directory)
        ? directory.toString()
        : workingDirectory.resolve(directory).toString();
  }

  /** The absolute path of a directory, for display. */
  static String shown(BytePath directory, Path workingDirectory) {
    return directory.equals(BytePath.of(".")) ? workingDirectory.toString() : directory.toString();
  }
}
