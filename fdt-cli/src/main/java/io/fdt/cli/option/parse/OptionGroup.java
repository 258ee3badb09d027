package io.fdt.cli.option.parse;

import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The groups of options in a help, in their order. An option without a group belongs to OWN. */
enum OptionGroup {
  OWN("Options", false, "", ""),
  WHAT(
      "What to copy",
      true,
      "--recursive --exclude --include --files-from",
      "--archive --exclude-from --include-from --null --min-size --max-size --min-age --max-age"
          + " --max-depth --one-file-system --changing --links --offset --length"),
  WHERE(
      "Where",
      true,
      "--port --destination --detach",
      "--hand-over --deliver-within --reverse --reverse-address"),
  EXISTING(
      "Existing files",
      true,
      "--sync --update --delete",
      "--ignore-existing --max-delete --delete-from-empty --backup-dir --delta-from"),
  SPEED(
      "How fast",
      true,
      "--streams --limit --compress",
      "--delta -z --bwlimit --block-size --socket-buffer --readers --writers --direct-io"
          + " --affinity --congestion --transport"),
  CHECKS("Checks", true, "", "--checksum --verify --fsync --manifest --expect"),
  PRESERVATION(
      "What is preserved",
      true,
      "",
      "--preserve --hard-links --xattrs --acls --owner --sparse --no-sparse --names"),
  ACCESS(
      "Who can connect",
      false,
      "--anonymous --allow-from --require-encryption",
      "--allow-privileged --allow-shared-exports --no-third-party --dial-to --no-udp --advertise"
          + " --http"),
  LIMITS("Limits", false, "--limit", "--limit-per-client --max-sessions --max-memory --affinity"),
  RELAY_SERVER(
      "Relays and data nodes",
      false,
      "--relay",
      "--relay-to --spool --offer-relays --join --join-token-file"),
  SIGN_IN(
      "Sign-in",
      false,
      "",
      "--oidc-issuer --oidc-client --oidc-secret-file --oidc-name-claim --oidc-groups-claim"
          + " --oidc-admin-group --oidc-group"),
  MAIL(
      "E-mail",
      false,
      "",
      "--mail-server --mail-from --mail-user --mail-password-file --mail-tls --mail-ca-file"),
  OUTPUT(
      "Output",
      false,
      "--dry-run --json --quiet -v --help",
      "--version --list-digests --explain --report --monitor --format --jmespath"),
  CONNECTION(
      "Connection",
      false,
      "",
      "--encrypt --token-file --source-token-file --fingerprint --accept-new --retry-timeout"),
  RELAY("Through relays", false, "", "--via --relays --via-token-file"),
  SSH("Through SSH", false, "", "--rsh --tunnel -sshp -sshKey"),
  CERTIFICATES("Certificates", false, "", "--tls-ca --tls-cert --tls-key"),
  FILTERS("Filter classes", false, "", "--pre-filter --post-filter --filter-path");

  final String heading;
  private final boolean isOfCopies;
  private final String common;
  private final String rare;

  /**
   * @param isOfCopies whether the group is only for commands that choose files
   * @param common the options that the short help shows, as names with blanks between them
   */
  OptionGroup(String heading, boolean isOfCopies, String common, String rare) {
    this.heading = heading;
    this.isOfCopies = isOfCopies;
    this.common = common;
    this.rare = rare;
  }

  /** The options of a command in this group that a help shows. */
  List<OptionSpec> options(CommandSpec spec, boolean isShort) {
    return spec.options().stream()
        .filter(option -> !option.hidden() && of(option, spec) == this)
        .filter(option -> !isShort || this == OWN || hasOne(common, option))
        .toList();
  }

  private static OptionGroup of(OptionSpec option, CommandSpec spec) {
    boolean isCopy = spec.optionsMap().containsKey("--exclude");
    boolean isServer = spec.optionsMap().containsKey("--anonymous");
    return Stream.of(values())
        .filter(group -> isCopy || !group.isOfCopies)
        .filter(group -> isServer || (group != ACCESS && group != RELAY_SERVER))
        .filter(group -> hasOne(group.common, option) || hasOne(group.rare, option))
        .findFirst()
        .orElse(OWN);
  }

  private static boolean hasOne(String names, OptionSpec option) {
    return Stream.of(option.names()).anyMatch(List.of(names.split(" "))::contains);
  }
}
