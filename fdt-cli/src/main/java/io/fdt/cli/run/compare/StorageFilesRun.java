package io.fdt.cli.run.compare;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.transfer.FileVerb;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.net.InetAddress;
import java.util.Optional;

/**
 * Lists, compares and removes files of a storage with a scheme, by a server in this process that
 * exports it under the name of the scheme.
 *
 * @param root of the storage: {@code s3://}
 * @param verb with paths beneath {@code /s3}
 */
public record StorageFilesRun(BytePath root, FileVerb verb, boolean json, ClientAccess access)
    implements Command {
  /** The path on the server of a path with a scheme. */
  public static BytePath onServer(BytePath path) {
    String text = path.toString();
    int end = text.indexOf("://");
    return BytePath.of("/" + text.substring(0, end) + "/" + text.substring(end + 3));
  }

  /** The root of the storage that has this path. */
  public static BytePath rootOf(BytePath path) {
    String text = path.toString();
    int start = text.indexOf("://") + 3;
    return BytePath.of(text.substring(0, text.startsWith("/", start) ? start + 1 : start));
  }

  @Override
  public int run(CommandContext context) throws FdtException, InterruptedException {
    String scheme = root.toString().substring(0, root.toString().indexOf("://"));
    String loopback = InetAddress.getLoopbackAddress().getHostAddress();
    try (FdtServer server =
        FdtServer.builder()
            .port(0)
            .bind(loopback)
            .udp(false)
            .export(new Export(FileName.of(scheme), root, Export.Access.READ_WRITE))
            .build()) {
      server.start();
      ClientAccess own = access.withoutVia().withFingerprint(Optional.of(server.fingerprint()));
      return new FilesRun(new ServerAddress(loopback, server.address().getPort()), verb, json, own)
          .run(context);
    }
  }
}
