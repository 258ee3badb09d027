package io.fdt.cli.run.serve;

import io.fdt.server.FdtServer;
import java.util.List;
import java.util.Optional;

/**
 * The commands with which a client fetches an export, as the server prints them. Pure.
 *
 * @param source path of the export
 * @param fingerprint of the server; empty for a client of the same user and machine
 */
record NextStep(
    String host, int port, String source, Optional<String> fingerprint, boolean needsToken) {

  /**
   * @param installed the name of an installed command; empty for a jar, which takes the flags of
   *     the original FDT
   */
  List<String> lines(Optional<String> installed) {
    String from =
        fingerprint.isEmpty()
            ? "fetch as the same user of this machine:  "
            : "fetch from another machine:  ";
    String key = fingerprint.map(text -> " --fingerprint " + text).orElse("");
    if (installed.isEmpty()) {
      return List.of(
          from
              + "java -jar fdt.jar -c "
              + host
              + (port == FdtServer.DEFAULT_PORT ? "" : " -p " + port)
              + key
              + (needsToken ? " --token-file FILE" : "")
              + " -r "
              + quoted(source));
    }
    String server = port == FdtServer.DEFAULT_PORT ? host : host + ":" + port;
    String copy = " " + quoted(server + ":" + source) + " .";
    return needsToken
        ? List.of(
            from + installed.get() + " login " + server + key,
            "  then:  " + installed.get() + " copy -r" + copy)
        : List.of(from + installed.get() + " copy -r" + key + copy);
  }

  /** A word quoted for a shell. */
  private static String quoted(String word) {
    return word.matches("[A-Za-z0-9_./+@%=:-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
