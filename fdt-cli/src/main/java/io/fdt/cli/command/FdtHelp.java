package io.fdt.cli.command;

import picocli.CommandLine.Model.CommandSpec;

/** The help of {@code fdt --help} around the list of options. */
final class FdtHelp {
  /** A line break for picocli. */
  private static final String NEWLINE = "%n";

  private static final String[] FOOTER = {
    "  copy [-r] SOURCE... DEST   one side is fdt://host[:port]/path or host:/path",
    "  sync SOURCE DEST           copy -r --delete; asks first at a terminal",
    "  watch SOURCE... DEST       copy again whenever the source has changed",
    "  plan --dir DIR ...         cut a copy into units for many machines",
    "  worker --plan DIR          copy units of a plan, in a job array",
    "  attach ID                  follow a copy that was left with copy --detach",
    "  cancel ID                  end such a copy",
    "  sessions [SERVER...]       list copies between servers",
    "  ls [-l] [-R] REMOTE        list a directory of a server",
    "  stat REMOTE...             show one file or directory of a server",
    "  mkdir [-p] REMOTE...       create directories on a server",
    "  rename FROM TO             rename within a server; never replaces anything",
    "  rm [-r] REMOTE...          remove files and directories of a server",
    "  checksum [-r] REMOTE...    print digests of files, which the server reads",
    "  du REMOTE...               add up sizes on a server",
    "  nettest HOST[:PORT]        measure the network",
    "  doctor [HOST[:PORT]]       find settings that slow transfers down",
    "  login HOST                 remember a server's key and your token for it",
    "  logout HOST                forget them",
    "  servers                    list the servers that you know",
    "  serve [DIR...]             run a server",
    "  token create|list|revoke   manage the tokens of a server",
    "  service                    run the transfer service: tasks, REST and a page",
    "  task submit|list|wait|...  tasks of the transfer service",
    "  endpoint add|list|ls|...   endpoints of the transfer service",
    "  timer create|list|...      recurring tasks of the transfer service",
    "  notice add|list|...        notices of the transfer service about tasks",
    "  explain STATUS|CODE        say what an exit status or a code means",
    "  completion SHELL           print a completion for bash, zsh or fish, or man",
    "  cleanup DIR                remove what interrupted transfers left beneath DIR",
    "",
    "Examples:",
    "  java -jar fdt.jar serve --export data=/srv/run42",
    "  java -jar fdt.jar -c storage1 -P 7 -r /data",
    "  java -jar fdt.jar copy -r -P 7 storage1:/data .",
    "",
    "Exit status: 0 done, 1 some files not transferred, 2 usage error, 3 peer",
    "unreachable or gone, 4 refused, 5 verification failed, 6 storage full,",
    "130 interrupted.",
  };

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
            "       fdt SUBCOMMAND ...                          see Subcommands below",
            "       (fdt stands for: java -jar fdt.jar)")
        .optionListHeading(NEWLINE + "FDT's flags:" + NEWLINE)
        .footerHeading(NEWLINE + "Subcommands (each has its own --help):" + NEWLINE)
        .footer(FOOTER);
  }
}
