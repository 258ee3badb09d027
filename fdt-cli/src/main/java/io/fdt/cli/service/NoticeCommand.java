package io.fdt.cli.service;

import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.output.Table;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The command lines of {@code fdt notice}: notices about tasks. An address with "://" is a webhook,
 * any other is for e-mail. Pure.
 */
public final class NoticeCommand {
  private static final String OF = "--of";
  private static final List<String> ALL = List.of(OF);

  /** The names of a kind of notice in the REST interface. */
  private enum Kind {
    EMAIL("emails", "email_id", "address"),
    WEBHOOK("webhooks", "webhook_id", "url");

    private final String collection;
    private final String id;
    private final String address;

    Kind(String collection, String id, String address) {
      this.collection = collection;
      this.id = id;
      this.address = address;
    }

    static Kind of(String address) {
      return address.contains("://") ? WEBHOOK : EMAIL;
    }

    /** The path of the notice for an address in the REST interface. */
    String find(RestClient client, String wanted) throws FdtException, InterruptedException {
      for (Map<String, Object> one : ServiceText.list(client.get(collection).json(), collection)) {
        if (wanted.equals(one.get(address))) {
          return collection + "/" + RestClient.part(ServiceText.text(one, id));
        }
      }
      throw new FdtException(
          ErrorCode.NOT_FOUND, "no notice for '" + wanted + "'; see: fdt notice list");
    }
  }

  private NoticeCommand() {}

  /** Reads a command line. */
  public static Invocation parse(List<String> arguments) throws UsageException {
    return ServiceLine.parse(
        spec(),
        arguments,
        Map.of(
            "add", NoticeCommand::add,
            "list", NoticeCommand::list,
            "confirm", NoticeCommand::confirm,
            "remove", NoticeCommand::remove));
  }

  private static Command add(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "add", ALL, OF);
    String address = ServiceLine.one(operands, "NAME@HOST or https://HOST/PATH");
    Kind kind = Kind.of(address);
    Map<String, Object> body = new LinkedHashMap<>();
    body.put(kind.address, address);
    line.value(OF).ifPresent(words -> body.put("notify", List.of(words.split(",", -1))));
    return ServiceLine.asking(
        line,
        "POST",
        kind.collection,
        body,
        (answer, screen) -> {
          if (kind == Kind.WEBHOOK) {
            screen.line("secret: " + ServiceText.text(answer, "secret"));
            screen.note("keep it now, it is not shown again: it signs what is sent");
          } else {
            table().add(cells(answer, kind)).show(screen);
            screen.note(
                "a mail with a code is on its way; then: fdt notice confirm %s CODE"
                    .formatted(ServiceText.shown(address)));
          }
        });
  }

  private static Table table() {
    return new Table().left("ADDRESS", "EVENTS", "STATE").none("no notices");
  }

  private static List<String> cells(Map<String, Object> notice, Kind kind) {
    boolean waits = kind == Kind.EMAIL && !Boolean.TRUE.equals(notice.get("confirmed"));
    return List.of(
        ServiceText.text(notice, kind.address),
        ServiceText.text(notice, "notify"),
        waits ? "waits for its code" : "in use");
  }

  private static Command list(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "list", ALL);
    ServiceLine.none(operands);
    ServiceOutput output = ServiceOutput.of(line);
    return context -> {
      RestClient client = RestClient.open(context);
      Map<String, Object> all = new LinkedHashMap<>();
      for (Kind kind : Kind.values()) {
        all.putAll(client.get(kind.collection).json());
      }
      output.show(
          RestClient.Answer.of(all),
          (answer, screen) -> {
            Table table = table();
            for (Kind kind : Kind.values()) {
              ServiceText.list(answer, kind.collection)
                  .forEach(notice -> table.add(cells(notice, kind)));
            }
            table.show(screen);
          },
          context.screen());
      return 0;
    };
  }

  private static Command confirm(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "confirm", ALL);
    if (operands.size() != 2) {
      throw new UsageException("write: notice confirm NAME@HOST CODE");
    }
    ServiceOutput output = ServiceOutput.of(line);
    return context -> {
      RestClient client = RestClient.open(context);
      String path = Kind.EMAIL.find(client, operands.get(0));
      output.show(
          client.ask("POST", path + "/confirm", Map.of("code", operands.get(1))),
          ServiceOutput.row(table(), notice -> cells(notice, Kind.EMAIL)),
          context.screen());
      return 0;
    };
  }

  private static Command remove(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "remove", ALL);
    String address = ServiceLine.one(operands, "address");
    return context -> {
      RestClient client = RestClient.open(context);
      RestClient.Answer unused = client.ask("DELETE", Kind.of(address).find(client, address), null);
      context.screen().line("removed " + address);
      return 0;
    };
  }

  private static CommandSpec spec() {
    CommandSpec spec =
        Options.command(
            "fdt notice",
            "Manages notices of the transfer service about your tasks, by e-mail or by webhook.%n");
    Options.value(
        spec,
        "WORDS",
        "add: events, separated by commas: end (default), fault (the first one of a task),"
            + " deadline (missed).",
        OF);
    ServiceOutput.add(spec);
    Options.general(spec);
    Options.words(spec, List.of("add", "list", "confirm", "remove"));
    spec.usageMessage()
        .customSynopsis(
            "fdt notice add NAME@HOST|https://HOST/PATH [--of end,fault,deadline]",
            "       fdt notice confirm NAME@HOST CODE",
            "       fdt notice list",
            "       fdt notice remove NAME@HOST|https://HOST/PATH");
    return spec;
  }
}
