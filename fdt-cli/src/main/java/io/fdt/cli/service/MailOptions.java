package io.fdt.cli.service;

import io.fdt.cli.option.parse.Options;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** The options of {@code fdt service} about e-mail. Pure. */
final class MailOptions {
  private static final String SERVER = "--mail-server";
  private static final String FROM = "--mail-from";
  private static final String USER = "--mail-user";
  private static final String PASSWORD_FILE = "--mail-password-file";
  private static final String TLS = "--mail-tls";
  private static final String AUTHORITIES = "--mail-ca-file";

  static final List<String> ALL = List.of(SERVER, FROM, USER, PASSWORD_FILE, TLS, AUTHORITIES);

  private MailOptions() {}

  static void add(CommandSpec spec) {
    Options.value(
        spec, "HOST[:PORT]", "Send e-mail about tasks by this server (SMTP, port 587).", SERVER);
    Options.value(spec, "ADDRESS", "The sender of e-mail.", FROM);
    Options.value(spec, "NAME", "The user of the mail server.", USER);
    Options.value(spec, "FILE", "The file with the password of that user.", PASSWORD_FILE);
    Options.choice(
        spec,
        List.of("starttls", "tls", "none"),
        "KIND",
        "How the connection is protected: starttls (default), tls, none.",
        TLS);
    Options.value(
        spec, "FILE", "Trust these certificates (PEM) of the mail server only.", AUTHORITIES);
  }
}
