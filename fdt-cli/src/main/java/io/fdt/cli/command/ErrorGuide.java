package io.fdt.cli.command;

import io.fdt.core.error.ErrorCode;

/**
 * The explanation of an error code. Immutable.
 *
 * @param happened the cause, one sentence
 * @param remedy what to do, one sentence or two
 */
record ErrorGuide(String happened, String remedy) {
  /** The guide of a code; the switch is exhaustive. */
  static ErrorGuide of(ErrorCode code) {
    return switch (code) {
      case INTERNAL ->
          new ErrorGuide(
              "FDT has a defect, or the other end uses a code that this version does not know.",
              "Run the command again with -vv, and report what it prints.");
      case USAGE ->
          new ErrorGuide(
              "The command line or a file that it names makes no sense.",
              "Read the message, and 'fdt SUBCOMMAND --help'.");
      case UNREACHABLE ->
          new ErrorGuide(
              "The server's name is unknown, nothing listens at its address and port, or the"
                  + " connection broke and could not be made again.",
              "Check the name and the port (fdt://HOST:PORT/path or --port), the firewall, and"
                  + " that 'fdt serve' runs there; 'fdt doctor HOST' tests the path.");
      case NOT_FDT ->
          new ErrorGuide(
              "Another program listens at this port.",
              "Give FDT's port with --port, or as fdt://HOST:PORT/path.");
      case VERSION ->
          new ErrorGuide(
              "The other end speaks another version of the protocol.",
              "Install the same version at both ends; 'fdt --version' shows it.");
      case PROTOCOL ->
          new ErrorGuide(
              "The other end has sent something that the protocol does not allow.",
              "Run the command again. If it happens again, report the message of both ends.");
      case TIMEOUT ->
          new ErrorGuide(
              "Nothing has moved for longer than the deadline.",
              "Check the network and the disks of both ends, and run the command again: it"
                  + " continues.");
      case SHUTTING_DOWN ->
          new ErrorGuide(
              "The server is being stopped.",
              "Run the command again when the server is back: it continues.");
      case BUSY ->
          new ErrorGuide(
              "The server has as many clients, or this client as many transfers, as it may.",
              "Run the command again in a minute, or raise --max-sessions of the server.");
      case UNAUTHENTICATED ->
          new ErrorGuide(
              "The server wants a token, and has got none or one that is not valid.",
              "Get one from the server's administrator ('fdt token create NAME'), and store it with"
                  + " 'fdt login HOST' or name it with --token-file.");
      case FORBIDDEN ->
          new ErrorGuide(
              "The token, or the export, does not allow this.",
              "Ask for a token that allows it, or for an export with :rw; a secret file must be"
                  + " readable by its owner only (chmod 600).");
      case UNTRUSTED ->
          new ErrorGuide(
              "The server's key is unknown, or not the one that it should have.",
              "Compare the fingerprint with its administrator's; then give it with --fingerprint,"
                  + " or trust the key with --accept-new. 'fdt logout HOST' forgets an old key.");
      case NOT_FOUND ->
          new ErrorGuide(
              "There is no file or directory of this name.",
              "Check the path: 'fdt ls host:/' shows what the server exports, and the name of the"
                  + " export comes first.");
      case PERMISSION ->
          new ErrorGuide(
              "The operating system does not let the client or the server read or write there.",
              "Check the owner and the mode of the file and of its directory, at the end that the"
                  + " message names.");
      case WRONG_KIND ->
          new ErrorGuide(
              "A file is where a directory is needed, or a directory where a file is.",
              "Add -r for a directory; with --delete, files and directories of the source replace"
                  + " each other's names.");
      case SOURCE_CHANGED ->
          new ErrorGuide(
              "The file was written to, replaced or removed while it was read.",
              "Run the command again when no program writes to the file: only the rest is"
                  + " sent.");
      case IO ->
          new ErrorGuide(
              "A device has failed to read or to write.",
              "Look at the kernel's messages (dmesg) of the end that the message names.");
      case BAD_NAME ->
          new ErrorGuide(
              "The file system of the destination cannot have this name.",
              "Rename the file, or copy it under another name with --files-from ('src / dst').");
      case IN_USE ->
          new ErrorGuide(
              "Another transfer is writing the same file.",
              "Wait for the end of the other transfer, and run the command again.");
      case STORAGE_FULL ->
          new ErrorGuide(
              "The destination has no space, no quota or no inodes left.",
              "Make room and run the command again: it continues. Or choose another destination."
                  + " 'fdt cleanup DIR' removes the parts of transfers that are not to continue.");
      case READ_ONLY ->
          new ErrorGuide(
              "The file system of the destination is mounted read-only.",
              "Remount it, or choose another destination.");
      case RESOURCES ->
          new ErrorGuide(
              "Memory, threads or file descriptors have run out.",
              "Raise the limit that the message names (ulimit -n, ulimit -u, -Xmx in"
                  + " FDT_JAVA_OPTIONS), or use fewer streams (-P).");
      case VERIFICATION ->
          new ErrorGuide(
              "What arrived, or what is on the disk, is not what was sent.",
              "Run the command again: only the damaged file is sent. If it happens again, test"
                  + " memory and disks of both ends.");
      case TOO_MANY ->
          new ErrorGuide(
              "More would be removed than --max-delete allows, so nothing was.",
              "Run it with --dry-run to list the removals, then raise it.");
      case SOURCE_EMPTY ->
          new ErrorGuide(
              "A directory of the source is empty, and --delete would have emptied the copy of it,"
                  + " so nothing was deleted.",
              "Look whether the file system of the source is mounted. If the source is meant to be"
                  + " empty, add --delete-from-empty.");
      case FILTER ->
          new ErrorGuide(
              "A --pre-filter or --post-filter has failed, or refused the transfer.",
              "Read the filter's own message; docs/FILTERS.md says what it may do.");
      case CANCELLED ->
          new ErrorGuide("The transfer was interrupted.", "Run the command again: it continues.");
    };
  }
}
