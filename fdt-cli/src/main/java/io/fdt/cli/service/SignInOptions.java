package io.fdt.cli.service;

import io.fdt.cli.option.parse.Options;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** The options of {@code fdt service} about sign-in. Pure. */
final class SignInOptions {
  private static final String URL = "--url";
  private static final String ISSUER = "--oidc-issuer";
  private static final String CLIENT = "--oidc-client";
  private static final String SECRET_FILE = "--oidc-secret-file";
  private static final String NAME_CLAIM = "--oidc-name-claim";
  private static final String GROUPS_CLAIM = "--oidc-groups-claim";
  private static final String ADMIN_GROUP = "--oidc-admin-group";
  private static final String GROUP = "--oidc-group";

  static final List<String> ALL =
      List.of(URL, ISSUER, CLIENT, SECRET_FILE, NAME_CLAIM, GROUPS_CLAIM, ADMIN_GROUP, GROUP);

  private SignInOptions() {}

  static void add(CommandSpec spec) {
    Options.value(spec, "URL", "Where browsers find the page, behind a proxy: https://HOST.", URL);
    Options.value(
        spec, "URL", "Users sign in by this OpenID Connect provider: its issuer.", ISSUER);
    Options.value(spec, "ID", "What the service is called there.", CLIENT);
    Options.value(
        spec, "FILE", "The file with its secret there; none: public client.", SECRET_FILE);
    Options.value(
        spec,
        "CLAIM",
        "The claim that becomes the name of a user (default: preferred_username).",
        NAME_CLAIM);
    Options.value(
        spec, "CLAIM", "The claim with the groups of a user (default: groups).", GROUPS_CLAIM);
    Options.value(spec, "NAME", "The group whose members are admins.", ADMIN_GROUP);
    Options.value(spec, "NAME", "The group whose members may sign in (default: all).", GROUP);
  }
}
