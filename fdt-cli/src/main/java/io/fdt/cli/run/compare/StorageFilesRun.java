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
import java.util.Arrays;
import java.util.Optional;

/**
 * Lists, compares and removes files of a storage with a scheme, by a server in this process that
 * exports it as {@code s3:}, so that paths on the server are those of the user.
 *
 * @param root of the storage: {@code s3://}
 */
public record StorageFilesRun(BytePath root, FileVerb verb, boolean json, ClientAccess access)
    implements Command {
  /** The root of the storage that has this path. */
  public static BytePath rootOf(BytePath path) {
    byte[] bytes = path.bytes();
    int end = path.toString().indexOf("://") + "://".length(); // schemes are ASCII
    return BytePath.of(
        Arrays.copyOf(bytes, bytes.length > end && bytes[end] == '/' ? end + 1 : end));
  }

  @Override
  public int run(CommandContext context) throws FdtException, InterruptedException {
    String scheme = root.toString().substring(0, root.toString().indexOf("//"));
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
