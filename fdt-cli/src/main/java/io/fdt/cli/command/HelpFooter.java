package io.fdt.cli.command;

/** The end of {@code fdt --help}: subcommands, examples and exit statuses. Immutable. */
final class HelpFooter {
  static final String[] LINES = {
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

  private HelpFooter() {}
}
