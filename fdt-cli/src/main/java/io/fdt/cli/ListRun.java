package io.fdt.cli;

import io.fdt.client.FdtClient;
import io.fdt.client.RemoteFile;
import io.fdt.core.error.FdtException;
import java.util.List;

/** Shows what a server has. */
final class ListRun {
  private ListRun() {}

  /** Lists; the result is an exit status. */
  static int list(Command.Listing listing, Screen screen)
      throws FdtException, InterruptedException {
    try (FdtClient client = Clients.open(listing.server(), listing.access(), screen)) {
      List<RemoteFile> files = client.list(listing.path());
      int sizeWidth =
          files.stream().mapToInt(file -> Long.toString(file.size()).length()).max().orElse(1);
      for (RemoteFile file : files) {
        screen.line(
            listing.detailed() ? ListingLine.detailed(file, sizeWidth) : ListingLine.name(file));
      }
      return 0;
    }
  }
}
