package io.fdt.service.run;

import io.fdt.core.error.FdtException;
import io.fdt.service.mail.MailServer;
import io.fdt.service.store.EmailStore;
import io.fdt.service.store.Notice;
import io.fdt.service.store.Outbox;
import io.fdt.service.store.TaskStore;
import io.fdt.service.store.Vault;
import io.fdt.service.task.Task;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.function.Consumer;

/** Writes notices as mails. Blocks while the mail server answers. Any thread. */
record Mails(MailServer server, EmailStore store, TaskStore tasks, Vault vault, Clock clock)
    implements Notices.Sender {
  /** The limits: with a hanging server, a mail takes at most a minute. */
  static final Notices.Limits LIMITS = new Notices.Limits(Duration.ofMinutes(10).toMillis(), 5, 5);

  @Override
  public void send(Outbox.Message message, Consumer<MailServer.Answer> end)
      throws FdtException, ServiceException {
    EmailStore.Email email =
        store
            .get(message.target())
            .orElseThrow(() -> Fault.NOT_FOUND.of("the address was removed"));
    end.accept(server.send(write(message, email), clock.instant()));
  }

  private MailServer.Mail write(Outbox.Message message, EmailStore.Email email)
      throws FdtException, ServiceException {
    String id = Secrets.hash(email.id() + message.task() + message.notice()).substring(0, 32);
    String to = email.address();
    if (message.notice() == Notice.CONFIRM) {
      String text =
          """
          The user '%s' of an FDT transfer service wants mails about transfers sent to this address.
          If that is you, confirm it with this code, on the page of the service ("Notices")
          or by "fdt notice confirm %s CODE":

            %s

          If not, do nothing: no further mail comes.
          """
              .formatted(email.owner(), to, vault.decrypt(email.code(), email.id()));
      return new MailServer.Mail(id, to, "fdt: confirm this address", text);
    }
    Task task = tasks.get(email.owner(), message.task());
    String what =
        switch (message.notice()) {
          case FAULT -> "had a fault and is tried again";
          case DEADLINE -> "has missed its deadline";
          default -> task.state().name().toLowerCase(Locale.ROOT);
        };
    String label = oneLine(task.wish().label());
    String subject =
        "fdt: task %s %s%s".formatted(task.id(), what, label.isEmpty() ? "" : ": " + label);
    String text =
        """
        Task:     %s
        Label:    %s
        What:     %s
        Message:  %s
        Bytes:    %d
        Files:    %d, failed: %d, deleted: %d
        When:     %s

        fdt task show %s
        """
            .formatted(
                task.id(),
                label,
                what,
                message.detail(),
                task.counts().bytesDone(),
                task.counts().filesDone(),
                task.counts().filesFailed(),
                task.counts().filesDeleted(),
                Instant.ofEpochMilli(message.created()),
                task.id());
    return new MailServer.Mail(id, to, subject, text);
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\p{Cntrl}", " ");
  }
}
