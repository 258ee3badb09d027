package io.fdt.cli;

import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.RemoteFile;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.util.List;
import java.util.Optional;

/** Shows what a server has. */
final class ListRun {
  private ListRun() {}

  /** Lists; the result is an exit status. */
  static int list(Command.Listing listing, Screen screen)
      throws FdtException, InterruptedException {
    Optional<AccessToken> token = TokenSource.given(listing.access());
    try {
      return list(listing, token, screen);
    } catch (FdtException e) {
      boolean wantsToken = e.code() == ErrorCode.UNAUTHENTICATED && token.isEmpty();
      Optional<AccessToken> asked = wantsToken ? TokenSource.asked(screen) : Optional.empty();
      if (asked.isEmpty()) {
        throw e;
      }
      return list(listing, asked, screen);
    }
  }

  private static int list(Command.Listing listing, Optional<AccessToken> token, Screen screen)
      throws FdtException, InterruptedException {
    try (FdtClient client = Clients.open(listing.server(), listing.access(), token, screen)) {
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
