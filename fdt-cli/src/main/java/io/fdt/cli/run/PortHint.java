package io.fdt.cli.run;

import io.fdt.cli.option.ServerAddress;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What helps somebody who wrote {@code host:55002/path} or {@code host:55002:/path} and meant the
 * port: after the colon comes a path. Pure.
 */
final class PortHint {
  private static final Pattern NUMBER_FIRST = Pattern.compile("/([1-9][0-9]{1,4}):?(/.*)?");
  private static final int MOST = 65535;

  private PortHint() {}

  /**
   * How the port is written, where a failure may come from that.
   *
   * @param paths what was named on the server
   */
  static Optional<String> of(ErrorCode failure, ServerAddress server, List<BytePath> paths) {
    if (failure != ErrorCode.UNREACHABLE && failure != ErrorCode.NOT_FOUND) {
      return Optional.empty();
    }
    for (BytePath path : paths) {
      Matcher form = NUMBER_FIRST.matcher(path.toString());
      if (form.matches() && Integer.parseInt(form.group(1)) <= MOST) {
        String rest = form.group(2) == null ? "/" : form.group(2);
        ServerAddress meant = new ServerAddress(server.host(), Integer.parseInt(form.group(1)));
        return Optional.of(
            "'%s' is a path on %s; to name a port write fdt://%s%s"
                .formatted(path, server, meant, rest));
      }
    }
    return Optional.empty();
  }
}
