package io.fdt.server.web;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.storage.JarBeside;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** An open HTTP port. Thread-safe. */
public interface WebPort extends AutoCloseable {
  String JAR = "fdt-webdav.jar";

  /**
   * Opens the port.
   *
   * @throws FdtException USAGE when the jar is missing or the address is not available
   */
  static WebPort open(InetSocketAddress address, WebHost host) throws FdtException {
    ClassLoader own = WebPort.class.getClassLoader();
    Path jar = JarBeside.path(JAR).orElse(null);
    try {
      Optional<WebProvider> found = ServiceLoader.load(WebProvider.class, own).findFirst();
      if (found.isEmpty() && jar != null && Files.isRegularFile(jar)) {
        found = ServiceLoader.load(WebProvider.class, JarBeside.loader(jar)).findFirst();
      }
      if (found.isPresent()) {
        return found.get().open(address, host);
      }
    } catch (ServiceConfigurationError e) {
      throw new FdtException(ErrorCode.INTERNAL, "'" + jar + "' cannot be loaded; replace it", e);
    }
    throw new FdtException(
        ErrorCode.USAGE,
        "the HTTP port needs %s; put it into '%s'"
            .formatted(JAR, jar == null ? "." : jar.getParent()));
  }

  /** The listening address. */
  InetSocketAddress address();

  /** Closes the port and its connections. Idempotent. */
  @Override
  void close();
}
