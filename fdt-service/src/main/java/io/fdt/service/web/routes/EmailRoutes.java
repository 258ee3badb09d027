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
 * Addresses to which the service tells of tasks. An address gets one mail with a code, and no other
 * one until its user has sent that code back: nobody has the service write to strangers. Any
 * thread.
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
        new Route(
            "POST",
            EMAILS,
            Scope.TASKS,
            "Have an address told of your tasks by e-mail, once it is confirmed.",
            List.of(
                required("address", "string", "NAME@HOST"),
                body(NoticeField.NAME, "strings", NoticeField.TEXT)),
            this::add),
        new Route(
            "GET",
            EMAILS,
            Scope.READ,
            "List your addresses.",
            List.of(),
            request ->
                Reply.json(
                    Map.of(
                        "emails",
                        store.list(request.owner()).stream().map(EmailRoutes::view).toList()))),
        new Route(
            "POST",
            EMAILS + "/{email}/confirm",
            Scope.TASKS,
            "Confirm an address with the code that was sent to it.",
            List.of(required("code", "string", "from the mail")),
            this::confirm),
        new Route(
            "DELETE",
            EMAILS + "/{email}",
            Scope.TASKS,
            "Remove an address.",
            List.of(),
            this::remove));
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
      throw new ServiceException(
          Fault.INVALID,
          "this service sends no e-mail; its administrator starts it with --mail-server");
    }
    if (!MailSettings.isAddress(address)) {
      throw new ServiceException(Fault.INVALID, "'" + address + "' is not of the form NAME@HOST");
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
        .orElseThrow(() -> new ServiceException(Fault.NOT_FOUND, "there is no such address"));
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
        throw new ServiceException(
            Fault.FORBIDDEN, "that is not the code that was sent to " + email.address());
      }
      store.confirm(request.owner(), email.id());
    }
    return Reply.json(view(find(request)));
  }

  private Reply remove(RequestContext request) throws ServiceException {
    if (!store.remove(request.owner(), find(request).id())) {
      throw new ServiceException(Fault.NOT_FOUND, "there is no such address");
    }
    return Reply.empty();
  }
}
