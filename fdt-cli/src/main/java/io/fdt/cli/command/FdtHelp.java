package io.fdt.cli.command;

import picocli.CommandLine.Model.CommandSpec;

/** The help of {@code fdt --help}, and that of FDT's flags around the list of options. */
final class FdtHelp {
  /** Fits a screen; names each subcommand. */
  static final String OVERVIEW =
      """
      Usage: java -jar fdt.jar SUBCOMMAND [options]
      Copies files and trees between machines over parallel streams, verified.

      Examples:
        java -jar fdt.jar serve /srv/run42              # expose a directory
        java -jar fdt.jar copy -r storage1:/run42 .     # fetch it; again to resume
        java -jar fdt.jar copy -r data alice@host:in    # send it, started by SSH
        java -jar fdt.jar sync data/ storage1:/mirror   # mirror it
        java -jar fdt.jar -c storage1 -P 7 -r /run42    # the same in FDT's flags

      Copy:              copy, sync, watch; between servers: attach, cancel, sessions
                         with many machines: plan, worker
      Serve:             serve
      Look at a server:  ls, stat, du, checksum; change it: mkdir, rename, rm
      Tokens and hosts:  login, logout, servers, config; on a server: token
      Transfer service:  service, endpoint, task, timer, notice
      More:              doctor and nettest (why is it slow?), cleanup, completion
                         explain (what an exit status means)

      More help: java -jar fdt.jar help copy (any subcommand), help flags (all of
      FDT's flags), man fdt.
      Units: 30M is 30 MiB, in rates 30 MiB/s; 30MB are 30,000,000 bytes; rates may
      be in bits: 100Mbit. Output is in KiB, MiB, GiB and the same per second.
      Exit status: 0 done, 1 some files not transferred, 2 usage error, 3 peer
      unreachable or gone, 4 refused, 5 verification failed, 6 storage full,
      130 interrupted.
      """;

  private FdtHelp() {}

  static void add(CommandSpec spec) {
    spec.usageMessage()
        .customSynopsis(
            "fdt [-p PORT] [--bind ADDRESS] [-S]         serve the current directory",
            "       fdt -c HOST [options] FILE...               fetch into this directory",
            "       fdt -c HOST [options] -pull -d DEST FILE... fetch into DEST",
            "       fdt -c HOST [options] -d DEST FILE...       send to the server's DEST",
            "       fdt [options] [USER@]HOST:FILE... DEST      SSH starts the server",
            "       fdt [options] FILE... [USER@]HOST:DEST      the same",
            "       fdt -coord -sIP HOST -dIP HOST -d DEST FILE...  copy between two servers",
            "       (fdt stands for: java -jar fdt.jar)")
        .footer("", "Example:", "  java -jar fdt.jar -c storage1 -P 7 -r /data");
  }
}
