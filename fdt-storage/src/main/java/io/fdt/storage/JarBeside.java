package io.fdt.storage;

import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Optional;

/** A jar in the directory of the jar of this class, loaded when it is needed. Stateless. */
public final class JarBeside {
  private JarBeside() {}

  /** Where the jar of this name would be; empty when the classes of FDT are not in a jar. */
  public static Optional<Path> path(String name) {
    try {
      var source = JarBeside.class.getProtectionDomain().getCodeSource();
      return source == null
          ? Optional.empty()
          : Optional.ofNullable(Path.of(source.getLocation().toURI()).getParent())
              .map(directory -> directory.resolve(name));
    } catch (URISyntaxException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /**
   * A loader of the classes of a jar and of FDT; open until the process ends, as the class path.
   */
  public static ClassLoader loader(Path jar) {
    try {
      return new URLClassLoader(new URL[] {jar.toUri().toURL()}, JarBeside.class.getClassLoader());
    } catch (MalformedURLException e) {
      throw new IllegalStateException("a path of a file has a URL", e);
    }
  }
}
