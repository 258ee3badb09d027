package io.fdt.service.web.routes;

import static io.fdt.service.web.http.Route.body;
import static io.fdt.service.web.http.Route.required;

import io.fdt.core.error.FdtException;
import io.fdt.service.mail.MailSettings;
import io.fdt.service.store.EmailStore;
import io.fdt.service.store.Vault;
import io.fdt.service.store.access.Scope;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.auth.UserLimits;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.RequestContext;
import io.fdt.service.web.http.Route;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * E-mail addresses for notices. An address gets one mail with a code, and no other mail until the
 * user confirms the code, so that the service sends no unwanted mail. Any thread.
 */
public final class EmailRoutes {
  private static final String EMAILS = "/api/v1/emails";

  private final EmailStore store;
  private final Vault vault;
  private final UserLimits limits;
  private final boolean isSending;
  private final Clock clock;

  /**
   * The operations.
   *
   * @param isSending whether the service has a mail server
   */
  public EmailRoutes(
      EmailStore store, Vault vault, UserLimits limits, boolean isSending, Clock clock) {
    this.store = store;
    this.vault = vault;
    this.limits = limits;
    this.isSending = isSending;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.post(
            EMAILS,
            Scope.TASKS,
            "Add an address for notices by e-mail; it must be confirmed.",
            this::add,
            required("address", "string", "NAME@HOST"),
            body(NoticeField.NAME, "strings", NoticeField.TEXT)),
        Route.get(
            EMAILS,
            Scope.READ,
            "List your addresses.",
            request ->
                Reply.json(
                    Map.of(
                        "emails",
                        store.list(request.owner()).stream().map(EmailRoutes::view).toList()))),
        Route.post(
            EMAILS + "/{email}/confirm",
            Scope.TASKS,
            "Confirm an address with the code that was sent to it.",
            this::confirm,
            required("code", "string", "from the mail")),
        Route.delete(EMAILS + "/{email}", Scope.TASKS, "Remove an address.", this::remove));
  }

  private static Map<String, Object> view(EmailStore.Email email) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("email_id", email.id());
    view.put("address", email.address());
    view.put(NoticeField.NAME, NoticeField.view(email.kinds()));
    view.put("confirmed", email.isConfirmed());
    return view;
  }

  private Reply add(RequestContext request) throws ServiceException {
    Fields fields = request.fields();
    String address = fields.text("address", 254);
    String notices = NoticeField.read(fields);
    fields.finish();
    if (!isSending) {
      throw Fault.INVALID.of(
          "this service sends no e-mail; its administrator starts it with --mail-server");
    }
    if (!MailSettings.isAddress(address)) {
      throw Fault.INVALID.of("'" + address + "' is not of the form NAME@HOST");
    }
    String id = Secrets.id();
    EmailStore.Email email =
        new EmailStore.Email(
            id, request.owner(), address, notices, vault.encrypt(Secrets.id(), id), clock.millis());
    store.add(email);
    return Reply.created(EMAILS + "/" + id, view(email));
  }

  private EmailStore.Email find(RequestContext request) throws ServiceException {
    return store
        .find(request.owner(), request.path("email"))
        .orElseThrow(() -> Fault.NOT_FOUND.of("there is no such address"));
  }

  private Reply confirm(RequestContext request) throws ServiceException, FdtException {
    Fields fields = request.fields();
    String code = fields.text("code", 100).strip();
    fields.finish();
    EmailStore.Email email = find(request);
    if (!email.isConfirmed()) {
      limits.checkFailures(request.network());
      String wanted = vault.decrypt(email.code(), email.id());
      if (!Secrets.hash(wanted).equals(Secrets.hash(code))) {
        limits.failed(request.network());
        throw Fault.FORBIDDEN.of("that is not the code that was sent to " + email.address());
      }
      store.confirm(request.owner(), email.id());
    }
    return Reply.json(view(find(request)));
  }

  private Reply remove(RequestContext request) throws ServiceException {
    if (!store.remove(request.owner(), find(request).id())) {
      throw Fault.NOT_FOUND.of("there is no such address");
    }
    return Reply.empty();
  }
}
